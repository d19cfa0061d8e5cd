/*
 * SIGSEGV in cuStreamWaitEvent
 *
 * IPCEVT-042: A stream may wait for an event of another context or device, be it an interprocess event or an
 * imported one.
 * Recorded from the case ipcevt::wait::a_stream_of_another_context_waits/in_the_exporter of the conformance
 * suite,
 * on NVIDIA 580.159.04 (CUDA 13.0) on 1 × NVIDIA H200, suite 0.1.0.
 *
 *   gcc wait-in-another-context.c -ldl -o wait-in-another-context && ./wait-in-another-context
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
typedef void *CUevent;
typedef void *CUstream;
typedef struct { unsigned char bytes[64]; } CUipcEventHandle;
typedef void *CUfunction;
typedef unsigned long long CUdeviceptr;
typedef void *CUmodule;
static CUresult (*cuCtxCreate)(CUcontext *pctx, unsigned int flags, CUdevice dev);
static CUresult (*cuCtxGetCurrent)(CUcontext *pctx);
static CUresult (*cuCtxPopCurrent)(CUcontext *pctx);
static CUresult (*cuCtxSetCurrent)(CUcontext ctx);
static CUresult (*cuDeviceGetCount)(int *count);
static CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev);
static CUresult (*cuEventCreate)(CUevent *phEvent, unsigned int Flags);
static CUresult (*cuEventRecord)(CUevent hEvent, CUstream hStream);
static CUresult (*cuGetErrorName)(CUresult error, const char **pStr);
static CUresult (*cuInit)(unsigned int Flags);
static CUresult (*cuIpcGetEventHandle)(CUipcEventHandle *pHandle, CUevent event);
static CUresult (*cuIpcOpenEventHandle)(CUevent *phEvent, CUipcEventHandle handle);
static CUresult (*cuLaunchKernel)(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
static CUresult (*cuMemHostAlloc)(void **pp, size_t bytesize, unsigned int Flags);
static CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr *pdptr, void *p, unsigned int Flags);
static CUresult (*cuModuleGetFunction)(CUfunction *hfunc, CUmodule hmod, const char *name);
static CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
static CUresult (*cuStreamCreate)(CUstream *phStream, unsigned int Flags);
static CUresult (*cuStreamSynchronize)(CUstream hStream);
static CUresult (*cuStreamWaitEvent)(CUstream hStream, CUevent hEvent, unsigned int Flags);
static CUcontext primary_context;

enum { GPUS = 1, SECONDS = 60 };

enum { BEHAVES = 0, MISBEHAVES = 1, CANNOT_RUN = 77 };
enum { ANY_ERROR = -1, END = -2 };
#define KiB (1ULL << 10)
#define MiB (1ULL << 20)

/* The processes: the parent only forks, sends signals and waits. */
enum { PARENT, EXPORTER, IMPORTER, PROCESSES };
static const char *const names[] = { "parent", "exporter", "importer" };

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

static const char latch_ptx[] =
    "//\n"
    "// Generated by LLVM NVPTX Back-End\n"
    "//\n"
    "\n"
    ".version 6.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    "\n"
    "\t// .globl\tlatch\n"
    "\n"
    ".visible .entry latch(\n"
    "\t.param .u64 latch_param_0,\n"
    "\t.param .u32 latch_param_1\n"
    ")\n"
    "{\n"
    "\t.reg .pred \t%p<2>;\n"
    "\t.reg .b32 \t%r<3>;\n"
    "\t.reg .b64 \t%rd<3>;\n"
    "\n"
    "\tld.param.u32 \t%r1, [latch_param_1];\n"
    "\tld.param.u64 \t%rd2, [latch_param_0];\n"
    "LBB0_1:\n"
    "\t// begin inline asm\n"
    "\tld.acquire.sys.u32 %r2, [%rd2];\n"
    "\t// end inline asm\n"
    "\tsetp.ne.s32 \t%p1, %r2, %r1;\n"
    "\t@%p1 bra \tLBB0_1;\n"
    "\tret;\n"
    "\n"
    "}\n";

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

