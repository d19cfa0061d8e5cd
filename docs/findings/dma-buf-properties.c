/*
 * cuMemGetHandleForAddressRange returned CUDA_SUCCESS (0)
 *
 * DMABUF-004: A VMM range passed to cuMemGetHandleForAddressRange must be fully mapped, on one device, with
 * identical properties.
 * Recorded from the case dmabuf::a_vmm_range_needs_uniform_properties/other_properties of the conformance
 * suite,
 * on NVIDIA 580.159.04 (CUDA 13.0) on 1 × NVIDIA H200, suite 0.1.0.
 *
 *   gcc dma-buf-properties.c -ldl -o dma-buf-properties && ./dma-buf-properties
 *
 * Exits with 1 if the driver misbehaves, 0 if it behaves, 77 if this machine cannot run the program.
 * CUDA_IPC_DRIVER=PATH selects another library than libcuda.so.1.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the program uses of CUDA. */
typedef unsigned CUresult;
typedef void *CUcontext;
typedef int CUdevice;
typedef unsigned CUdevice_attribute;
typedef unsigned long long CUdeviceptr;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct { unsigned type; int id; } CUmemLocation;
typedef struct {
    unsigned type, requestedHandleTypes;
    CUmemLocation location;
    void *win32HandleMetaData;
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
} CUmemAllocationProp;
typedef unsigned CUmemRangeHandleType;
typedef struct { CUmemLocation location; unsigned flags; } CUmemAccessDesc;
static CUresult (*cuCtxSetCurrent)(CUcontext ctx);
static CUresult (*cuDeviceGetAttribute)(int *pi, CUdevice_attribute attrib, CUdevice dev);
static CUresult (*cuDeviceGetCount)(int *count);
static CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev);
static CUresult (*cuGetErrorName)(CUresult error, const char **pStr);
static CUresult (*cuInit)(unsigned int Flags);
static CUresult (*cuMemAddressReserve)(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags);
static CUresult (*cuMemCreate)(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop, unsigned long long flags);
static CUresult (*cuMemGetHandleForAddressRange)(void *handle, CUdeviceptr dptr, size_t size, CUmemRangeHandleType handleType, unsigned long long flags);
static CUresult (*cuMemMap)(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags);
static CUresult (*cuMemSetAccess)(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count);
static CUcontext primary_context;

enum { GPUS = 1, SECONDS = 60 };

enum { BEHAVES = 0, MISBEHAVES = 1, CANNOT_RUN = 77 };
enum { ANY_ERROR = -1, END = -2 };
#define KiB (1ULL << 10)
#define MiB (1ULL << 20)

/* The processes: the parent only forks, sends signals and waits. */
enum { PARENT, EXPORTER, PROCESSES };
static const char *const names[] = { "parent", "exporter" };

static int self;
static int sockets[PROCESSES][PROCESSES];
static pid_t processes[PROCESSES];
static int is_gone[PROCESSES];
/* The call that each process makes, for the parent to name if the process dies in it. */
static const char *volatile *calls;

/* Prints one line and ends the process. */
static void end(int code, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s\n", text);
    fflush(stdout);
    _exit(code);
}

static const char *name_of(CUresult code) {
    const char *name = NULL;
    return cuGetErrorName && cuGetErrorName(code, &name) == 0 && name ? name : "unknown";
}

/* A call that must succeed. */
__attribute__((unused)) static void must_succeed(const char *call, CUresult code) {
    if (code)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected CUDA_SUCCESS", names[self], call, name_of(code), (int)code);
    calls[self] = NULL;
}
#define succeeds(call) (calls[self] = #call, must_succeed(#call, (call)))

/* A call that must return one of some codes, or any error. */
__attribute__((unused)) static void must_return(const char *call, CUresult code, const int *codes) {
    const int *one = codes;
    while (*one != END && *one != (int)code && !(*one == ANY_ERROR && code))
        one++;
    if (*one == END)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected %s%s", names[self], call, name_of(code), (int)code,
            codes[0] == ANY_ERROR ? "an error" : name_of(codes[0]), codes[1] == END ? "" : " or another listed code");
    calls[self] = NULL;
}
#define refuses(call, ...) (calls[self] = #call, must_return(#call, (call), (int[]){ __VA_ARGS__, END }))

