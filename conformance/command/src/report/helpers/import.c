/* Imports memory from a descriptor, and compares it with the pattern of a seed. Returns 0 if all of it works. */
static int import_and_verify(int device, int descriptor, size_t size, uint32_t seed) {
    CUcontext context;
    CUmemGenericAllocationHandle memory;
    CUdeviceptr pointer;
    CUmemAccessDesc access = { { 1, device }, 3 };
    void *words = buffer(size);
    CUresult code = cuInit(0);
    code = code ? code : cuDevicePrimaryCtxRetain(&context, device);
    code = code ? code : cuCtxSetCurrent(context);
    code = code ? code : cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)descriptor, 1);
    code = code ? code : cuMemAddressReserve(&pointer, size, 0, 0, 0);
    code = code ? code : cuMemMap(pointer, size, 0, memory, 0);
    code = code ? code : cuMemSetAccess(pointer, size, &access, 1);
    code = code ? code : cuMemcpyDtoH(words, pointer, size);
    return code || wrong_words(words, size / 4, seed);
}
