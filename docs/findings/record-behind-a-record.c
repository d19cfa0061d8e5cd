/*
 * what follows the record waits for the work before an earlier record of the event
 *
 * IPCEVT-043: A record overwrites the earlier one: the event then stands for the work of the last record's
 * stream alone.
 * Recorded from the case ipcevt::record::a_record_replaces_a_pending_one/it=WorkBehindIt,is_imported=false of
 * the conformance suite,
 * on NVIDIA 580.159.04 (CUDA 13.0) on 1 × NVIDIA H100 80GB HBM3, suite 0.1.0.
 *
 *   gcc record-behind-a-record.c -ldl -o record-behind-a-record && ./record-behind-a-record
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
#include <time.h>
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
static CUresult (*cuCtxGetCurrent)(CUcontext *pctx);
static CUresult (*cuCtxSetCurrent)(CUcontext ctx);
static CUresult (*cuDeviceGetCount)(int *count);
static CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev);
static CUresult (*cuEventCreate)(CUevent *phEvent, unsigned int Flags);
static CUresult (*cuEventQuery)(CUevent hEvent);
static CUresult (*cuEventRecord)(CUevent hEvent, CUstream hStream);
static CUresult (*cuEventSynchronize)(CUevent hEvent);
static CUresult (*cuGetErrorName)(CUresult error, const char **pStr);
static CUresult (*cuInit)(unsigned int Flags);
static CUresult (*cuIpcGetEventHandle)(CUipcEventHandle *pHandle, CUevent event);
static CUresult (*cuIpcOpenEventHandle)(CUevent *phEvent, CUipcEventHandle handle);
static CUresult (*cuLaunchKernel)(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
static CUresult (*cuMemGetInfo)(size_t *free, size_t *total);
static CUresult (*cuMemHostAlloc)(void **pp, size_t bytesize, unsigned int Flags);
static CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr *pdptr, void *p, unsigned int Flags);
static CUresult (*cuModuleGetFunction)(CUfunction *hfunc, CUmodule hmod, const char *name);
static CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
static CUresult (*cuStreamCreate)(CUstream *phStream, unsigned int Flags);
static CUresult (*cuStreamSynchronize)(CUstream hStream);
static CUcontext primary_context;

#ifndef SECONDS
/* The seconds that the program may take. A call that is running then counts as a hang. */
#define SECONDS 60
#endif
/* The memory of the GPU of the recorded run. */
#define MEMORY 85017493504ULL
enum { GPUS = 1 };

/* A process ends with REFUSED if the driver refused what a bug would allow, and with ALONE if another one is gone. */
enum { BEHAVES = 0, MISBEHAVES = 1, CANNOT_RUN = 77, REFUSED = 78, ALONE = 79 };
enum { ANY_ERROR = -1, END = -2 };
#define KiB (1ULL << 10)
#define MiB (1ULL << 20)

/* The processes. The parent calls no driver: it forks, sends signals, waits, and looks at what processes leave. */
enum { PARENT, EXPORTER, IMPORTER, PROCESSES };
static const char *const names[] = { "parent", "exporter", "importer" };

static int self;
/* Whether this is not the only thread of its process that calls the driver. */
static _Thread_local int is_thread;
/* How many GPUs this process must see. */
static int gpus = GPUS;
static int sockets[PROCESSES][PROCESSES];
static pid_t *processes;
static int is_gone[PROCESSES];
/* The call that each process makes, for the parent to name if the process dies in it. */
static const char *volatile *calls;

/* Whether a process has found that the driver misbehaves. The parent needs this: the process can take long to end. */
static int *has_found;

/* Prints one line and ends the process. */
static void end(int code, const char *format, ...) {
    static int is_ending;
    /* Several threads can find something. The first one says what, and its exit ends the others. */
    while (__atomic_exchange_n(&is_ending, 1, __ATOMIC_SEQ_CST))
        pause();
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s\n", text);
    fflush(stdout);
    if (has_found && code == MISBEHAVES)
        *has_found = 1;
    _exit(code);
}

static const char *name_of(CUresult code) {
    const char *name = NULL;
    return cuGetErrorName && cuGetErrorName(code, &name) == 0 && name ? name : "unknown";
}

/* A call that must succeed. */
__attribute__((unused)) static void must_succeed(const char *call, CUresult code) {
    size_t free, total;
    if (code == 2 && !cuMemGetInfo(&free, &total) && total < MEMORY)
        end(CANNOT_RUN, "cannot run: %s: %s returned %s (2), and the GPU of the recorded run has more memory",
            names[self], call, name_of(code));
    if (code)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected CUDA_SUCCESS", names[self], call, name_of(code), (int)code);
    if (!is_thread)
        calls[self] = NULL;
}
#define succeeds(call) (calls[self] = #call, must_succeed(#call, (call)))

