// A layer over the reference driver that replaces single functions. It adds behaviours of GPU drivers that the reference
// driver does not have.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, ALREADY_MAPPED = 208, NOT_READY = 600, ILLEGAL_ADDRESS = 700 };
enum { FABRIC = 8 };
typedef int Result;
typedef struct { char bytes[64]; } Handle;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Behaviour 1: while a handle is open, opening another returns ALREADY_MAPPED, as if the exporter had reused an address
// that is still mapped here.
static Result (*real_open)(uint64_t *, Handle, unsigned);
static Result (*real_close)(uint64_t);
static int open_handles;

static Result open_handle(uint64_t *pointer, Handle handle, unsigned flags) {
    pthread_mutex_lock(&lock);
    Result result = open_handles ? ALREADY_MAPPED : real_open(pointer, handle, flags);
    open_handles += result == SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

static Result close_handle(uint64_t pointer) {
    pthread_mutex_lock(&lock);
    Result result = real_close(pointer);
    open_handles -= result == SUCCESS;
    pthread_mutex_unlock(&lock);
    return result;
}

// Behaviour 2: the first free of a pool pointer unmaps all its imports. Before that, the free waits up to 20 ms, which
// gives another thread time to import the pointer.
static Result (*real_import)(uint64_t *, void *, void *);
static Result (*real_free)(uint64_t);
static pthread_cond_t imported = PTHREAD_COND_INITIALIZER;
static uint64_t import;
static int imports;

static Result import_pointer(uint64_t *pointer, void *pool, void *data) {
    pthread_mutex_lock(&lock);
    Result result = real_import(pointer, pool, data);
    if (result == SUCCESS) {
        imports = *pointer == import ? imports + 1 : 1;
        import = *pointer;
        pthread_cond_broadcast(&imported);
    }
    pthread_mutex_unlock(&lock);
    return result;
}

static Result free_memory(uint64_t pointer) {
    int times = 1;
    pthread_mutex_lock(&lock);
    if (pointer == import && imports > 0) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_nsec += 20 * 1000 * 1000;
        end.tv_sec += end.tv_nsec / 1000000000;
        end.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&imported, &lock, &end);
        times = imports;
        imports = 0;
    }
    pthread_mutex_unlock(&lock);
    Result result = SUCCESS;
    for (; times > 0 && result == SUCCESS; times--) result = real_free(pointer);
    return result;
}

// Behaviour 3: a write or fill on the default stream returns before the memory changes. The memory changes when a
// stream is synchronized, or at the next write or fill.
static Result (*real_write)(uint64_t, const void *, size_t);
static Result (*real_fill)(uint64_t, unsigned char, size_t);
static Result (*real_synchronize)(void *);
static struct { uint64_t pointer; void *bytes; size_t size; } pending;

static Result finish(void) {
    Result result = pending.bytes ? real_write(pending.pointer, pending.bytes, pending.size) : SUCCESS;
    free(pending.bytes);
    pending.bytes = NULL;
    return result;
}

// Begins a pending write, after finishing an earlier one. Returns its bytes, which the caller fills.
static void *begin(uint64_t pointer, size_t size) {
    finish();
    pending.pointer = pointer;
    pending.size = size;
    return pending.bytes = malloc(size);
}

static Result write_memory(uint64_t pointer, const void *bytes, size_t size) {
    pthread_mutex_lock(&lock);
    void *copy = begin(pointer, size);
    if (copy) memcpy(copy, bytes, size);
    pthread_mutex_unlock(&lock);
    return copy ? SUCCESS : OUT_OF_MEMORY;
}

static Result fill_memory(uint64_t pointer, unsigned char byte, size_t size) {
    pthread_mutex_lock(&lock);
    void *copy = begin(pointer, size);
    if (copy) memset(copy, byte, size);
    pthread_mutex_unlock(&lock);
    return copy ? SUCCESS : OUT_OF_MEMORY;
}

