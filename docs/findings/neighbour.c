/*
 * A kernel of an importer reads and writes the neighbouring allocation of the exporter, which was never exported.
 *
 * IPCMEM-OPEN-025: Sub-allocations share one block, so opening allocation A may expose its neighbour B
 * (information disclosure).
 * Recorded from the case ipcmem::open::sharing::the_reach_of_a_small_import of the conformance suite,
 * on reference 0.1.0 (CUDA 13.0) on 2 × Reference device.
 *
 *   gcc neighbour.c -ldl -o neighbour && ./neighbour
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
typedef struct { unsigned char bytes[64]; } CUipcMemHandle;
typedef unsigned long long CUdeviceptr;
typedef void *CUfunction;
typedef void *CUstream;
typedef void *CUmodule;
static CUresult (*cuCtxGetCurrent)(CUcontext *pctx);
static CUresult (*cuCtxSetCurrent)(CUcontext ctx);
static CUresult (*cuCtxSynchronize)(void);
static CUresult (*cuDeviceGetCount)(int *count);
static CUresult (*cuDevicePrimaryCtxRetain)(CUcontext *pctx, CUdevice dev);
static CUresult (*cuGetErrorName)(CUresult error, const char **pStr);
static CUresult (*cuInit)(unsigned int Flags);
static CUresult (*cuIpcGetMemHandle)(CUipcMemHandle *pHandle, CUdeviceptr dptr);
static CUresult (*cuIpcOpenMemHandle)(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags);
static CUresult (*cuLaunchKernel)(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra);
static CUresult (*cuMemAlloc)(CUdeviceptr *dptr, size_t bytesize);
static CUresult (*cuMemFreeHost)(void *p);
static CUresult (*cuMemGetAddressRange)(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr);
static CUresult (*cuMemHostAlloc)(void **pp, size_t bytesize, unsigned int Flags);
static CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr *pdptr, void *p, unsigned int Flags);
static CUresult (*cuMemcpyDtoH)(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount);
static CUresult (*cuModuleGetFunction)(CUfunction *hfunc, CUmodule hmod, const char *name);
static CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
static CUresult (*cuStreamSynchronize)(CUstream hStream);
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

/* Host memory, which lives until the process ends. */
static void *buffer(size_t size) {
    void *memory = NULL;
    if (posix_memalign(&memory, 4096, size ? size : 1))
        end(CANNOT_RUN, "cannot run: no memory for %zu bytes", size);
    return memset(memory, 0, size);
}

static const char fill_ptx[] =
    "//\n"
    "// Generated by LLVM NVPTX Back-End\n"
    "//\n"
    "\n"
    ".version 6.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    "\n"
    "\t// .globl\tfill\n"
    "\n"
    ".visible .entry fill(\n"
    "\t.param .u64 fill_param_0,\n"
    "\t.param .u64 fill_param_1,\n"
    "\t.param .u32 fill_param_2\n"
    ")\n"
    "{\n"
    "\t.reg .pred \t%p<3>;\n"
    "\t.reg .b32 \t%r<9>;\n"
    "\t.reg .b64 \t%rd<15>;\n"
    "\n"
    "\tld.param.u32 \t%r1, [fill_param_2];\n"
    "\tld.param.u64 \t%rd6, [fill_param_1];\n"
    "\tld.param.u64 \t%rd7, [fill_param_0];\n"
    "\tcvta.to.global.u64 \t%rd1, %rd7;\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r2, %ctaid.x;\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r3, %ntid.x;\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r4, %tid.x;\n"
    "\t// end inline asm\n"
    "\tcvt.u64.u32 \t%rd2, %r3;\n"
    "\tmul.wide.u32 \t%rd8, %r3, %r2;\n"
    "\tcvt.u64.u32 \t%rd9, %r4;\n"
    "\tadd.s64 \t%rd14, %rd8, %rd9;\n"
    "\tsetp.ge.u64 \t%p1, %rd14, %rd6;\n"
    "\t@%p1 bra \tLBB0_1;\n"
    "LBB0_2:\n"
    "\tcvt.u32.u64 \t%r6, %rd14;\n"
    "\tmul.lo.s32 \t%r7, %r6, -1640531527;\n"
    "\txor.b32  \t%r8, %r7, %r1;\n"
    "\tshl.b64 \t%rd10, %rd14, 2;\n"
    "\tadd.s64 \t%rd11, %rd1, %rd10;\n"
    "\tst.global.u32 \t[%rd11], %r8;\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r5, %nctaid.x;\n"
    "\t// end inline asm\n"
    "\tcvt.u64.u32 \t%rd12, %r5;\n"
    "\tmul.lo.s64 \t%rd13, %rd12, %rd2;\n"
    "\tadd.s64 \t%rd14, %rd13, %rd14;\n"
    "\tsetp.lt.u64 \t%p2, %rd14, %rd6;\n"
    "\t@%p2 bra \tLBB0_2;\n"
    "LBB0_1:\n"
    "\tret;\n"
    "\n"
    "}\n";

