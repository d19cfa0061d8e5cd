/* Whether as many bytes become free within 3 seconds as before, except for some. */
__attribute__((unused)) static int becomes_free(size_t before, size_t slack) {
    size_t free = 0, total = 0;
    for (int tries = 0; tries < 300; tries++) {
        succeeds(cuMemGetInfo(&free, &total));
        if (free + slack >= before)
            return 1;
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    return 0;
}
