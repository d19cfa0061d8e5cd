/* Host memory, which lives until the process ends. */
static void *buffer(size_t size) {
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, size ? size : 1))
        end(CANNOT_RUN, "cannot run: no memory for %zu bytes", size);
    return memset(memory, 0, size);
}
