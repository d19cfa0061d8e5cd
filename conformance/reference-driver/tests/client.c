/*
 * A program that shares memory and an event between two processes. It needs no CUDA header and no Rust: it declares its
 * part of the driver's interface itself. Its first argument names the library that it loads as the driver.
 *
 *   client LIBRARY          exports, starts itself as the importer, checks what the importer wrote; prints "ok"
 *   client LIBRARY import   the importer that the form above starts, on standard input and output
 *   client LIBRARY export   writes the two handles to standard output and sleeps until it is killed
 *   client LIBRARY watch    reads two handles, opens the memory, prints "open", waits for a line, reads; prints "ok"
 *
 * If a call fails, the program prints a line that names the call and exits with 1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct { char reserved[64]; } CUipcMemHandle;
typedef struct { char reserved[64]; } CUipcEventHandle;
typedef void (*CUhostFn)(void *);

enum {
    NOT_READY = 600,
    STREAM_NON_BLOCKING = 1,
    EVENT_DISABLE_TIMING = 2,
    EVENT_INTERPROCESS = 4,
    MEM_LAZY_ENABLE_PEER_ACCESS = 1,
};

/* Name, exported name, parameters. */
#define FUNCTIONS(F) \
    F(cuInit, "cuInit", (unsigned)) \
    F(cuGetErrorName, "cuGetErrorName", (CUresult, const char **)) \
    F(cuDeviceGet, "cuDeviceGet", (CUdevice *, int)) \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice)) \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (CUdevice)) \
    F(cuCtxSetCurrent, "cuCtxSetCurrent", (CUcontext)) \
    F(cuCtxSynchronize, "cuCtxSynchronize", (void)) \
    F(cuMemAlloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t)) \
    F(cuMemFree, "cuMemFree_v2", (CUdeviceptr)) \
    F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t)) \
    F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t)) \
    F(cuMemsetD32Async, "cuMemsetD32Async", (CUdeviceptr, unsigned, size_t, CUstream)) \
    F(cuStreamCreate, "cuStreamCreate", (CUstream *, unsigned)) \
    F(cuStreamDestroy, "cuStreamDestroy_v2", (CUstream)) \
    F(cuLaunchHostFunc, "cuLaunchHostFunc", (CUstream, CUhostFn, void *)) \
    F(cuEventCreate, "cuEventCreate", (CUevent *, unsigned)) \
    F(cuEventDestroy, "cuEventDestroy_v2", (CUevent)) \
    F(cuEventRecord, "cuEventRecord", (CUevent, CUstream)) \
    F(cuEventQuery, "cuEventQuery", (CUevent)) \
    F(cuEventSynchronize, "cuEventSynchronize", (CUevent)) \
    F(cuIpcGetMemHandle, "cuIpcGetMemHandle", (CUipcMemHandle *, CUdeviceptr)) \
    F(cuIpcOpenMemHandle, "cuIpcOpenMemHandle_v2", (CUdeviceptr *, CUipcMemHandle, unsigned)) \
    F(cuIpcCloseMemHandle, "cuIpcCloseMemHandle", (CUdeviceptr)) \
    F(cuIpcGetEventHandle, "cuIpcGetEventHandle", (CUipcEventHandle *, CUevent)) \
    F(cuIpcOpenEventHandle, "cuIpcOpenEventHandle", (CUevent *, CUipcEventHandle))

#define DECLARE(name, exported, parameters) static CUresult (*name) parameters;
FUNCTIONS(DECLARE)

/* Both handles, in one message. */
struct Handles {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

enum { WORDS = 1 << 16 };
static const uint32_t OLD = 0x01010101, NEW = 0xC0FFEE11, ANSWER = 0x5EED5EED;
static const char *role = "exporter";

static _Noreturn void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "client, %s: ", role);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    exit(1);
}

static void expect(CUresult code, CUresult wanted, const char *call) {
    if (code == wanted) return;
    const char *name = NULL;
    cuGetErrorName(code, &name);
    fail("%s: %s (%d), expected %d", call, name ? name : "code without a name", code, wanted);
}

#define CALL(call) expect(call, 0, #call)

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail("dlopen: %s", dlerror());
#define LOAD(name, exported, parameters) \
    *(void **)&name = dlsym(library, exported); \
    if (!name) fail("dlsym: %s", dlerror());
    FUNCTIONS(LOAD)
}

static void enter_primary_context(void) {
    CUdevice device;
    CUcontext context;
    CALL(cuInit(0));
    CALL(cuDeviceGet(&device, 0));
    CALL(cuDevicePrimaryCtxRetain(&context, device));
    CALL(cuCtxSetCurrent(context));
}

static void leave_primary_context(void) {
    CALL(cuCtxSetCurrent(NULL));
    CALL(cuDevicePrimaryCtxRelease(0));
}

static void send_all(int descriptor, const void *bytes, size_t size) {
    for (const char *next = bytes; size;) {
        ssize_t sent = write(descriptor, next, size);
        if (sent < 0) fail("write: %s", strerror(errno));
        next += sent, size -= sent;
    }
}

static void receive_all(int descriptor, void *bytes, size_t size) {
    for (char *next = bytes; size;) {
        ssize_t received = read(descriptor, next, size);
        if (received < 0) fail("read: %s", strerror(errno));
        if (received == 0) fail("the other process ended early");
        next += received, size -= received;
    }
}

static void store(CUdeviceptr memory, uint32_t word) {
    static uint32_t words[WORDS];
    for (size_t index = 0; index < WORDS; index++) words[index] = word;
    CALL(cuMemcpyHtoD(memory, words, sizeof words));
    CALL(cuCtxSynchronize());
}

