#include "device.cuh"

// Every thread adds `value` to `*counter` `rounds` times.
extern "C" __global__ void add(uint32_t *counter, uint32_t value, uint64_t rounds) {
    for (uint64_t round = 0; round < rounds; round++) {
        // System scope, because other devices and other processes add to the same counter.
        asm volatile("red.relaxed.sys.add.u32 [%0], %1;" : : "l"(counter), "r"(value) : "memory");
    }
}
