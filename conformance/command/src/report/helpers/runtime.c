    static const char *const runtimes[] = { "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0" };
    const char *runtime_path = getenv("CUDA_IPC_RUNTIME");
    if (runtime_path && !*runtime_path)
        runtime_path = NULL;
    void *runtime = runtime_path ? dlopen(runtime_path, RTLD_NOW) : NULL;
    for (int index = 0; !runtime && !runtime_path && index < 3; index++)
        runtime = dlopen(runtimes[index], RTLD_NOW);
    if (!runtime)
        end(CANNOT_RUN, "cannot run: %s", dlerror());