static const char verify_ptx[] =
    "//\n"
    "// Generated by LLVM NVPTX Back-End\n"
    "//\n"
    "\n"
    ".version 6.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    "\n"
    "\t// .globl\tverify\n"
    "\n"
    ".visible .entry verify(\n"
    "\t.param .u64 verify_param_0,\n"
    "\t.param .u64 verify_param_1,\n"
    "\t.param .u32 verify_param_2,\n"
    "\t.param .u64 verify_param_3\n"
    ")\n"
    "{\n"
    "\t.reg .pred \t%p<5>;\n"
    "\t.reg .b32 \t%r<10>;\n"
    "\t.reg .b64 \t%rd<26>;\n"
    "\n"
    "\tld.param.u64 \t%rd9, [verify_param_1];\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r2, %ctaid.x;\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r3, %ntid.x;\n"
    "\t// end inline asm\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r4, %tid.x;\n"
    "\t// end inline asm\n"
    "\tmul.wide.u32 \t%rd13, %r3, %r2;\n"
    "\tcvt.u64.u32 \t%rd14, %r4;\n"
    "\tadd.s64 \t%rd24, %rd13, %rd14;\n"
    "\tsetp.ge.u64 \t%p1, %rd24, %rd9;\n"
    "\tmov.u64 \t%rd25, 0;\n"
    "\t@%p1 bra \tLBB0_3;\n"
    "\tld.param.u32 \t%r1, [verify_param_2];\n"
    "\tld.param.u64 \t%rd12, [verify_param_0];\n"
    "\tcvta.to.global.u64 \t%rd1, %rd12;\n"
    "\tcvt.u64.u32 \t%rd2, %r3;\n"
    "\tmov.u64 \t%rd25, 0;\n"
    "LBB0_2:\n"
    "\tshl.b64 \t%rd16, %rd24, 2;\n"
    "\tadd.s64 \t%rd17, %rd1, %rd16;\n"
    "\tld.global.u32 \t%r6, [%rd17];\n"
    "\tcvt.u32.u64 \t%r7, %rd24;\n"
    "\tmul.lo.s32 \t%r8, %r7, -1640531527;\n"
    "\txor.b32  \t%r9, %r8, %r1;\n"
    "\tsetp.ne.s32 \t%p2, %r6, %r9;\n"
    "\tselp.u64 \t%rd18, 1, 0, %p2;\n"
    "\tadd.s64 \t%rd25, %rd25, %rd18;\n"
    "\t// begin inline asm\n"
    "\tmov.u32 %r5, %nctaid.x;\n"
    "\t// end inline asm\n"
    "\tcvt.u64.u32 \t%rd19, %r5;\n"
    "\tmul.lo.s64 \t%rd20, %rd19, %rd2;\n"
    "\tadd.s64 \t%rd24, %rd20, %rd24;\n"
    "\tsetp.lt.u64 \t%p3, %rd24, %rd9;\n"
    "\t@%p3 bra \tLBB0_2;\n"
    "LBB0_3:\n"
    "\tsetp.eq.s64 \t%p4, %rd25, 0;\n"
    "\t@%p4 bra \tLBB0_5;\n"
    "\tld.param.u64 \t%rd21, [verify_param_3];\n"
    "\t// begin inline asm\n"
    "\tred.relaxed.sys.add.u64 [%rd21], %rd25;\n"
    "\t// end inline asm\n"
    "LBB0_5:\n"
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

