/* Whether this process has an open descriptor of a target, as the kernel names it. */
static int is_open(const char *target) {
    char path[64], found[4096];
    int descriptor = 0;
    for (; descriptor < 1024; descriptor++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(path, found, sizeof found - 1);
        found[length < 0 ? 0 : length] = 0;
        if (!strcmp(found, target))
            return 1;
    }
    return 0;
}
