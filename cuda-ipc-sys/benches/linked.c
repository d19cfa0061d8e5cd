/* Measures the calls of benches/calls.rs from a C program that is linked with the driver:
   cc -O2 -o linked linked.c -lcuda && ./linked
   The functions are declared here, so that only the driver's library is needed and no toolkit. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuCtxSetCurrent(void *context);
int cuMemAlloc_v2(unsigned long long *pointer, size_t size);
int cuIpcGetMemHandle(void *handle, unsigned long long pointer);

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void check(int code) {
    if (code) {
        fprintf(stderr, "a driver call failed with error %d\n", code);
        exit(1);
    }
}

/* The best of 20 rounds, in nanoseconds per call. */
#define MEASURE(calls, call)                                                  \
    ({                                                                        \
        double best = 1e9;                                                    \
        for (int round = 0; round < 20; round++) {                            \
            double start = seconds();                                         \
            for (int i = 0; i < (calls); i++) call;                           \
            double each = (seconds() - start) / (calls) * 1e9;                \
            if (each < best) best = each;                                     \
        }                                                                     \
        best;                                                                 \
    })

int main(void) {
    void *context;
    int version;
    unsigned long long memory;
    char handle[64];
    check(cuInit(0));
    check(cuDevicePrimaryCtxRetain(&context, 0));
    check(cuCtxSetCurrent(context));
    check(cuMemAlloc_v2(&memory, 2 << 20));
    check(cuIpcGetMemHandle(handle, memory));
    printf("cuDriverGetVersion: linked %.2f ns\n", MEASURE(1000000, cuDriverGetVersion(&version)));
    printf("cuIpcGetMemHandle: linked %.2f ns\n", MEASURE(100000, cuIpcGetMemHandle(handle, memory)));
}
