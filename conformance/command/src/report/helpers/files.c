/* Counts and removes the files in /dev/shm that an ended process has left since this program began: nothing else would
   remove them. Files named cuda.shm.USER.PROCESS.NUMBER do not count, because NVIDIA's driver is known to leave them. */
static time_t began;
__attribute__((constructor)) static void note_the_time(void) { began = time(NULL); }
static int remove_files_left_by(pid_t process) {
    int count = 0;
    struct dirent *entry;
    DIR *folder = opendir("/dev/shm");
    while (folder && (entry = readdir(folder))) {
        struct stat found;
        unsigned numbers[3];
        int length = 0;
        sscanf(entry->d_name, "cuda.shm.%x.%x.%x%n", &numbers[0], &numbers[1], &numbers[2], &length);
        int is_known = length && !entry->d_name[length];
        if (is_known || !is_named_after(entry->d_name, process) || fstatat(dirfd(folder), entry->d_name, &found, 0))
            continue;
        if (found.st_ctime >= began) {
            count++;
            unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    if (folder)
        closedir(folder);
    return count;
}