/* A call whose code is looked at afterwards. */
__attribute__((unused)) static CUresult tried(CUresult code) {
    calls[self] = NULL;
    return code;
}
#define tries(call) (calls[self] = #call, tried(call))

/* A call that must return one of some codes, or any error. */
__attribute__((unused)) static CUresult must_return(const char *call, CUresult code, const int *codes) {
    const int *one = codes;
    while (*one != END && *one != (int)code && !(*one == ANY_ERROR && code))
        one++;
    if (*one == END)
        end(MISBEHAVES, "%s: %s returned %s (%d), expected %s%s", names[self], call, name_of(code), (int)code,
            codes[0] == ANY_ERROR ? "an error" : name_of(codes[0]), codes[1] == END ? "" : " or another listed code");
    if (!is_thread)
        calls[self] = NULL;
    return code;
}
#define refuses(call, ...) (calls[self] = #call, must_return(#call, (call), (int[]){ __VA_ARGS__, END }))

/* A call that may return several codes. The program continues only as in the recorded run. If that run failed later, a
 * driver that goes another way behaves. */
__attribute__((unused)) static void must_take_the_path(const char *call, CUresult code, CUresult recorded) {
    (void)call;
    if (!code != !recorded)
        _exit(REFUSED);
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
    calls[self] = NULL;
    if (code)
        _exit(REFUSED);
}
#define reaches(call) (calls[self] = #call, must_be_refused(call))