// Behaviour 4: a kernel runs until its stream or its context is synchronized. Unloading a module of the context before
// that, or disabling peer access of the context or to it, returns ILLEGAL_ADDRESS, with which a GPU driver ends all device
// work of the process. An H200 waits when it unloads, but CUDA does not promise that.
enum { MANY = 64 };
Result cuCtxGetCurrent(void **context);
static Result (*real_launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                             void **);
static Result (*real_unload)(void *);
static Result (*real_disable)(void *);
static Result (*real_synchronize_context)(void);
static Result (*real_query)(void *);
static struct { void *context, *stream; } running[MANY];

static void *current(void) {
    void *context = NULL;
    cuCtxGetCurrent(&context);
    return context;
}

static int is_running(void *context) {
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) found |= context && running[i].context == context;
    pthread_mutex_unlock(&lock);
    return found;
}

static Result launch(void *function, unsigned x, unsigned y, unsigned z, unsigned block_x, unsigned block_y,
                     unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra) {
    int free_entry = 0;
    pthread_mutex_lock(&lock);
    while (free_entry < MANY - 1 && running[free_entry].context) free_entry++;
    running[free_entry].context = current();
    running[free_entry].stream = stream;
    pthread_mutex_unlock(&lock);
    return real_launch(function, x, y, z, block_x, block_y, block_z, shared, stream, parameters, extra);
}

static Result unload(void *module) {
    return is_running(current()) ? ILLEGAL_ADDRESS : real_unload(module);
}

static Result disable(void *peer) {
    return is_running(current()) || is_running(peer) ? ILLEGAL_ADDRESS : real_disable(peer);
}

// Behaviour 5: destroying a pool damages the heap if memory of the pool is not freed yet, or if its free waits in a
// stream that was not synchronized since. On an H200, a later call then crashes; here the process ends at once. It also
// ends if a pool for fabric handles is destroyed that was never exported as one, as on an H200 without a channel.
typedef struct { int kind, handle_types; } PoolProperties;
static Result (*real_create_pool)(void **, const PoolProperties *);
static Result (*real_export_pool)(void *, void *, int, uint64_t);
static Result (*real_destroy_pool)(void *);
static Result (*real_set_pool)(int, void *);
static Result (*real_allocate_from)(uint64_t *, size_t, void *, void *);
static Result (*real_allocate)(uint64_t *, size_t, void *);
static Result (*real_free_in_order)(uint64_t, void *);
static void *unexported[MANY], *current_pool;
static struct { uint64_t pointer; void *pool, *context, *stream; } allocations[MANY];

// Replaces a pool in the list of those that are for fabric handles and were not exported as one.
static void replace_unexported(void *old, void *new) {
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MANY && unexported[i] != old) i++;
    if (i < MANY) unexported[i] = new;
    pthread_mutex_unlock(&lock);
}

static Result create_pool(void **pool, const PoolProperties *properties) {
    Result result = real_create_pool(pool, properties);
    if (result == SUCCESS && properties->handle_types & FABRIC) replace_unexported(NULL, *pool);
    return result;
}

static Result export_pool(void *handle, void *pool, int type, uint64_t flags) {
    Result result = real_export_pool(handle, pool, type, flags);
    if (result == SUCCESS && type == FABRIC) replace_unexported(pool, NULL);
    return result;
}

static Result set_pool(int device, void *pool) {
    current_pool = pool;
    return real_set_pool(device, pool);
}

static void note_allocation(uint64_t pointer, void *pool) {
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MANY - 1 && allocations[i].pointer) i++;
    allocations[i].pointer = pointer;
    allocations[i].pool = pool;
    allocations[i].context = NULL;
    pthread_mutex_unlock(&lock);
}

static Result allocate_from(uint64_t *pointer, size_t size, void *pool, void *stream) {
    Result result = real_allocate_from(pointer, size, pool, stream);
    if (result == SUCCESS) note_allocation(*pointer, pool);
    return result;
}

static Result allocate(uint64_t *pointer, size_t size, void *stream) {
    Result result = real_allocate(pointer, size, stream);
    if (result == SUCCESS && current_pool) note_allocation(*pointer, current_pool);
    return result;
}