static CUresult launch_latch(CUdeviceptr flag, unsigned value, CUstream stream) {
    void *parameters[] = { &flag, &value };
    CUfunction function;
    CUresult code = load_kernel("latch", latch_ptx, &function);
    return code ? code : cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
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
    cuCtxCreate = symbol(library, "cuCtxCreate_v2");
    cuCtxGetCurrent = symbol(library, "cuCtxGetCurrent");
    cuCtxPopCurrent = symbol(library, "cuCtxPopCurrent_v2");
    cuCtxSetCurrent = symbol(library, "cuCtxSetCurrent");
    cuDeviceGetCount = symbol(library, "cuDeviceGetCount");
    cuDevicePrimaryCtxRetain = symbol(library, "cuDevicePrimaryCtxRetain");
    cuEventCreate = symbol(library, "cuEventCreate");
    cuEventRecord = symbol(library, "cuEventRecord");
    cuGetErrorName = symbol(library, "cuGetErrorName");
    cuInit = symbol(library, "cuInit");
    cuIpcGetEventHandle = symbol(library, "cuIpcGetEventHandle");
    cuIpcOpenEventHandle = symbol(library, "cuIpcOpenEventHandle");
    cuLaunchKernel = symbol(library, "cuLaunchKernel");
    cuMemHostAlloc = symbol(library, "cuMemHostAlloc");
    cuMemHostGetDevicePointer = symbol(library, "cuMemHostGetDevicePointer_v2");
    cuModuleGetFunction = symbol(library, "cuModuleGetFunction");
    cuModuleLoadData = symbol(library, "cuModuleLoadData");
    cuStreamCreate = symbol(library, "cuStreamCreate");
    cuStreamSynchronize = symbol(library, "cuStreamSynchronize");
    cuStreamWaitEvent = symbol(library, "cuStreamWaitEvent");
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
    CUevent event1 = NULL;
    CUipcEventHandle event_handle1;
    CUstream stream1 = NULL;
    void *host1 = NULL;
    CUdeviceptr pointer1 = 0;
    CUcontext context1 = NULL;
    CUcontext context2 = NULL;
    CUcontext context3 = NULL;
    CUstream stream2 = NULL;

    wait_for(PARENT);
    start(0);
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 1: event_create */
    succeeds(cuEventCreate(&event1, 6));
    /* step 2: ipc_get_event_handle */
    memset(&event_handle1, 0xa5, sizeof event_handle1);
    succeeds(cuIpcGetEventHandle(&event_handle1, event1));
    give(IMPORTER, &event_handle1, sizeof event_handle1);

    wait_for(IMPORTER);
    /* step 4: stream_create */
    succeeds(cuStreamCreate(&stream1, 1));
    /* step 5: mem_host_alloc */
    succeeds(cuMemHostAlloc(&host1, 4 * KiB, 3));
    *(volatile unsigned *)host1 = 0;
    /* step 6: mem_host_get_device_pointer */
    succeeds(cuMemHostGetDevicePointer(&pointer1, host1, 0));
    /* step 7: launch */
    succeeds(launch_latch(pointer1, 0, stream1));
    /* step 8: stream_synchronize */
    succeeds(cuStreamSynchronize(stream1));
    /* step 9: launch */
    succeeds(launch_latch(pointer1, 1, stream1));
    /* step 10: event_record */
    succeeds(cuEventRecord(event1, stream1));
    /* step 11: ctx_get_current */
    succeeds(cuCtxGetCurrent(&context1));
    /* step 12: ctx_create */
    succeeds(cuCtxCreate(&context2, 0, 0));
    succeeds(cuCtxPopCurrent(&context3));
    succeeds(cuCtxSetCurrent(context3));
    /* step 13: stream_create */
    succeeds(cuStreamCreate(&stream2, 1));
    /* step 14: stream_wait_event */
    succeeds(cuStreamWaitEvent(stream2, event1, 0));
    go_on(PARENT);
}

static void importer(void) {
    CUevent event2 = NULL;
    CUipcEventHandle event_handle1;

    wait_for(EXPORTER);
    start(0);
    go_on(EXPORTER);

    take(EXPORTER, &event_handle1, sizeof event_handle1);
    /* step 3: ipc_open_event_handle */
    succeeds(cuIpcOpenEventHandle(&event2, event_handle1));
    go_on(EXPORTER);
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
    make(IMPORTER, importer);
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
