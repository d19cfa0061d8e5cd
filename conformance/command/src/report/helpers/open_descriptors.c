/* Counts the open descriptors of this process whose target, as the kernel names it, matches a pattern. */
static int count_open(const char *pattern) {
    char path[64], target[4096];
    int count = 0;
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(path, target, sizeof target - 1);
        target[length < 0 ? 0 : length] = 0;
        count += length > 0 && !fnmatch(pattern, target, 0);
    }
    return count;
}
