/* The part of the driver's interface that the probe needs. The probe uses no CUDA header. */
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long long Pointer;
typedef unsigned long long Physical;
typedef void *Object;
typedef struct { unsigned char bytes[64]; } Handle;
typedef struct { int type, id; } Location;
typedef struct {
    int type, handle_types;
    Location location;
    void *windows;
    struct { unsigned char compression, rdma; unsigned short usage; unsigned char reserved[4]; } flags;
} Properties;
typedef struct { Location location; int flags; } Access;
typedef struct {
    int type, handle_types;
    Location location;
    void *windows;
    size_t max_size;
    unsigned char reserved[56];
} PoolProperties;

enum { FILE_DESCRIPTOR = 1, FABRIC = 8, PINNED = 1, DEVICE = 1, READ = 1, READ_WRITE = 3, LAZY_PEER_ACCESS = 1 };
enum { MINIMUM = 0, RECOMMENDED = 1, LEGACY_CAPABLE = 10 };
enum { MIB = 1 << 20, BLOCK = 4 * MIB };
enum { DISABLE_TIMING = 2, INTERPROCESS = 4, NON_BLOCKING = 1, WAIT_EQUAL = 1 };

/* Name, exported name, parameters. */
#define FUNCTIONS(F) \
    F(cuInit, "cuInit", (unsigned)) \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int *)) \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int)) \
    F(cuDeviceGetUuid, "cuDeviceGetUuid", (void *, int)) \
    F(cuDeviceGetUuid_v2, "cuDeviceGetUuid_v2", (void *, int)) \
    F(cuGetExportTable, "cuGetExportTable", (const void **, const void *)) \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (Object *, int)) \
    F(cuCtxCreate, "cuCtxCreate_v2", (Object *, unsigned, int)) \
    F(cuCtxCreate_v3, "cuCtxCreate_v3", (Object *, void *, int, unsigned, int)) \
    F(cuCtxCreate_v4, "cuCtxCreate_v4", (Object *, void *, unsigned, int)) \
    F(cuCtxDestroy, "cuCtxDestroy_v2", (Object)) \
    F(cuCtxGetApiVersion, "cuCtxGetApiVersion", (Object, unsigned *)) \
    F(cuCtxGetId, "cuCtxGetId", (Object, unsigned long long *)) \
    F(cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", (int *, int *)) \
    F(cuCtxSetCurrent, "cuCtxSetCurrent", (Object)) \
    F(cuCtxSynchronize, "cuCtxSynchronize", (void)) \
    F(cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", (Object, unsigned)) \
    F(cuStreamCreate, "cuStreamCreate", (Object *, unsigned)) \
    F(cuStreamDestroy, "cuStreamDestroy_v2", (Object)) \
    F(cuStreamQuery, "cuStreamQuery", (Object)) \
    F(cuStreamSynchronize, "cuStreamSynchronize", (Object)) \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", (Object, Object, unsigned)) \
    F(cuStreamAddCallback, "cuStreamAddCallback", (Object, void (*)(Object, int, void *), void *, unsigned)) \
    F(cuStreamAttachMemAsync, "cuStreamAttachMemAsync", (Object, Pointer, size_t, unsigned)) \
    F(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (Object, int)) \
    F(cuStreamEndCapture, "cuStreamEndCapture", (Object, Object *)) \
    F(cuStreamIsCapturing, "cuStreamIsCapturing", (Object, int *)) \
    F(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", \
        (Object, int *, unsigned long long *, Object *, const Object **, size_t *)) \
    F(cuStreamWriteValue32, "cuStreamWriteValue32_v2", (Object, Pointer, unsigned, unsigned)) \
    F(cuLaunchHostFunc, "cuLaunchHostFunc", (Object, void (*)(void *), void *)) \
    F(cuGraphCreate, "cuGraphCreate", (Object *, unsigned)) \
    F(cuGraphGetNodes, "cuGraphGetNodes", (Object, Object *, size_t *)) \
    F(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags", (Object *, Object, unsigned long long)) \
    F(cuGraphLaunch, "cuGraphLaunch", (Object, Object)) \
    F(cuModuleLoad, "cuModuleLoad", (Object *, const char *)) \
    F(cuModuleLoadData, "cuModuleLoadData", (Object *, const void *)) \
    F(cuModuleLoadDataEx, "cuModuleLoadDataEx", (Object *, const void *, unsigned, int *, void **)) \
    F(cuModuleUnload, "cuModuleUnload", (Object)) \
    F(cuModuleGetFunction, "cuModuleGetFunction", (Object *, Object, const char *)) \
    F(cuLaunchKernel, "cuLaunchKernel", \
        (Object, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Object, void **, void **)) \
    F(cuModuleGetGlobal, "cuModuleGetGlobal_v2", (Pointer *, size_t *, Object, const char *)) \
    F(cuLibraryLoadData, "cuLibraryLoadData", \
        (Object *, const void *, int *, void **, unsigned, int *, void **, unsigned)) \
    F(cuLibraryLoadFromFile, "cuLibraryLoadFromFile", \
        (Object *, const char *, int *, void **, unsigned, int *, void **, unsigned)) \
    F(cuLibraryUnload, "cuLibraryUnload", (Object)) \
    F(cuLibraryGetKernel, "cuLibraryGetKernel", (Object *, Object, const char *)) \
    F(cuLibraryGetKernelCount, "cuLibraryGetKernelCount", (unsigned *, Object)) \
    F(cuLibraryGetModule, "cuLibraryGetModule", (Object *, Object)) \
    F(cuLibraryGetGlobal, "cuLibraryGetGlobal", (Pointer *, size_t *, Object, const char *)) \
    F(cuProfilerStart, "cuProfilerStart", (void)) \
    F(cuProfilerStop, "cuProfilerStop", (void)) \
    F(cuStreamWaitValue32, "cuStreamWaitValue32_v2", (Object, Pointer, unsigned, unsigned)) \
    F(cuMemAlloc, "cuMemAlloc_v2", (Pointer *, size_t)) \
    F(cuMemAllocPitch, "cuMemAllocPitch_v2", (Pointer *, size_t *, size_t, size_t, unsigned)) \
    F(cuMemAllocHost, "cuMemAllocHost_v2", (void **, size_t)) \
    F(cuMemHostRegister, "cuMemHostRegister_v2", (void *, size_t, unsigned)) \
    F(cuMemAllocManaged, "cuMemAllocManaged", (Pointer *, size_t, unsigned)) \
    F(cuMemAllocAsync, "cuMemAllocAsync", (Pointer *, size_t, Object)) \
    F(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", (Pointer *, size_t, Object, Object)) \
    F(cuMemFree, "cuMemFree_v2", (Pointer)) \
    F(cuMemFreeAsync, "cuMemFreeAsync", (Pointer, Object)) \
    F(cuMemFreeHost, "cuMemFreeHost", (void *)) \
    F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *)) \
    F(cuMemGetAddressRange, "cuMemGetAddressRange_v2", (Pointer *, size_t *, Pointer)) \
    F(cuPointerGetAttribute, "cuPointerGetAttribute", (void *, int, Pointer)) \
    F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (Pointer, const void *, size_t)) \
    F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, Pointer, size_t)) \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (Pointer, const void *, size_t, Object)) \
    F(cuMemcpyDtoD, "cuMemcpyDtoD_v2", (Pointer, Pointer, size_t)) \
    F(cuMemcpy, "cuMemcpy", (Pointer, Pointer, size_t)) \
    F(cuMemcpyPeer, "cuMemcpyPeer", (Pointer, Object, Pointer, Object, size_t)) \
    F(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", (Pointer, Object, Pointer, Object, size_t, Object)) \
    F(cuMemsetD8, "cuMemsetD8_v2", (Pointer, unsigned char, size_t)) \
    F(cuMemsetD8Async, "cuMemsetD8Async", (Pointer, unsigned char, size_t, Object)) \
    F(cuIpcGetMemHandle, "cuIpcGetMemHandle", (Handle *, Pointer)) \
    F(cuIpcOpenMemHandle, "cuIpcOpenMemHandle_v2", (Pointer *, Handle, unsigned)) \
    F(cuIpcCloseMemHandle, "cuIpcCloseMemHandle", (Pointer)) \
    F(cuEventCreate, "cuEventCreate", (Object *, unsigned)) \
    F(cuEventDestroy, "cuEventDestroy_v2", (Object)) \
    F(cuEventRecord, "cuEventRecord", (Object, Object)) \
    F(cuEventQuery, "cuEventQuery", (Object)) \
    F(cuEventSynchronize, "cuEventSynchronize", (Object)) \
    F(cuEventElapsedTime, "cuEventElapsedTime", (float *, Object, Object)) \
    F(cuIpcGetEventHandle, "cuIpcGetEventHandle", (Handle *, Object)) \
    F(cuIpcOpenEventHandle, "cuIpcOpenEventHandle", (Object *, Handle)) \
    F(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity", (size_t *, const Properties *, int)) \
    F(cuMemAddressReserve, "cuMemAddressReserve", (Pointer *, size_t, size_t, Pointer, unsigned long long)) \
    F(cuMemAddressFree, "cuMemAddressFree", (Pointer, size_t)) \
    F(cuMemCreate, "cuMemCreate", (Physical *, size_t, const Properties *, unsigned long long)) \
    F(cuMemRelease, "cuMemRelease", (Physical)) \
    F(cuMemMap, "cuMemMap", (Pointer, size_t, size_t, Physical, unsigned long long)) \
    F(cuMemUnmap, "cuMemUnmap", (Pointer, size_t)) \
    F(cuMemSetAccess, "cuMemSetAccess", (Pointer, size_t, const Access *, size_t)) \
    F(cuMemExportToShareableHandle, "cuMemExportToShareableHandle", (void *, Physical, int, unsigned long long)) \
    F(cuMemImportFromShareableHandle, "cuMemImportFromShareableHandle", (Physical *, void *, int)) \
    F(cuMemGetAllocationPropertiesFromHandle, "cuMemGetAllocationPropertiesFromHandle", (Properties *, Physical)) \
    F(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", (Object *, int)) \
    F(cuMemPoolCreate, "cuMemPoolCreate", (Object *, const PoolProperties *)) \
    F(cuMemPoolDestroy, "cuMemPoolDestroy", (Object)) \
    F(cuMemPoolSetAccess, "cuMemPoolSetAccess", (Object, const Access *, size_t)) \
    F(cuMemPoolExportToShareableHandle, "cuMemPoolExportToShareableHandle", \
        (void *, Object, int, unsigned long long)) \
    F(cuMemPoolImportFromShareableHandle, "cuMemPoolImportFromShareableHandle", \
        (Object *, void *, int, unsigned long long)) \
    F(cuMemPoolExportPointer, "cuMemPoolExportPointer", (Handle *, Pointer)) \
    F(cuMemPoolImportPointer, "cuMemPoolImportPointer", (Pointer *, Object, Handle *))

#define DECLARE(name, exported, parameters) extern int (*name) parameters;
FUNCTIONS(DECLARE)
#undef DECLARE

/* Loads the library and resolves every function. Ends the process if one is missing. */
void load(const char *path);

/* Makes a call that the following ones depend on. Ends the process if it fails. */
#define NEED(call) \
    do { \
        int code_ = (call); \
        if (code_) { \
            fprintf(stderr, "probe: %s returned %d\n", #call, code_); \
            exit(2); \
        } \
    } while (0)

/* Makes the primary context of a device current, and returns it. */
Object enter(int device);