static CUresult launch_fill(CUdeviceptr words, unsigned long long count, unsigned seed, CUstream stream) {
    void *parameters[] = { &words, &count, &seed };
    CUfunction function;
    CUresult code = load_kernel("fill", fill_ptx, &function);
    return code ? code : cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, parameters, NULL);
}

static CUresult launch_verify(CUdeviceptr words, unsigned long long count, unsigned seed, CUdeviceptr wrong, CUstream stream) {
    void *parameters[] = { &words, &count, &seed, &wrong };
    CUfunction function;
    CUresult code = load_kernel("verify", verify_ptx, &function);
    return code ? code : cuLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, stream, parameters, NULL);
}

/* Counts the words that a kernel reads and that differ from the pattern of a seed. */
static CUresult count_wrong_words(CUdeviceptr words, unsigned long long count, unsigned seed, unsigned long long *wrong) {
    void *counter;
    CUdeviceptr device_counter;
    CUresult code = cuMemHostAlloc(&counter, 8, 3);
    if (code)
        return code;
    *(volatile unsigned long long *)counter = 0;
    code = cuMemHostGetDevicePointer(&device_counter, counter, 0);
    code = code ? code : launch_verify(words, count, seed, device_counter, NULL);
    code = code ? code : cuStreamSynchronize(NULL);
    *wrong = *(volatile unsigned long long *)counter;
    CUresult freed = cuMemFreeHost(counter);
    return code ? code : freed;
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
    cuCtxSynchronize = symbol(library, "cuCtxSynchronize");
    cuDeviceGetCount = symbol(library, "cuDeviceGetCount");
    cuDevicePrimaryCtxRetain = symbol(library, "cuDevicePrimaryCtxRetain");
    cuGetErrorName = symbol(library, "cuGetErrorName");
    cuInit = symbol(library, "cuInit");
    cuIpcGetMemHandle = symbol(library, "cuIpcGetMemHandle");
    cuIpcOpenMemHandle = symbol(library, "cuIpcOpenMemHandle_v2");
    cuLaunchKernel = symbol(library, "cuLaunchKernel");
    cuMemAlloc = symbol(library, "cuMemAlloc_v2");
    cuMemFreeHost = symbol(library, "cuMemFreeHost");
    cuMemGetAddressRange = symbol(library, "cuMemGetAddressRange_v2");
    cuMemHostAlloc = symbol(library, "cuMemHostAlloc");
    cuMemHostGetDevicePointer = symbol(library, "cuMemHostGetDevicePointer_v2");
    cuMemcpyDtoH = symbol(library, "cuMemcpyDtoH_v2");
    cuModuleGetFunction = symbol(library, "cuModuleGetFunction");
    cuModuleLoadData = symbol(library, "cuModuleLoadData");
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
    int needed = getenv("CUDA_VISIBLE_DEVICES") ? device + 1 : GPUS;
    if (cuDeviceGetCount(&count) || count < needed)
        end(CANNOT_RUN, "cannot run: %d GPUs are needed, and there are %d", needed, count);
    calls[self] = "cuDevicePrimaryCtxRetain(&primary_context, device)";
    code = cuDevicePrimaryCtxRetain(&primary_context, device);
    if (!code)
        code = cuCtxSetCurrent(primary_context);
    if (code)
        end(CANNOT_RUN, "cannot run: no context on device %d: %s (%d)", device, name_of(code), (int)code);
    CUfunction fill;
    succeeds(load_kernel("fill", fill_ptx, &fill));
    CUfunction verify;
    succeeds(load_kernel("verify", verify_ptx, &verify));
    calls[self] = NULL;
}

