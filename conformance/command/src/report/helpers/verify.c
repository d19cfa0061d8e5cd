/* Counts the words that a kernel reads and that differ from the pattern of a seed. */
static CUresult count_wrong_words(CUdeviceptr words, unsigned long long count, unsigned seed, unsigned long long *wrong) {
    void *counter;
    CUdeviceptr device_counter;
    CUresult code = cuMemHostAlloc(&counter, 8, 3);
    if (code)
        return code;
    *(volatile unsigned long long *)counter = 0;
    code = cuMemHostGetDevicePointer(&device_counter, counter, 0);
    code = code ? code : launch_verify(words, count, seed, device_counter, NULL);
    code = code ? code : cuStreamSynchronize(NULL);
    *wrong = *(volatile unsigned long long *)counter;
    CUresult freed = cuMemFreeHost(counter);
    return code ? code : freed;
}
