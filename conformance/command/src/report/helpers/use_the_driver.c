/* Uses the driver as every program does. Returns 0 if all of it works. */
static int use_the_driver(int device, int begins) {
    CUcontext context;
    CUdeviceptr pointer;
    unsigned char byte = 0;
    CUresult code = begins ? cuInit(0) : 0;
    code = code ? code : cuDevicePrimaryCtxRetain(&context, device);
    code = code ? code : cuCtxSetCurrent(context);
    code = code ? code : cuMemAlloc(&pointer, 2 * MiB);
    code = code ? code : cuMemsetD8(pointer, 7, 2 * MiB);
    code = code ? code : cuMemcpyDtoH(&byte, pointer + 2 * MiB - 1, 1);
    code = code ? code : cuMemFree(pointer);
    code = code ? code : cuCtxSetCurrent(NULL);
    code = code ? code : cuDevicePrimaryCtxRelease(device);
    return code || byte != 7;
}
