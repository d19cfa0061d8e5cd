/* Exports memory into a handle that lies between bytes which the driver must not write. */
static CUresult export_between(CUdeviceptr pointer) {
    unsigned char memory[3 * sizeof(CUipcMemHandle)];
    size_t length = sizeof(CUipcMemHandle);
    memset(memory, 0xa5, sizeof memory);
    CUresult code = cuIpcGetMemHandle((CUipcMemHandle *)(memory + length), pointer);
    for (size_t place = 0; place < sizeof memory && !code; place++)
        holds(place / length == 1 || memory[place] == 0xa5, "the driver writes only the handle");
    return code;
}
