// A layer over the reference driver that replaces single functions. It adds three behaviours of GPU drivers that the
// reference driver does not have.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, ALREADY_MAPPED = 208 };
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

static Result synchronize(void *stream) {
    pthread_mutex_lock(&lock);
    Result result = finish();
    pthread_mutex_unlock(&lock);
    return result == SUCCESS ? real_synchronize(stream) : result;
}

static const struct { const char *name; void *real; void *faulty; } FAULTS[] = {
    {"cuIpcOpenMemHandle", &real_open, open_handle},
    {"cuIpcCloseMemHandle", &real_close, close_handle},
    {"cuMemPoolImportPointer", &real_import, import_pointer},
    {"cuMemFree", &real_free, free_memory},
    {"cuMemcpyHtoD", &real_write, write_memory},
    {"cuMemsetD8", &real_fill, fill_memory},
    {"cuStreamSynchronize", &real_synchronize, synchronize},
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
