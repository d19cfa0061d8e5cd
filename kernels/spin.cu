#include "device.cuh"

// The device's clock in nanoseconds. It is volatile, so that every call reads the clock again.
static inline __device__ uint64_t now() {
    uint64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
}

// Keeps the thread busy for at least `nanoseconds`.
extern "C" __global__ void spin(uint64_t nanoseconds) {
    uint64_t start = now();
    while (now() - start < nanoseconds) {
    }
}
