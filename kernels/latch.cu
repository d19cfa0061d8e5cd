#include "device.cuh"

// Waits until `*flag` equals `value`.
extern "C" __global__ void latch(const volatile uint32_t *flag, uint32_t value) {
    uint32_t seen;
    do {
        // System scope, because the host or another process's device writes the flag. Acquire, so that
        // writes before the flag are visible after the wait.
        asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    } while (seen != value);
}
