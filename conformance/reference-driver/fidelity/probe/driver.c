#include "driver.h"

#define DEFINE(name, exported, parameters) int (*name) parameters;
FUNCTIONS(DEFINE)

void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "probe: %s\n", dlerror());
        exit(2);
    }
#define LOAD(name, exported, parameters) \
    if (!(*(void **)&name = dlsym(library, exported))) { \
        fprintf(stderr, "probe: %s\n", dlerror()); \
        exit(2); \
    }
    FUNCTIONS(LOAD)
}

Object enter(int device) {
    Object context;
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, device));
    NEED(cuCtxSetCurrent(context));
    return context;
}
