/* Runs a function on several threads at once. Each gets its number. */
static int waiting_threads;
static void start_together(int count) {
    is_thread = 1;
    __atomic_add_fetch(&waiting_threads, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&waiting_threads, __ATOMIC_SEQ_CST) < count)
        ;
}
static void *symbol(void *library, const char *name);
static void run_threads(size_t count, void *(*run)(void *)) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = symbol(RTLD_DEFAULT, "pthread_create");
    int (*join)(pthread_t, void **) = symbol(RTLD_DEFAULT, "pthread_join");
    pthread_t threads[64];
    waiting_threads = 0;
    for (size_t number = 0; number < count; number++)
        if (create(&threads[number], NULL, run, (void *)number))
            end(CANNOT_RUN, "cannot run: no %zu threads", count);
    for (size_t number = 0; number < count; number++)
        join(threads[number], NULL);
    calls[self] = NULL;
}
