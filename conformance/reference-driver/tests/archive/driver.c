/* Links libcuda and nothing else of CUDA or of this repository: it declares its part of the interface itself. Two
   processes share memory by a legacy handle. Prints the name of device 0 and the number of devices, then "shared". If a
   call fails, prints it with its code, and exits with 1. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct { char reserved[64]; } CUipcMemHandle;

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int length, int device);
int cuDevicePrimaryCtxRetain(CUcontext *context, int device);
int cuCtxSetCurrent(CUcontext context);
int cuMemAlloc_v2(CUdeviceptr *memory, size_t size);
int cuMemFree_v2(CUdeviceptr memory);
int cuMemsetD32_v2(CUdeviceptr memory, unsigned word, size_t count);
int cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t size);
int cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr memory);
int cuIpcOpenMemHandle_v2(CUdeviceptr *memory, CUipcMemHandle handle, unsigned flags);
int cuIpcCloseMemHandle(CUdeviceptr memory);

enum { WORDS = 1 << 16, EXPORTED = 0xe, IMPORTED = 0x1 };

static const char *role = "exporter";

static void expect(int is, int wanted, const char *what) {
    if (is == wanted) return;
    fprintf(stderr, "%s: %s: %d, expected %d\n", role, what, is, wanted);
    _exit(1);
}
#define CALL(call) expect(call, 0, #call)

static void enter(void) {
    CUcontext context;
    CALL(cuInit(0));
    CALL(cuDevicePrimaryCtxRetain(&context, 0));
    CALL(cuCtxSetCurrent(context));
}

static void check(CUdeviceptr memory, unsigned wanted) {
    static unsigned words[WORDS];
    CALL(cuMemcpyDtoH_v2(words, memory, sizeof words));
    for (int index = 0; index < WORDS; index++) expect(words[index], wanted, "a word of the memory");
}

static void import(int source) {
    CUipcMemHandle handle;
    CUdeviceptr memory;
    role = "importer";
    expect(read(source, &handle, sizeof handle), sizeof handle, "bytes of the handle");
    enter();
    CALL(cuIpcOpenMemHandle_v2(&memory, handle, 1));
    check(memory, EXPORTED);
    CALL(cuMemsetD32_v2(memory, IMPORTED, WORDS));
    check(memory, IMPORTED);
    CALL(cuIpcCloseMemHandle(memory));
}

int main(void) {
    CUipcMemHandle handle;
    CUdeviceptr memory;
    char name[128];
    int channel[2], count, status;
    alarm(60);
    /* The importer begins before this process calls CUDA: afterwards, a forked child could not. */
    if (pipe(channel)) return 1;
    pid_t importer = fork();
    if (importer == 0) {
        close(channel[1]);
        import(channel[0]);
        return 0;
    }
    close(channel[0]);
    enter();
    CALL(cuDeviceGetName(name, sizeof name, 0));
    CALL(cuDeviceGetCount(&count));
    printf("%s\n%d\n", name, count);
    CALL(cuMemAlloc_v2(&memory, WORDS * sizeof(unsigned)));
    CALL(cuMemsetD32_v2(memory, EXPORTED, WORDS));
    check(memory, EXPORTED);
    CALL(cuIpcGetMemHandle(&handle, memory));
    expect(write(channel[1], &handle, sizeof handle), sizeof handle, "bytes of the handle");
    expect(waitpid(importer, &status, 0), importer, "waitpid");
    expect(status, 0, "wait status of the importer");
    check(memory, IMPORTED);
    CALL(cuMemFree_v2(memory));
    puts("shared");
    return 0;
}
