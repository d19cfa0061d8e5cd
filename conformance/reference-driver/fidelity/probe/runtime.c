#include "groups.h"

/* Name, parameters. */
#define RUNTIME(F) \
    F(cudaMalloc, (Pointer *, size_t)) \
    F(cudaFree, (Pointer)) \
    F(cudaMallocHost, (void **, size_t)) \
    F(cudaMallocManaged, (Pointer *, size_t, unsigned)) \
    F(cudaHostRegister, (void *, size_t, unsigned)) \
    F(cudaIpcGetMemHandle, (Handle *, Pointer)) \
    F(cudaIpcOpenMemHandle, (Pointer *, Handle, unsigned)) \
    F(cudaIpcOpenEventHandle, (Object *, Handle))

#define DEFINE(name, parameters) static int (*name) parameters;
RUNTIME(DEFINE)

static void *library;

int find_runtime(const char *path) {
    const char *names[] = {path, "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
    for (size_t i = path == NULL; i < sizeof names / sizeof *names; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library && dlsym(library, "cudaIpcGetMemHandle")) return 1;
    }
    return 0;
}

void runtime(void) {
    Pointer memory, freed, managed, opened;
    Object event;
    Handle handle, other;
    void *pinned, *heap = aligned_alloc(4096, BLOCK);
    int local;
#define LOAD(name, parameters) \
    if (!(*(void **)&name = dlsym(library, #name))) exit(2);
    RUNTIME(LOAD)
    NEED(cudaMalloc(&memory, BLOCK));
    say("runtime get base", cudaIpcGetMemHandle(&handle, memory));
    say("runtime open own process", cudaIpcOpenMemHandle(&opened, handle, LAZY_PEER_ACCESS));
    say("runtime event open zeros", cudaIpcOpenEventHandle(&event, filled(0)));
    say("runtime get null", cudaIpcGetMemHandle(&other, 0));
    say("runtime get heap", cudaIpcGetMemHandle(&other, (Pointer)heap));
    say("runtime get stack", cudaIpcGetMemHandle(&other, (Pointer)&local));
    say("runtime get unmapped", cudaIpcGetMemHandle(&other, 0x10000));
    NEED(cudaMallocHost(&pinned, BLOCK));
    say("runtime get pinned", cudaIpcGetMemHandle(&other, (Pointer)pinned));
    NEED(cudaHostRegister(heap, BLOCK, 0));
    say("runtime get registered", cudaIpcGetMemHandle(&other, (Pointer)heap));
    NEED(cudaMallocManaged(&managed, MIB, 1));
    say("runtime get managed", cudaIpcGetMemHandle(&other, managed));
    NEED(cudaMalloc(&freed, BLOCK));
    NEED(cudaFree(freed));
    say("runtime get freed", cudaIpcGetMemHandle(&other, freed));
}
