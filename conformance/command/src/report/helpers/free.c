/* Returns the free memory: once so many bytes are free, or after 3 seconds. */
__attribute__((unused)) static size_t once_free(size_t wanted) {
    size_t free = 0, total = 0;
    for (int tries = 0; tries < 300; tries++) {
        succeeds(cuMemGetInfo(&free, &total));
        if (free >= wanted)
            break;
        nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
    }
    return free;
}
