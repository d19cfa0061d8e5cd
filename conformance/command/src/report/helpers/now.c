/* Returns the time in milliseconds. */
static unsigned long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000ULL + time.tv_nsec / 1000000;
}
