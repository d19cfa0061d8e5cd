/* Lowers the limit so that no descriptor can be opened. Returns the old limit. */
static rlim_t exhaust_descriptors(void) {
    struct rlimit limit;
    int lowest = works(dup(0));
    close(lowest);
    works(getrlimit(RLIMIT_NOFILE, &limit));
    works(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ lowest, limit.rlim_max }));
    return limit.rlim_cur;
}
static void limit_descriptors(rlim_t number) {
    struct rlimit limit;
    works(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = number;
    works(setrlimit(RLIMIT_NOFILE, &limit));
}
