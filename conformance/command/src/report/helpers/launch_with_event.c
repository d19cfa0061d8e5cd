/* Launches a kernel that does nothing, with an event in an attribute of the launch. */
static CUresult launch_with_event(unsigned id, CUevent event, CUstream stream) {
    unsigned long long nanoseconds = 0;
    void *parameters[] = { &nanoseconds };
    CUlaunchAttribute attribute = { .id = id, .value.event.event = event };
    CUlaunchConfig config = { 1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1 };
    CUfunction function;
    CUresult code = load_kernel("spin", spin_ptx, &function);
    return code ? code : cuLaunchKernelEx(&config, function, parameters, NULL);
}