static Result free_in_order(uint64_t pointer, void *stream) {
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) {
        if (allocations[i].pointer == pointer) {
            allocations[i].context = current();
            allocations[i].stream = stream;
        }
    }
    pthread_mutex_unlock(&lock);
    return real_free_in_order(pointer, stream);
}

static Result destroy_pool(void *pool) {
    const char *reason = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) {
        if (unexported[i] == pool) reason = "was never exported as a fabric handle";
        if (allocations[i].pointer && allocations[i].pool == pool) reason = "has memory or a free that waits";
    }
    pthread_mutex_unlock(&lock);
    if (reason) {
        fprintf(stderr, "a pool is destroyed that %s\n", reason);
        abort();
    }
    return real_destroy_pool(pool);
}

// Completes the kernels and the frees of a stream of the current context, or of all its streams.
static void complete(void *stream, int all) {
    void *context = current();
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) {
        if (running[i].context == context && (all || running[i].stream == stream)) running[i].context = NULL;
        if (allocations[i].context == context && (all || allocations[i].stream == stream)) allocations[i].pointer = 0;
    }
    pthread_mutex_unlock(&lock);
}

// Behaviour 6: waiting for a stream or a context returns the code in an environment variable and does not wait, and so
// does asking whether a stream is done. No driver was seen to do this. CUDA allows these calls to return any error of
// earlier work, and does not say that they have waited then.
static Result failure(const char *variable) {
    const char *code = getenv(variable);
    return code ? atoi(code) : SUCCESS;
}

static Result synchronize(void *stream) {
    pthread_mutex_lock(&lock);
    Result result = finish();
    pthread_mutex_unlock(&lock);
    if (result == SUCCESS) result = failure("WAITING_FOR_A_STREAM_FAILS");
    if (result == SUCCESS) result = real_synchronize(stream);
    if (result == SUCCESS) complete(stream, 0);
    return result;
}

// Says that a stream is not ready while it has a kernel or a free.
static Result query(void *stream) {
    void *context = current();
    int is_busy = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) {
        is_busy |= running[i].context == context && running[i].stream == stream;
        is_busy |= allocations[i].pointer && allocations[i].context == context && allocations[i].stream == stream;
    }
    pthread_mutex_unlock(&lock);
    Result result = failure("ASKING_A_STREAM_FAILS");
    if (result == SUCCESS) result = is_busy ? NOT_READY : real_query(stream);
    return result;
}

static Result synchronize_context(void) {
    Result result = failure("WAITING_FOR_A_CONTEXT_FAILS");
    if (result == SUCCESS) result = real_synchronize_context();
    if (result == SUCCESS) complete(NULL, 1);
    return result;
}

// Behaviour 7: memory that begins with BUSY is still in use, so it stays registered. It must be mapped until then.
enum { BUSY = 0xb5b5, UNKNOWN = 999 };
static Result (*real_unregister)(void *);

static Result unregister(void *memory) {
    return *(volatile uint32_t *)memory == BUSY ? UNKNOWN : real_unregister(memory);
}

// Behaviour 8: new host memory contains what others left there.
static Result (*real_host_alloc)(void **, size_t, unsigned);

static Result host_alloc(void **memory, size_t size, unsigned flags) {
    Result result = real_host_alloc(memory, size, flags);
    if (result == SUCCESS) memset(*memory, 0xa5, size);
    return result;
}

// Behaviour 9: unmapping returns the code in an environment variable and unmaps nothing. Freeing a range of addresses in
// which something is mapped ends the process: CUDA does not say what the mapping is after that.
static Result (*real_map)(uint64_t, size_t, size_t, uint64_t, uint64_t);
static Result (*real_unmap)(uint64_t, size_t);
static Result (*real_free_range)(uint64_t, size_t);
static uint64_t mappings[MANY];

static void replace_mapping(uint64_t old, uint64_t new) {
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < MANY && mappings[i] != old) i++;
    if (i < MANY) mappings[i] = new;
    pthread_mutex_unlock(&lock);
}

