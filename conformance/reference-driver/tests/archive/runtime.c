/* Links libcudart and nothing else of CUDA or of this repository: it declares its part of the interface itself. Two
   processes share memory by a legacy handle. Prints the version of the driver, then "shared". If a call fails, prints it
   with its code, and exits with 1. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct { char reserved[64]; } cudaIpcMemHandle_t;

int cudaDriverGetVersion(int *version);
int cudaMalloc(void **memory, size_t size);
int cudaFree(void *memory);
int cudaMemset(void *memory, int byte, size_t size);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *memory);
int cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t handle, unsigned flags);
int cudaIpcCloseMemHandle(void *memory);

enum { SIZE = 1 << 18, EXPORTED = 0xe, IMPORTED = 0x1, DEVICE_TO_HOST = 2 };

static const char *role = "exporter";

static void expect(int is, int wanted, const char *what) {
    if (is == wanted) return;
    fprintf(stderr, "%s: %s: %d, expected %d\n", role, what, is, wanted);
    _exit(1);
}
#define CALL(call) expect(call, 0, #call)

static void check(void *memory, int wanted) {
    static char bytes[SIZE];
    CALL(cudaMemcpy(bytes, memory, SIZE, DEVICE_TO_HOST));
    for (int index = 0; index < SIZE; index++) expect(bytes[index], wanted, "a byte of the memory");
}

static void import(int source) {
    cudaIpcMemHandle_t handle;
    void *memory;
    role = "importer";
    expect(read(source, &handle, sizeof handle), sizeof handle, "bytes of the handle");
    CALL(cudaIpcOpenMemHandle(&memory, handle, 1));
    check(memory, EXPORTED);
    CALL(cudaMemset(memory, IMPORTED, SIZE));
    check(memory, IMPORTED);
    CALL(cudaIpcCloseMemHandle(memory));
}

int main(void) {
    cudaIpcMemHandle_t handle;
    void *memory;
    int channel[2], version, status;
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
    CALL(cudaDriverGetVersion(&version));
    printf("%d\n", version);
    CALL(cudaMalloc(&memory, SIZE));
    CALL(cudaMemset(memory, EXPORTED, SIZE));
    check(memory, EXPORTED);
    CALL(cudaIpcGetMemHandle(&handle, memory));
    expect(write(channel[1], &handle, sizeof handle), sizeof handle, "bytes of the handle");
    expect(waitpid(importer, &status, 0), importer, "waitpid");
    expect(status, 0, "wait status of the importer");
    check(memory, IMPORTED);
    CALL(cudaFree(memory));
    puts("shared");
    return 0;
}
