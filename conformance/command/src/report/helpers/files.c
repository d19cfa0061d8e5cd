/* Counts the files in /dev/shm that an ended process has left, and removes them, because nothing else would. NVIDIA's driver
   is known to leave those whose names begin with cuda.shm. */
static int files_left_by(pid_t process) {
    int count = 0;
    struct dirent *entry;
    DIR *folder = opendir("/dev/shm");
    while (folder && (entry = readdir(folder)))
        if (is_named_after(entry->d_name, process) && strncmp(entry->d_name, "cuda.shm.", 9)) {
            count++;
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    if (folder)
        closedir(folder);
    return count;
}
