/*
 * A program that calls the driver late: in destructors of a thread that is about to end, in a function of `atexit`, and in
 * a destructor of the program. The destructor of the thread runs in several rounds: from the second one on, other
 * libraries have already released what they keep for the thread. The argument names the library that the program loads
 * as the driver. It prints a line for each of these moments, with the code of every call, and exits with 0.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef int CUresult;
typedef void *CUcontext;
typedef void *CUstream;

/* The default stream of the calling thread. */
#define PER_THREAD ((CUstream)2)
#define ROUNDS 3

static CUresult (*init)(unsigned);
static CUresult (*retain)(CUcontext *, int);
static CUresult (*get_current)(CUcontext *);
static CUresult (*set_current)(CUcontext);
static CUresult (*push)(CUcontext);
static CUresult (*pop)(CUcontext *);
static CUresult (*allocate)(unsigned long long *, size_t);
static CUresult (*set_bytes)(unsigned long long, unsigned char, size_t);
static CUresult (*release)(unsigned long long);
static CUresult (*synchronize)(void);
static CUresult (*allocate_async)(unsigned long long *, size_t, CUstream);
static CUresult (*release_async)(unsigned long long, CUstream);
static CUresult (*synchronize_stream)(CUstream);

static CUcontext context, other;
static pthread_key_t key;
static int rounds;

static void call_the_driver(const char *when)
{
    CUcontext current = NULL, popped = NULL, after = NULL;
    unsigned long long memory = 0;
    printf("%s:", when);
    printf(" get %d", get_current(&current));
    printf(" %s", current == context ? "same" : "different");
    printf(" push %d", push(other));
    printf(" pop %d", pop(&popped));
    printf(" get %d", get_current(&after));
    printf(" %s", popped == other && after == context ? "same" : "different");
    printf(" allocate %d", allocate(&memory, 4096));
    printf(" set %d", set_bytes(memory, 7, 4096));
    printf(" free %d", release(memory));
    printf(" synchronize %d", synchronize());
    printf(" allocate_async %d", allocate_async(&memory, 4096, PER_THREAD));
    printf(" free_async %d", release_async(memory, PER_THREAD));
    printf(" synchronize_stream %d\n", synchronize_stream(PER_THREAD));
    fflush(stdout);
}

static void at_exit(void) { call_the_driver("atexit"); }

__attribute__((destructor)) static void at_the_end(void)
{
    if (synchronize)
        call_the_driver("destructor");
}

static void at_the_end_of_a_thread(void *value)
{
    call_the_driver("thread");
    if (++rounds < ROUNDS)
        pthread_setspecific(key, value);
}

static void *run(void *value)
{
    pthread_setspecific(key, value);
    set_current(context);
    return NULL;
}

int main(int count, char **arguments)
{
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    pthread_t thread;
    if (!library) {
        fprintf(stderr, "late LIBRARY: %s\n", count == 2 ? dlerror() : "no library");
        return 2;
    }
    /* Registered first, so it runs after everything that the driver registers. */
    atexit(at_exit);
#define FIND(function, name) *(void **)&function = dlsym(library, name)
    FIND(init, "cuInit");
    FIND(retain, "cuDevicePrimaryCtxRetain");
    FIND(get_current, "cuCtxGetCurrent");
    FIND(set_current, "cuCtxSetCurrent");
    FIND(push, "cuCtxPushCurrent_v2");
    FIND(pop, "cuCtxPopCurrent_v2");
    FIND(allocate, "cuMemAlloc_v2");
    FIND(set_bytes, "cuMemsetD8_v2");
    FIND(release, "cuMemFree_v2");
    FIND(synchronize, "cuCtxSynchronize");
    FIND(allocate_async, "cuMemAllocAsync");
    FIND(release_async, "cuMemFreeAsync");
    FIND(synchronize_stream, "cuStreamSynchronize");
    if (init(0) || retain(&context, 0) || retain(&other, 1) || set_current(context))
        return 1;
    pthread_key_create(&key, at_the_end_of_a_thread);
    pthread_create(&thread, NULL, run, &key);
    pthread_join(thread, NULL);
    return 0;
}
