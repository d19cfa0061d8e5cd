/*
 * An importer asks for the new event of a process that has replaced its program, and is told about an old one.
 *
 * 1. A process creates an interprocess event. The importer opens it, and destroys what it opened.
 * 2. The process replaces its program by execv, and so keeps its process id. It creates an event again, and records it
 *    behind work that waits.
 * 3. The importer opens the new event, and queries it. The documentation of cuEventQuery promises CUDA_ERROR_NOT_READY.
 *
 *     gcc events-after-exec.c -ldl -o events-after-exec && ./events-after-exec
 *
 * Exit code: 0 if the query says that the work is not done, 1 if it says that it is, 77 if the machine cannot run this.
 * With the argument `once`, step 1 is left out: then the answer is right.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct { char bytes[64]; } Handle;
typedef unsigned long long Pointer;

enum { SUCCESS = 0, NOT_READY = 600, DISABLE_TIMING = 2, INTERPROCESS = 4, NON_BLOCKING = 1, EQUAL = 1, CANNOT_RUN = 77 };

static int (*cuInit)(unsigned);
static int (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxSetCurrent)(void *);
static int (*cuEventCreate)(void **, unsigned);
static int (*cuEventRecord)(void *, void *);
static int (*cuEventQuery)(void *);
static int (*cuEventDestroy)(void *);
static int (*cuIpcGetEventHandle)(Handle *, void *);
static int (*cuIpcOpenEventHandle)(void **, Handle);
static int (*cuStreamCreate)(void **, unsigned);
static int (*cuStreamSynchronize)(void *);
static int (*cuStreamWaitValue32)(void *, Pointer, unsigned, unsigned);
static int (*cuMemAlloc)(Pointer *, size_t);
static int (*cuMemsetD32)(Pointer, unsigned, size_t);
static int (*cuMemsetD32Async)(Pointer, unsigned, size_t, void *);

#define NEED(call) \
    do { \
        int code = (call); \
        if (code != SUCCESS) { \
            fprintf(stderr, "%s returned %d\n", #call, code); \
            exit(CANNOT_RUN); \
        } \
    } while (0)

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
        {&cuEventQuery, "cuEventQuery"},
        {&cuEventDestroy, "cuEventDestroy_v2"},
        {&cuIpcGetEventHandle, "cuIpcGetEventHandle"},
        {&cuIpcOpenEventHandle, "cuIpcOpenEventHandle"},
        {&cuStreamCreate, "cuStreamCreate"},
        {&cuStreamSynchronize, "cuStreamSynchronize"},
        {&cuStreamWaitValue32, "cuStreamWaitValue32_v2"},
        {&cuMemAlloc, "cuMemAlloc_v2"},
        {&cuMemsetD32, "cuMemsetD32_v2"},
        {&cuMemsetD32Async, "cuMemsetD32Async"},
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

/* The process that creates events, before and after it has replaced its program. */
static int export(int socket, int is_new_program) {
    Handle handle;
    void *event, *stream, *other;
    Pointer flag;
    char turn;
    enter();
    NEED(cuEventCreate(&event, DISABLE_TIMING | INTERPROCESS));
    NEED(cuIpcGetEventHandle(&handle, event));
    if (!is_new_program) {
        give(socket, &handle, sizeof handle);
        take(socket, &turn, 1);
        return 0;
    }
    NEED(cuStreamCreate(&stream, NON_BLOCKING));
    NEED(cuStreamCreate(&other, NON_BLOCKING));
    NEED(cuMemAlloc(&flag, 4));
    NEED(cuMemsetD32(flag, 0, 1));
    NEED(cuStreamSynchronize(NULL));
    NEED(cuStreamWaitValue32(stream, flag, 1, EQUAL));
    NEED(cuEventRecord(event, stream));
    give(socket, &handle, sizeof handle);
    take(socket, &turn, 1);
    NEED(cuMemsetD32Async(flag, 1, 1, other));
    NEED(cuStreamSynchronize(stream));
    return 0;
}

int main(int count, char **arguments) {
    int pair[2], status, code;
    char number[16];
    if (count == 3 && !strcmp(arguments[1], "new")) return export(atoi(arguments[2]), 1);
    int is_once = count == 2 && !strcmp(arguments[1], "once");
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return CANNOT_RUN;
    pid_t exporter = fork();
    if (exporter == 0) {
        close(pair[0]);
        if (!is_once) export(pair[1], 0);
        snprintf(number, sizeof number, "%d", pair[1]);
        execv("/proc/self/exe", (char *[]){arguments[0], "new", number, NULL});
        return CANNOT_RUN;
    }
    close(pair[1]);
    Handle handle;
    void *event;
    enter();
    if (!is_once) {
        take(pair[0], &handle, sizeof handle);
        NEED(cuIpcOpenEventHandle(&event, handle));
        NEED(cuEventDestroy(event));
        give(pair[0], "", 1);
    }
    take(pair[0], &handle, sizeof handle);
    NEED(cuIpcOpenEventHandle(&event, handle));
    code = cuEventQuery(event);
    give(pair[0], "", 1);
    if (waitpid(exporter, &status, 0) != exporter || status) return CANNOT_RUN;
    printf("importer: cuEventQuery returned %d before the work was done, expected %d\n", code, NOT_READY);
    return code == NOT_READY ? 0 : code == SUCCESS ? 1 : CANNOT_RUN;
}
