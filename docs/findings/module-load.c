/*
 * Loading a module does not return while a stream of the process waits for an event of another process.
 *
 * 1. A process creates an interprocess event, and records it behind work that waits.
 * 2. An importer opens the event. One of its streams waits for it.
 * 3. The importer loads a module. No work in any stream needs it.
 * 4. If the load has not returned after two seconds, the exporter's work is released.
 *
 *     gcc module-load.c -ldl -pthread -o module-load && ./module-load
 *
 * Exit code: 0 if the load returns before the work is released, 1 if it returns afterwards, 77 if the machine cannot run
 * this. With an argument, the stream waits for something else: `value` is a word in host memory, `kernel` is a kernel of
 * the importer itself, `launch` is the event again, but the module was loaded before, and its first kernel is launched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct { char bytes[64]; } Handle;
typedef unsigned long long Pointer;

enum { SUCCESS = 0, DISABLE_TIMING = 2, INTERPROCESS = 4, NON_BLOCKING = 1, EQUAL = 1, SECONDS = 2, CANNOT_RUN = 77 };

static int (*cuInit)(unsigned);
static int (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxSetCurrent)(void *);
static int (*cuEventCreate)(void **, unsigned);
static int (*cuEventRecord)(void *, void *);
static int (*cuIpcGetEventHandle)(Handle *, void *);
static int (*cuIpcOpenEventHandle)(void **, Handle);
static int (*cuStreamCreate)(void **, unsigned);
static int (*cuStreamSynchronize)(void *);
static int (*cuStreamWaitEvent)(void *, void *, unsigned);
static int (*cuStreamWaitValue32)(void *, Pointer, unsigned, unsigned);
static int (*cuMemHostAlloc)(void **, size_t, unsigned);
static int (*cuMemHostGetDevicePointer)(Pointer *, void *, unsigned);
static int (*cuModuleLoadData)(void **, const void *);
static int (*cuModuleGetFunction)(void **, void *, const char *);
static int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                             void **);

#define NEED(call) \
    do { \
        int code = (call); \
        if (code != SUCCESS) { \
            fprintf(stderr, "%s returned %d\n", #call, code); \
            exit(CANNOT_RUN); \
        } \
    } while (0)

/* Two kernels: `latch` ends when a word is 1, and `nothing` at once. They are modules of their own. */
static const char latch[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry latch(.param .u64 word)\n{\n"
    "    .reg .pred %p<2>;\n    .reg .b32 %r<2>;\n    .reg .b64 %d<2>;\n"
    "    ld.param.u64 %d1, [word];\n"
    "again:\n    ld.volatile.global.u32 %r1, [%d1];\n    setp.ne.u32 %p1, %r1, 1;\n    @%p1 bra again;\n    ret;\n}\n";
static const char nothing[] =
    ".version 6.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry nothing(.param .u64 word)\n{\n    ret;\n}\n";

/* Loads the driver, and makes the primary context of device 0 current. */
static void enter(void) {
    const char *name = getenv("CUDA_IPC_DRIVER");
    void *library = dlopen(name && *name ? name : "libcuda.so.1", RTLD_NOW), *context;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(CANNOT_RUN);
    }
    const struct { void *function; const char *name; } functions[] = {
        {&cuInit, "cuInit"},
        {&cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"},
        {&cuCtxSetCurrent, "cuCtxSetCurrent"},
        {&cuEventCreate, "cuEventCreate"},
        {&cuEventRecord, "cuEventRecord"},
        {&cuIpcGetEventHandle, "cuIpcGetEventHandle"},
        {&cuIpcOpenEventHandle, "cuIpcOpenEventHandle"},
        {&cuStreamCreate, "cuStreamCreate"},
        {&cuStreamSynchronize, "cuStreamSynchronize"},
        {&cuStreamWaitEvent, "cuStreamWaitEvent"},
        {&cuStreamWaitValue32, "cuStreamWaitValue32_v2"},
        {&cuMemHostAlloc, "cuMemHostAlloc"},
        {&cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2"},
        {&cuModuleLoadData, "cuModuleLoadData"},
        {&cuModuleGetFunction, "cuModuleGetFunction"},
        {&cuLaunchKernel, "cuLaunchKernel"},
    };
    for (size_t index = 0; index < sizeof functions / sizeof *functions; index++) {
        void *found = dlsym(library, functions[index].name);
        if (!found) {
            fprintf(stderr, "the driver has no %s\n", functions[index].name);
            exit(CANNOT_RUN);
        }
        memcpy(functions[index].function, &found, sizeof found);
    }
    NEED(cuInit(0));
    NEED(cuDevicePrimaryCtxRetain(&context, 0));
    NEED(cuCtxSetCurrent(context));
}

static void give(int socket, const void *bytes, size_t size) {
    if (write(socket, bytes, size) != (ssize_t)size) exit(CANNOT_RUN);
}

static void take(int socket, void *bytes, size_t size) {
    if (read(socket, bytes, size) != (ssize_t)size) exit(CANNOT_RUN);
}

/* A word of host memory that is 0, and where the device has it. */
static volatile unsigned *word(Pointer *address) {
    void *page;
    NEED(cuMemHostAlloc(&page, 4096, 0));
    NEED(cuMemHostGetDevicePointer(address, page, 0));
    memset(page, 0, 4096);
    return page;
}

static void *load(const char *image, const char *name) {
    void *module, *function;
    NEED(cuModuleLoadData(&module, image));
    NEED(cuModuleGetFunction(&function, module, name));
    return function;
}

static void launch(void *function, Pointer address, void *stream) {
    void *arguments[] = {&address};
    NEED(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL));
}

/* The process that records an event behind work that waits. */
static int export(int socket) {
    Handle handle;
    void *event, *stream;
    Pointer address;
    char turn;
    enter();
    volatile unsigned *flag = word(&address);
    NEED(cuEventCreate(&event, DISABLE_TIMING | INTERPROCESS));
    NEED(cuIpcGetEventHandle(&handle, event));
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    NEED(cuStreamWaitValue32(stream, address, 1, EQUAL));
    NEED(cuEventRecord(event, stream));
    give(socket, &handle, sizeof handle);
    take(socket, &turn, 1);
    *flag = 1;
    NEED(cuStreamSynchronize(stream));
    give(socket, "", 1);
    take(socket, &turn, 1);
    return 0;
}

static int exporter;
static volatile unsigned *our_flag;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_done, is_released;

/* Releases the work two seconds later, or when the call has returned. Calls no driver. */
static void *release(void *nobody) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += SECONDS;
    pthread_mutex_lock(&lock);
    while (!is_done && !pthread_cond_timedwait(&changed, &lock, &end)) {}
    is_released = !is_done;
    pthread_mutex_unlock(&lock);
    *our_flag = 1;
    give(exporter, "", 1);
    return nobody;
}

int main(int count, char **arguments) {
    const char *waits_for = count == 2 ? arguments[1] : "event";
    int pair[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return CANNOT_RUN;
    pid_t process = fork();
    if (process == 0) {
        close(pair[0]);
        return export(pair[1]);
    }
    close(pair[1]);
    exporter = pair[0];
    Handle handle;
    void *event, *stream, *other, *function = NULL;
    Pointer address;
    char turn;
    pthread_t releaser;
    enter();
    our_flag = word(&address);
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    NEED(cuStreamCreate(&other, NON_BLOCKING));
    take(exporter, &handle, sizeof handle);
    NEED(cuIpcOpenEventHandle(&event, handle));
    int is_launch = !strcmp(waits_for, "launch");
    if (is_launch) function = load(nothing, "nothing");
    if (!strcmp(waits_for, "value")) {
        NEED(cuStreamWaitValue32(stream, address, 1, EQUAL));
    } else if (!strcmp(waits_for, "kernel")) {
        launch(load(latch, "latch"), address, stream);
    } else {
        NEED(cuStreamWaitEvent(stream, event, 0));
    }
    if (pthread_create(&releaser, NULL, release, NULL)) return CANNOT_RUN;
    if (is_launch) {
        launch(function, address, other);
    } else {
        load(nothing, "nothing");
    }
    pthread_mutex_lock(&lock);
    is_done = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    if (pthread_join(releaser, NULL)) return CANNOT_RUN;
    take(exporter, &turn, 1);
    NEED(cuStreamSynchronize(stream));
    give(exporter, "", 1);
    if (waitpid(process, &status, 0) != process || status) return CANNOT_RUN;
    printf("importer: %s returned %s the work was released\n", is_launch ? "cuLaunchKernel" : "cuModuleLoadData",
           is_released ? "after" : "before");
    return is_released;
}
