/* Loads a kernel once for each context. */
static int loaded_kernels;
static CUresult load_kernel(const char *name, const char *ptx, CUfunction *function) {
    static struct { CUcontext context; const char *name; CUfunction function; } loaded[64];
    CUcontext context;
    CUmodule module;
    CUresult code = cuCtxGetCurrent(&context);
    for (int index = 0; !code && index < loaded_kernels; index++)
        if (loaded[index].context == context && !strcmp(loaded[index].name, name)) {
            *function = loaded[index].function;
            return 0;
        }
    code = code ? code : cuModuleLoadData(&module, ptx);
    code = code ? code : cuModuleGetFunction(function, module, name);
    if (!code && loaded_kernels < 64) {
        loaded[loaded_kernels].context = context;
        loaded[loaded_kernels].name = name;
        loaded[loaded_kernels++].function = *function;
    }
    return code;
}