static Result map(uint64_t pointer, size_t size, size_t offset, uint64_t handle, uint64_t flags) {
    Result result = real_map(pointer, size, offset, handle, flags);
    if (result == SUCCESS) replace_mapping(0, pointer);
    return result;
}

static Result unmap(uint64_t pointer, size_t size) {
    Result result = failure("UNMAPPING_FAILS");
    if (result == SUCCESS) result = real_unmap(pointer, size);
    if (result == SUCCESS) replace_mapping(pointer, 0);
    return result;
}

static Result free_range(uint64_t pointer, size_t size) {
    int is_mapped = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MANY; i++) is_mapped |= mappings[i] && mappings[i] >= pointer && mappings[i] - pointer < size;
    pthread_mutex_unlock(&lock);
    if (is_mapped) {
        fprintf(stderr, "a range is freed in which something is mapped\n");
        abort();
    }
    return real_free_range(pointer, size);
}

// Behaviour 10: making a context current returns the code in an environment variable.
static Result (*real_push)(void *);

static Result push(void *context) {
    Result result = failure("ENTERING_A_CONTEXT_FAILS");
    return result == SUCCESS ? real_push(context) : result;
}

// Behaviour 11: initializing writes a byte to one descriptor in an environment variable, and waits for a byte from another.
static Result (*real_init)(unsigned);

static Result init(unsigned flags) {
    const char *variable = getenv("INITIALIZING_WAITS");
    int telling, waiting;
    char byte = 0;
    if (variable && sscanf(variable, "%d,%d", &telling, &waiting) == 2) {
        if (write(telling, &byte, 1) != 1 || read(waiting, &byte, 1) != 1) return UNKNOWN;
    }
    return real_init(flags);
}

static const struct { const char *name; void *real; void *faulty; } FAULTS[] = {
    {"cuInit", &real_init, init},
    {"cuMemMap", &real_map, map},
    {"cuMemUnmap", &real_unmap, unmap},
    {"cuMemAddressFree", &real_free_range, free_range},
    {"cuCtxPushCurrent", &real_push, push},
    {"cuMemHostAlloc", &real_host_alloc, host_alloc},
    {"cuMemHostUnregister", &real_unregister, unregister},
    {"cuIpcOpenMemHandle", &real_open, open_handle},
    {"cuIpcCloseMemHandle", &real_close, close_handle},
    {"cuMemPoolImportPointer", &real_import, import_pointer},
    {"cuMemFree", &real_free, free_memory},
    {"cuMemcpyHtoD", &real_write, write_memory},
    {"cuMemsetD8", &real_fill, fill_memory},
    {"cuStreamSynchronize", &real_synchronize, synchronize},
    {"cuCtxSynchronize", &real_synchronize_context, synchronize_context},
    {"cuStreamQuery", &real_query, query},
    {"cuLaunchKernel", &real_launch, launch},
    {"cuModuleUnload", &real_unload, unload},
    {"cuCtxDisablePeerAccess", &real_disable, disable},
    {"cuMemPoolCreate", &real_create_pool, create_pool},
    {"cuMemPoolExportToShareableHandle", &real_export_pool, export_pool},
    {"cuMemPoolDestroy", &real_destroy_pool, destroy_pool},
    {"cuDeviceSetMemPool", &real_set_pool, set_pool},
    {"cuMemAllocFromPoolAsync", &real_allocate_from, allocate_from},
    {"cuMemAllocAsync", &real_allocate, allocate},
    {"cuMemFreeAsync", &real_free_in_order, free_in_order},
};

Result cuGetProcAddress_v2(const char *name, void **address, int version, uint64_t flags, int *reason) {
    Result (*real)(const char *, void **, int, uint64_t, int *) = dlsym(RTLD_NEXT, "cuGetProcAddress_v2");
    Result result = real(name, address, version, flags, reason);
    for (size_t i = 0; result == SUCCESS && i < sizeof FAULTS / sizeof *FAULTS; i++) {
        if (*address && strcmp(name, FAULTS[i].name) == 0) {
            *(void **)FAULTS[i].real = *address;
            *address = FAULTS[i].faulty;
        }
    }
    return result;
}