static void exporter(void) {
    CUdeviceptr pointer1 = 0;
    CUdeviceptr pointer2 = 0;
    CUipcMemHandle handle1;
    CUdeviceptr pointer4 = 0;
    unsigned long long wrong_words3;

    wait_for(PARENT);
    start(0);
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 1: mem_alloc */
    succeeds(cuMemAlloc(&pointer1, 64 * KiB));
    /* step 2: mem_alloc */
    succeeds(cuMemAlloc(&pointer2, 64 * KiB));
    /* step 3: fill */
    succeeds(launch_fill(pointer2, 16384, 0xd70a880c, NULL));
    succeeds(cuCtxSynchronize());
    /* step 4: ipc_get_mem_handle */
    memset(&handle1, 0xa5, sizeof handle1);
    succeeds(cuIpcGetMemHandle(&handle1, pointer2));
    give(IMPORTER, &handle1, sizeof handle1);

    wait_for(IMPORTER);
    /* step 6: mem_alloc */
    succeeds(cuMemAlloc(&pointer4, 64 * KiB));
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 9: fill */
    succeeds(launch_fill(pointer4, 16384, 0x49213dc4, NULL));
    succeeds(cuCtxSynchronize());
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 11: fill */
    succeeds(launch_fill(pointer4, 16384, 0x89a92eb8, NULL));
    succeeds(cuCtxSynchronize());
    go_on(IMPORTER);

    wait_for(IMPORTER);
    /* step 14: mismatches */
    succeeds(count_wrong_words(pointer4, 16384, 0x89a92eb8, &wrong_words3));
    holds(wrong_words3 == 0, "a kernel of the importer writes the neighbouring allocation, which was never exported");
    go_on(PARENT);
}

static void importer(void) {
    CUdeviceptr pointer3 = 0;
    CUipcMemHandle handle1;
    unsigned long long wrong_words1;
    CUdeviceptr pointer5 = 0xffffffffffffffffULL;
    size_t size1 = 0xffffffffffffffffULL;
    unsigned char *read1;
    unsigned long long wrong_words2;

    wait_for(EXPORTER);
    start(0);
    go_on(EXPORTER);

    take(EXPORTER, &handle1, sizeof handle1);
    /* step 5: ipc_open_mem_handle */
    succeeds(cuIpcOpenMemHandle(&pointer3, handle1, 1));
    go_on(EXPORTER);

    wait_for(EXPORTER);
    /* step 7: mismatches */
    succeeds(count_wrong_words(pointer3, 16384, 0xd70a880c, &wrong_words1));
    holds(wrong_words1 == 0, "sacrifice.mismatches(import, size, pattern)? == 0");
    /* step 8: mem_get_address_range */
    succeeds(cuMemGetAddressRange(&pointer5, &size1, pointer3));
    go_on(EXPORTER);

    wait_for(EXPORTER);
    /* step 10: mismatches_by_copy */
    read1 = buffer(64 * KiB);
    takes_the_path(cuMemcpyDtoH(read1, pointer3 + 64 * KiB, 64 * KiB), 1);
    go_on(EXPORTER);

    wait_for(EXPORTER);
    /* step 12: mismatches */
    reaches(count_wrong_words(pointer3 + 64 * KiB, 16384, 0x89a92eb8, &wrong_words2));
    holds(wrong_words2 != 0, "a kernel of the importer reads the neighbouring allocation, which was never exported");
    /* step 13: fill */
    takes_the_path(launch_fill(pointer3 + 64 * KiB, 16384, 0x3b4fd270, NULL) ?: cuCtxSynchronize(), 0);
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

/* Waits until a process has ended by itself. */
__attribute__((unused)) static void until_gone(int process) {
    int status;
    if (waitpid(processes[process], &status, 0) == processes[process])
        ended(processes[process], status);
}

/* Kills a process. */
__attribute__((unused)) static void kill_process(int process) {
    int status;
    kill(processes[process], SIGKILL);
    if (waitpid(processes[process], &status, 0) != processes[process])
        return;
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        is_gone[process] = 1;
    else
        ended(processes[process], status);
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
    kill_process(IMPORTER);
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
