/* Whether at least so many bytes become free within 3 seconds. */
__attribute__((unused)) static int becomes_free(size_t least) {
    size_t free = 0, total = 0;
    for (int tries = 0; tries < 300; tries++) {
        succeeds(cuMemGetInfo(&free, &total));
        if (free >= least)
            return 1;
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    return 0;
}
