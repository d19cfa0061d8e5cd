/* The pattern of a seed: what the kernel `fill` writes. */
static uint32_t pattern(uint32_t seed, uint64_t index) { return seed ^ (uint32_t)index * 0x9E3779B9u; }
__attribute__((unused)) static void write_pattern(void *memory, uint64_t words, uint32_t seed) {
    for (uint64_t index = 0; index < words; index++)
        ((volatile uint32_t *)memory)[index] = pattern(seed, index);
}
__attribute__((unused)) static uint64_t wrong_words(const void *memory, uint64_t words, uint32_t seed) {
    uint64_t wrong = 0;
    for (uint64_t index = 0; index < words; index++)
        wrong += ((const volatile uint32_t *)memory)[index] != pattern(seed, index);
    return wrong;
}
