/* Checks with a kernel that memory contains the pattern of a seed. */
static CUresult verify_pattern(CUdeviceptr words, unsigned long long count, unsigned seed) {
    unsigned long long wrong = 0;
    CUresult code = count_wrong_words(words, count, seed, &wrong);
    if (!code)
        holds(wrong == 0, "the memory contains its pattern");
    return code;
}
