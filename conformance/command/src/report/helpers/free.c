/* Whether so much memory becomes free. A driver may free it after a delay. */
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
