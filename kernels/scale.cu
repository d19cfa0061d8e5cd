#include "device.cuh"

// Multiplies `count` words by `factor`, wrapping.
extern "C" __global__ void scale(uint32_t *words, uint64_t count, uint32_t factor) {
    for (uint64_t i = thread_index(); i < count; i += thread_count()) {
        words[i] *= factor;
    }
}