/* A condition that must hold. */
#define holds(condition, text)                                                                                      \
    do {                                                                                                            \
        if (!(condition))                                                                                           \
            end(MISBEHAVES, "%s: %s: %s does not hold", names[self], text, #condition);                             \
    } while (0)
/* The same for a comparison of two numbers: says what was found and what was expected. */
__attribute__((unused)) static const char *in_words(const char *operator) {
    const char *const words[][2] = { { "!=", "another number than " }, { ">=", "at least " }, { "<=", "at most " },
                                     { ">", "more than " },             { "<", "less than " } };
    for (size_t one = 0; one < sizeof words / sizeof *words; one++)
        if (!strcmp(operator, words[one][0]))
            return words[one][1];
    return "";
}
#define compares(left, operator, right, text)                                                                       \
    do {                                                                                                            \
        if (!((left) operator (right)))                                                                             \
            end(MISBEHAVES, "%s: %s: %s is %lld, expected %s%lld", names[self], text, #left, (long long)(left),     \
                in_words(#operator), (long long)(right));                                                           \
    } while (0)
/* A condition that shows that a process reaches memory which was not shared with it. */
#define discloses(condition, text)                                                                                  \
    do {                                                                                                            \
        if (condition)                                                                                              \
            end(MISBEHAVES, "%s: %s", names[self], text);                                                           \
    } while (0)

/* The name of the call that a process makes while it exits: the handlers of a driver can crash or hang there. */
static const char leaving[] = "exit";

/* Ends the process as a return from main does. A driver can have handlers for that. */
static void leave(void) {
    calls[self] = leaving;
    exit(BEHAVES);
}

/* The other process is gone, so the parent has the result. */
static void alone(void) { _exit(ALONE); }

static void give(int to, const void *bytes, size_t length) {
    if (send(sockets[self][to], bytes, length, MSG_NOSIGNAL) != (ssize_t)length && self != PARENT)
        alone();
}
static void go_on(int other) { give(other, "", 1); }

static void lost(int process);
__attribute__((unused)) static void take(int from, void *bytes, size_t length) {
    if (recv(sockets[self][from], bytes, length, MSG_WAITALL) == (ssize_t)length)
        return;
    if (self != PARENT)
        alone();
    lost(from);
}
static void wait_for(int other) {
    char turn;
    take(other, &turn, 1);
}

/* What a process does after a step that others can wait for: an element for each such step. */
static const char no_call[1000][8] = { [0 ... 999] = "no call" };

/* Whether a process has ended this step or a later one. */
static int has_ended(int process, int step) {
    const char *call = calls[process];
    return call >= no_call[step] && call <= no_call[999];
}
/* Whether a process has still not ended this step after some milliseconds. */
static int still_waits(int process, int step, int milliseconds) {
    while (milliseconds-- && !has_ended(process, step))
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
    return !has_ended(process, step);
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
    cuCtxGetCurrent = symbol(library, "cuCtxGetCurrent");
    cuCtxSetCurrent = symbol(library, "cuCtxSetCurrent");
    cuDeviceGetCount = symbol(library, "cuDeviceGetCount");
    cuDevicePrimaryCtxRetain = symbol(library, "cuDevicePrimaryCtxRetain");
    cuEventCreate = symbol(library, "cuEventCreate");
    cuEventQuery = symbol(library, "cuEventQuery");
    cuEventRecord = symbol(library, "cuEventRecord");
    cuEventSynchronize = symbol(library, "cuEventSynchronize");
    cuGetErrorName = symbol(library, "cuGetErrorName");
    cuInit = symbol(library, "cuInit");
    cuIpcGetEventHandle = symbol(library, "cuIpcGetEventHandle");
    cuIpcOpenEventHandle = symbol(library, "cuIpcOpenEventHandle");
    cuLaunchKernel = symbol(library, "cuLaunchKernel");
    cuMemGetInfo = symbol(library, "cuMemGetInfo_v2");
    cuMemHostAlloc = symbol(library, "cuMemHostAlloc");
    cuMemHostGetDevicePointer = symbol(library, "cuMemHostGetDevicePointer_v2");
    cuModuleGetFunction = symbol(library, "cuModuleGetFunction");
    cuModuleLoadData = symbol(library, "cuModuleLoadData");
    cuStreamCreate = symbol(library, "cuStreamCreate");
    cuStreamSynchronize = symbol(library, "cuStreamSynchronize");
}

/* Loads the driver and makes the primary context of a device current. */
__attribute__((unused)) static void start(int device) {
    int count = 0;
    load();
    calls[self] = "cuInit(0)";
    CUresult code = cuInit(0);
    if (code)
        end(CANNOT_RUN, "cannot run: cuInit returned %s (%d)", name_of(code), (int)code);
    calls[self] = "cuDeviceGetCount(&count)";
    if (cuDeviceGetCount(&count) || count < gpus)
        end(CANNOT_RUN, "cannot run: %d GPUs are needed, and there are %d", gpus, count);
    calls[self] = "cuDevicePrimaryCtxRetain(&primary_context, device)";
    code = cuDevicePrimaryCtxRetain(&primary_context, device);
    if (!code) {
        calls[self] = "cuCtxSetCurrent(primary_context)";
        code = cuCtxSetCurrent(primary_context);
    }
    if (code)
        end(CANNOT_RUN, "cannot run: no context on device %d: %s (%d)", device, name_of(code), (int)code);
    calls[self] = NULL;
}

static void exporter(void) {
    CUevent event1 = NULL;
    CUipcEventHandle event_handle1;
    CUevent event3 = NULL;
    CUipcEventHandle event_handle2;
    CUstream stream1 = NULL;
    CUstream stream2 = NULL;
    void *host1 = NULL;
    CUdeviceptr pointer1 = 0;

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
    /* step 4: event_create */
    succeeds(cuEventCreate(&event3, 6));
    /* step 5: ipc_get_event_handle */
    memset(&event_handle2, 0xa5, sizeof event_handle2);
    succeeds(cuIpcGetEventHandle(&event_handle2, event3));
    give(IMPORTER, &event_handle2, sizeof event_handle2);

    wait_for(IMPORTER);
    /* step 7: stream_create */
    succeeds(cuStreamCreate(&stream1, 1));
    /* step 8: stream_create */
    succeeds(cuStreamCreate(&stream2, 1));
    /* step 9: mem_host_alloc */
    succeeds(cuMemHostAlloc(&host1, 4 * KiB, 3));
    *(volatile unsigned *)host1 = 0;
    /* step 11: mem_host_get_device_pointer */
    succeeds(cuMemHostGetDevicePointer(&pointer1, host1, 0));
    /* step 12: launch */
    succeeds(launch_latch(pointer1, 0, stream1));
    /* step 13: stream_synchronize */
    succeeds(cuStreamSynchronize(stream1));
    /* step 14: launch */
    succeeds(launch_latch(pointer1, 1, stream1));
    /* step 15: event_record */
    succeeds(cuEventRecord(event1, stream1));
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 17: event_record */
    succeeds(cuEventRecord(event1, stream2));
    /* step 18: event_record */
    succeeds(cuEventRecord(event3, stream2));
    go_on(IMPORTER);
}

static void importer(void) {
    CUevent event2 = NULL;
    CUipcEventHandle event_handle1;
    CUevent event4 = NULL;
    CUipcEventHandle event_handle2;

    wait_for(EXPORTER);
    start(0);
    go_on(EXPORTER);

    take(EXPORTER, &event_handle1, sizeof event_handle1);
    /* step 3: ipc_open_event_handle */
    succeeds(cuIpcOpenEventHandle(&event2, event_handle1));
    go_on(EXPORTER);

    take(EXPORTER, &event_handle2, sizeof event_handle2);
    /* step 6: ipc_open_event_handle */
    succeeds(cuIpcOpenEventHandle(&event4, event_handle2));
    go_on(EXPORTER);

    wait_for(EXPORTER);
    /* step 16: event_query */
    refuses(cuEventQuery(event2), 600);
    go_on(EXPORTER);

    wait_for(EXPORTER);
    go_on(PARENT);

    /* step 19: event_synchronize */
    succeeds(cuEventSynchronize(event4));
    calls[self] = no_call[1];
}

static const char *last_call_of(int process) { return calls[process] ? calls[process] : "no call"; }

static int is_in_a_call(int process) { return calls[process] && strncmp(calls[process], "no call", 7); }

/* Whether the driver refused what a bug would allow. */
static int has_refused;

/* Ends everything with a code that a process had, or that the parent found. */
static void conclude(int code) {
    alarm(0);
    for (int process = 1; process < PROCESSES; process++)
        if (processes[process] && !is_gone[process])
            kill(processes[process], SIGKILL);
    for (int tries = 0; tries < 3000 && waitpid(-1, NULL, WNOHANG) >= 0; tries++)
        nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
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
    switch (WEXITSTATUS(status)) {
    case MISBEHAVES:
    case CANNOT_RUN:
        conclude(WEXITSTATUS(status));
        break;
    case REFUSED:
        has_refused = 1;
        break;
    case ALONE:
        break;
    default:
        if (WEXITSTATUS(status) || (is_in_a_call(process) && calls[process] != leaving)) {
            printf("%s: exited with code %d in %s\n", names[process], WEXITSTATUS(status), last_call_of(process));
            fflush(stdout);
            conclude(MISBEHAVES);
        }
    }
}

/* Notes how a process has ended, if it has. */
static void look_after(int process) {
    int status;
    if (processes[process] && !is_gone[process] && waitpid(processes[process], &status, WNOHANG) == processes[process])
        ended(processes[process], status);
}

/* A process has ended before its turn was over: it has found something, or another one has. */
static void lost(int process) {
    const struct timespec millisecond = { 0, 1000000 };
    for (int tries = 0; !is_gone[process]; tries++) {
        look_after(process);
        /* Process 1 of a PID namespace ends only after the others in it have been waited for. */
        for (int other = 1; tries >= 1000 && other < PROCESSES; other++)
            look_after(other);
        nanosleep(&millisecond, NULL);
    }
    for (int tries = 0; tries < 1000; tries++) {
        for (int other = 1; other < PROCESSES; other++)
            look_after(other);
        nanosleep(&millisecond, NULL);
    }
    if (*has_found)
        conclude(MISBEHAVES);
    if (has_refused)
        printf("the driver behaves as expected\n");
    else
        printf("cannot tell: %s has ended early\n", names[process]);
    fflush(stdout);
    conclude(has_refused ? BEHAVES : CANNOT_RUN);
}

static void too_long(int signal) {
    (void)signal;
    if (*has_found)
        conclude(MISBEHAVES);
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process] && is_in_a_call(process)) {
            printf("%s: %s was still running %d seconds after the program began\n", names[process],
                   calls[process], SECONDS);
            fflush(stdout);
            conclude(MISBEHAVES);
        }
    printf("cannot tell: the processes have not ended after %d seconds\n", SECONDS);
    fflush(stdout);
    conclude(CANNOT_RUN);
}

static void make(int process, void (*run)(void)) {
    pid_t pid = fork();
    if (pid < 0)
        end(CANNOT_RUN, "cannot run: fork: %s", strerror(errno));
    if (pid) {
        processes[process] = pid;
        return;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    self = process;
    alarm(0);
    for (int one = 0; one < PROCESSES; one++)
        for (int other = 0; other < PROCESSES; other++)
            if (one != self && one != other)
                close(sockets[one][other]);
    run();
    /* What the process shares lives until the parent says that all have finished. */
    wait_for(PARENT);
    leave();
}

/* Ends everything where the recorded run failed: this driver does not fail there, and the rest of that run would not end. */
static void stop_here(void) {
    for (int process = 1; process < PROCESSES; process++)
        look_after(process);
    if (*has_found)
        conclude(MISBEHAVES);
    printf("the driver behaves as expected\n");
    fflush(stdout);
    conclude(BEHAVES);
}

int main(void) {
    has_found = mmap(NULL, sizeof *has_found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    calls = mmap(NULL, sizeof *calls * PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    processes = mmap(NULL, sizeof *processes * PROCESSES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
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

    int waits1;

    go_on(EXPORTER);

    wait_for(IMPORTER);
    waits1 = still_waits(IMPORTER, 1, 600);
    compares(waits1, ==, 0, "the wait has ended");
    stop_here();
    /* All have finished, or one has found something. */
    for (int process = 1; process < PROCESSES; process++)
        if (!is_gone[process])
            go_on(process);
    int status;
    pid_t pid;
    while ((pid = wait(&status)) > 0)
        ended(pid, status);
    alarm(0);
    printf("the driver behaves as expected\n");
    return BEHAVES;
}
