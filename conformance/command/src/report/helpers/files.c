/* Counts and removes the files in /dev/shm that an ended process has left: nothing else would remove them. Files named
   cuda.shm.* do not count, because NVIDIA's driver is known to leave them. */
static int remove_files_left_by(pid_t process) {
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