static void check(CUdeviceptr memory, uint32_t word) {
    static uint32_t words[WORDS];
    CALL(cuMemcpyDtoH(words, memory, sizeof words));
    for (size_t index = 0; index < WORDS; index++)
        if (words[index] != word) fail("word %zu is %08x, expected %08x", index, words[index], word);
}

/* A host function for a stream: work enqueued behind it waits until the gate is open. */
static atomic_int gate_is_open;

static void wait_at_the_gate(void *unused) {
    (void)unused;
    while (!atomic_load(&gate_is_open)) usleep(100);
}

/* Starts this program again as the importer. Between fork and exec the child makes no CUDA call: it would fail. */
static pid_t start_importer(const char *library, int *to_child, int *from_child) {
    int down[2], up[2];
    if (pipe(down) || pipe(up)) fail("pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0) fail("fork: %s", strerror(errno));
    if (child == 0) {
        dup2(down[0], 0), dup2(up[1], 1);
        close(down[0]), close(down[1]), close(up[0]), close(up[1]);
        execl("/proc/self/exe", "client", library, "import", (char *)NULL);
        _exit(127);
    }
    close(down[0]), close(up[1]);
    *to_child = down[1], *from_child = up[0];
    return child;
}

static void share(const char *library) {
    CUdeviceptr memory;
    CUstream stream;
    CUevent event;
    struct Handles handles;
    enter_primary_context();
    CALL(cuMemAlloc(&memory, WORDS * sizeof(uint32_t)));
    CALL(cuStreamCreate(&stream, STREAM_NON_BLOCKING));
    CALL(cuEventCreate(&event, EVENT_DISABLE_TIMING | EVENT_INTERPROCESS));
    CALL(cuIpcGetMemHandle(&handles.memory, memory));
    CALL(cuIpcGetEventHandle(&handles.event, event));

    store(memory, OLD);
    CALL(cuLaunchHostFunc(stream, wait_at_the_gate, NULL));
    CALL(cuMemsetD32Async(memory, NEW, WORDS, stream));
    CALL(cuEventRecord(event, stream));
    expect(cuEventQuery(event), NOT_READY, "cuEventQuery(event) before the gate opens");

    int to_child, from_child, status;
    char reached;
    pid_t child = start_importer(library, &to_child, &from_child);
    send_all(to_child, &handles, sizeof handles);
    receive_all(from_child, &reached, 1);
    atomic_store(&gate_is_open, 1);

    if (waitpid(child, &status, 0) != child) fail("waitpid: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status)) fail("the importer ended with wait status %#x, expected 0", status);
    CALL(cuEventSynchronize(event));
    check(memory, ANSWER);

    CALL(cuEventDestroy(event));
    CALL(cuStreamDestroy(stream));
    CALL(cuMemFree(memory));
    leave_primary_context();
    puts("ok");
}

static void import(void) {
    CUdeviceptr memory;
    CUevent event;
    struct Handles handles;
    role = "importer";
    receive_all(0, &handles, sizeof handles);
    enter_primary_context();
    CALL(cuIpcOpenMemHandle(&memory, handles.memory, MEM_LAZY_ENABLE_PEER_ACCESS));
    CALL(cuIpcOpenEventHandle(&event, handles.event));
    check(memory, OLD);
    expect(cuEventQuery(event), NOT_READY, "cuEventQuery(event) before the gate opens");
    send_all(1, "!", 1);

    CALL(cuEventSynchronize(event));
    CALL(cuEventQuery(event));
    check(memory, NEW);
    store(memory, ANSWER);

    CALL(cuEventDestroy(event));
    CALL(cuIpcCloseMemHandle(memory));
    leave_primary_context();
}

static void export_and_sleep(void) {
    CUdeviceptr memory;
    CUevent event;
    struct Handles handles;
    enter_primary_context();
    CALL(cuMemAlloc(&memory, WORDS * sizeof(uint32_t)));
    store(memory, NEW);
    CALL(cuEventCreate(&event, EVENT_DISABLE_TIMING | EVENT_INTERPROCESS));
    CALL(cuIpcGetMemHandle(&handles.memory, memory));
    CALL(cuIpcGetEventHandle(&handles.event, event));
    send_all(1, &handles, sizeof handles);
    pause();
}

static void watch(void) {
    CUdeviceptr memory;
    struct Handles handles;
    char line;
    role = "watcher";
    receive_all(0, &handles, sizeof handles);
    enter_primary_context();
    CALL(cuIpcOpenMemHandle(&memory, handles.memory, MEM_LAZY_ENABLE_PEER_ACCESS));
    send_all(1, "open\n", 5);
    receive_all(0, &line, 1);
    check(memory, NEW);
    store(memory, ANSWER);
    check(memory, ANSWER);
    CALL(cuIpcCloseMemHandle(memory));
    leave_primary_context();
    puts("ok");
}

int main(int count, char **arguments) {
    /* SIGALRM ends a call that does not return. */
    alarm(30);
    if (count < 2) fail("usage: client LIBRARY [import | export | watch]");
    const char *what = count > 2 ? arguments[2] : "share";
    load(arguments[1]);
    if (!strcmp(what, "share")) share(arguments[1]);
    else if (!strcmp(what, "import")) import();
    else if (!strcmp(what, "export")) export_and_sleep();
    else if (!strcmp(what, "watch")) watch();
    else fail("unknown mode `%s`; expected import, export or watch", what);
    return 0;
}
