// Code that all kernels share. nvcc includes CUDA's headers. clang compiles without them, so the names
// needed from them are defined here. Special registers and atomics are inline PTX for both compilers.
#pragma once

#ifdef __CUDACC__
#include <stdint.h>
#else
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
#endif

// The word that `fill` writes at index i and `verify` expects there.
static inline __device__ uint32_t pattern(uint32_t seed, uint64_t i) {
    return seed ^ ((uint32_t) i * 0x9E3779B9u);
}

// The index of this thread in its one-dimensional grid.
static inline __device__ uint64_t thread_index() {
    uint32_t block, threads_per_block, thread;
    asm("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(threads_per_block));
    asm("mov.u32 %0, %%tid.x;" : "=r"(thread));
    return (uint64_t) block * threads_per_block + thread;
}

// The number of threads in the one-dimensional grid, which is the stride of a loop over all words.
static inline __device__ uint64_t thread_count() {
    uint32_t blocks, threads_per_block;
    asm("mov.u32 %0, %%nctaid.x;" : "=r"(blocks));
    asm("mov.u32 %0, %%ntid.x;" : "=r"(threads_per_block));
    return (uint64_t) blocks * threads_per_block;
}
