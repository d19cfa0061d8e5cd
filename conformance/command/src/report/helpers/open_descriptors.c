/* Whether this process has an open descriptor of a target, as the kernel names it. Numbers in it do not count: they can be
   the id of a process. */
static int is_open(const char *target) {
    char path[64], found[4096];
    for (int descriptor = 0; descriptor < 1024; descriptor++) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        ssize_t length = readlink(path, found, sizeof found - 1);
        found[length < 0 ? 0 : length] = 0;
        const char *one = found, *other = target;
        do {
            while (isdigit((unsigned char)*one))
                one++;
            while (isdigit((unsigned char)*other))
                other++;
        } while (*one && *one++ == *other++);
        if (!*one && !*other && *found)
            return 1;
    }
    return 0;
}
