    int version;
    calls[self] = "cuDriverGetVersion(&version)";
    if (!cuDriverGetVersion(&version) && (//OTHERS//))
        end(CANNOT_RUN, "cannot run: the case needs //NEEDED//, and the driver supports CUDA %d.%d",
            version / 1000, version % 1000 / 10);
    calls[self] = NULL;
