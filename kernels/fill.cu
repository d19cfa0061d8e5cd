#include "device.cuh"

// Writes the pattern of `seed` to `count` words.
extern "C" __global__ void fill(uint32_t *words, uint64_t count, uint32_t seed) {
    for (uint64_t i = thread_index(); i < count; i += thread_count()) {
        words[i] = pattern(seed, i);
    }
}