/* A call that may return several codes. The program continues only as in the recorded run. */
__attribute__((unused)) static void
must_take_the_path(const char *call, CUresult code, CUresult recorded) {
    if (!code != !recorded)
        end(CANNOT_RUN, "cannot tell: %s: %s returned %s (%d), and %s in the recorded run", names[self], call,
            name_of(code), (int)code, name_of(recorded));
    calls[self] = NULL;
}
#define takes_the_path(call, recorded) (calls[self] = #call, must_take_the_path(#call, (call), recorded))
#define returns(call, recorded, ...)                                                                                \
    do {                                                                                                            \
        calls[self] = #call;                                                                                        \
        CUresult code_ = (call);                                                                                    \
        must_return(#call, code_, (int[]){ recorded, __VA_ARGS__, END });                                           \
        must_take_the_path(#call, code_, recorded);                                                                 \
    } while (0)

/* A call that reaches memory which was not shared. If the driver refuses it, the driver behaves. */
__attribute__((unused)) static void must_be_refused(CUresult code) {
    if (code)
        _exit(BEHAVES);
    calls[self] = NULL;
}
#define reaches(call) (calls[self] = #call, must_be_refused(call))

/* A condition that must hold. */
#define holds(condition, text)                                                                                      \
    do {                                                                                                            \
        if (!(condition))                                                                                           \
            end(MISBEHAVES, "%s: %s: %s does not hold", names[self], text, #condition);                             \
    } while (0)

/* The other process is gone, so the parent has the result. */
static void alone(void) { _exit(BEHAVES); }

static void give(int to, const void *bytes, size_t length) {
    if (send(sockets[self][to], bytes, length, MSG_NOSIGNAL) != (ssize_t)length && self != PARENT)
        alone();
}
static void go_on(int other) { give(other, "", 1); }

__attribute__((unused)) static void take(int from, void *bytes, size_t length) {
    if (recv(sockets[self][from], bytes, length, MSG_WAITALL) != (ssize_t)length && self != PARENT)
        alone();
}
static void wait_for(int other) {
    char turn;
    take(other, &turn, 1);
}

static void *symbol(void *library, const char *name) {
    void *found = dlsym(library, name);
    if (!found)
        end(CANNOT_RUN, "cannot run: the driver has no %s", name);
    return found;
}

static void load(void) {
    const char *path = getenv("CUDA_IPC_DRIVER");
    void *library = dlopen(path ? path : "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!library)
        end(CANNOT_RUN, "cannot run: %s", dlerror());
    cuCtxSetCurrent = symbol(library, "cuCtxSetCurrent");
    cuDeviceGetAttribute = symbol(library, "cuDeviceGetAttribute");
    cuDeviceGetCount = symbol(library, "cuDeviceGetCount");
    cuDevicePrimaryCtxRetain = symbol(library, "cuDevicePrimaryCtxRetain");
    cuGetErrorName = symbol(library, "cuGetErrorName");
    cuInit = symbol(library, "cuInit");
    cuMemAddressReserve = symbol(library, "cuMemAddressReserve");
    cuMemCreate = symbol(library, "cuMemCreate");
    cuMemGetHandleForAddressRange = symbol(library, "cuMemGetHandleForAddressRange");
    cuMemMap = symbol(library, "cuMemMap");
    cuMemSetAccess = symbol(library, "cuMemSetAccess");
}

/* Loads the driver and makes the primary context of a device current. */
__attribute__((unused)) static void start(int device) {
    int count = 0;
    load();
    calls[self] = "cuInit(0)";
    CUresult code = cuInit(0);
    if (code)
        end(CANNOT_RUN, "cannot run: cuInit returned %s (%d)", name_of(code), (int)code);
    int needed = getenv("CUDA_VISIBLE_DEVICES") ? device + 1 : GPUS;
    if (cuDeviceGetCount(&count) || count < needed)
        end(CANNOT_RUN, "cannot run: %d GPUs are needed, and there are %d", needed, count);
    calls[self] = "cuDevicePrimaryCtxRetain(&primary_context, device)";
    code = cuDevicePrimaryCtxRetain(&primary_context, device);
    if (!code)
        code = cuCtxSetCurrent(primary_context);
    if (code)
        end(CANNOT_RUN, "cannot run: no context on device %d: %s (%d)", device, name_of(code), (int)code);
    calls[self] = NULL;
}

static void exporter(void) {
    int value1 = -2147483483;
    CUdeviceptr pointer1 = 0;
    CUmemGenericAllocationHandle memory1 = 0;
    CUmemGenericAllocationHandle memory2 = 0;
    int descriptor1 = -1;

    wait_for(PARENT);
    start(0);
    /* step 1: device_get_attribute */
    succeeds(cuDeviceGetAttribute(&value1, 124, 0));
    /* step 2: mem_address_reserve */
    succeeds(cuMemAddressReserve(&pointer1, 12 * MiB, 0, 0, 0));
    /* step 3: mem_create */
    succeeds(cuMemCreate(&memory1, 4 * MiB, &(CUmemAllocationProp){ .type = 1, .location = { 1, 0 } }, 0));
    /* step 4: mem_map */
    succeeds(cuMemMap(pointer1, 4 * MiB, 0, memory1, 0));
    /* step 5: mem_set_access */
    succeeds(cuMemSetAccess(pointer1, 4 * MiB, (CUmemAccessDesc[]){ { { 1, 0 }, 3 } }, 1));
    /* step 6: mem_create */
    succeeds(cuMemCreate(&memory2, 4 * MiB, &(CUmemAllocationProp){ .type = 1, .requestedHandleTypes = 1, .location = { 1, 0 } }, 0));
    /* step 7: mem_map */
    succeeds(cuMemMap(pointer1 + 4 * MiB, 4 * MiB, 0, memory2, 0));
    /* step 8: mem_set_access */
    succeeds(cuMemSetAccess(pointer1 + 4 * MiB, 4 * MiB, (CUmemAccessDesc[]){ { { 1, 0 }, 3 } }, 1));
    /* step 9: mem_get_dma_buf */
    refuses(cuMemGetHandleForAddressRange(&descriptor1, pointer1, 8 * MiB, 1, 0), ANY_ERROR);
    go_on(PARENT);
}

static const char *last_call_of(int process) { return calls[process] ? calls[process] : "no call"; }

/* Ends everything with a code that a process had, or that the parent found. */
static void conclude(int code) {
    for (int process = 1; process < PROCESSES; process++)
        if (processes[process] && !is_gone[process])
            kill(processes[process], SIGKILL);
    while (wait(NULL) > 0)
        ;
    exit(code);
}

/* A process has ended. */
static void ended(pid_t pid, int status) {
    int process = 1;
    while (process < PROCESSES && processes[process] != pid)
        process++;
    if (process == PROCESSES || is_gone[process])
        return;
    is_gone[process] = 1;
    if (WIFSIGNALED(status)) {
        printf("%s: killed by signal %d (%s) in %s\n", names[process], WTERMSIG(status), strsignal(WTERMSIG(status)),
               last_call_of(process));
        fflush(stdout);
        conclude(MISBEHAVES);
    }
    if (WEXITSTATUS(status))
        conclude(WEXITSTATUS(status));
}

static void too_long(int signal) {
    (void)signal;
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process] && calls[process]) {
            printf("%s: %s has not returned after %d seconds\n", names[process], calls[process], SECONDS);
            fflush(stdout);
            conclude(MISBEHAVES);
        }
    printf("cannot tell: the processes have not ended after %d seconds\n", SECONDS);
    fflush(stdout);
    conclude(CANNOT_RUN);
}

static void make(int process, void (*run)(void)) {
    processes[process] = fork();
    if (processes[process] < 0)
        end(CANNOT_RUN, "cannot run: fork: %s", strerror(errno));
    if (processes[process])
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(0);
    self = process;
    for (int one = 0; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (one != self && one != other)
                close(sockets[one][other]);
    run();
    /* What the process shares lives until the parent says that all have finished. */
    wait_for(PARENT);
    exit(BEHAVES);
}

int main(void) {
    calls = mmap(NULL, sizeof *calls * PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int one = 0; one < PROCESSES; one++)
        for (int other = one + 1; other < PROCESSES; other++) {
            int pair[2];
            if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
                end(CANNOT_RUN, "cannot run: socketpair: %s", strerror(errno));
            sockets[one][other] = pair[0];
            sockets[other][one] = pair[1];
        }
    make(EXPORTER, exporter);
    for (int one = 1; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (one != other)
                close(sockets[one][other]);
    signal(SIGALRM, too_long);
    alarm(SECONDS);

    go_on(EXPORTER);

    wait_for(EXPORTER);
    /* All have finished, or one has found something. */
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process])
            go_on(process);
    int status;
    pid_t pid;
    while ((pid = wait(&status)) > 0)
        ended(pid, status);
    printf("the driver behaves as expected\n");
    return BEHAVES;
}
