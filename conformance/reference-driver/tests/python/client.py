"""Uses the reference driver through NVIDIA's own Python bindings, as a real client of libcuda.

`client.py` is the exporter, and starts itself as the importer. It shares memory in three ways: with a legacy handle, as
virtual memory with a descriptor, and from a pool with a descriptor. Each time the importer checks the exporter's
pattern and writes another one, which the exporter checks.
"""

import os
import socket
import subprocess
import sys

from cuda.bindings import driver

SIZE = 4 << 20
FD = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
READ_WRITE = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
WAYS = ["legacy", "virtual memory", "pool"]


def call(function, *arguments):
    """Returns the outputs of a driver call, which must succeed."""
    code, *outputs = function(*arguments)
    if code != driver.CUresult.CUDA_SUCCESS:
        raise SystemExit(f"{function.__name__} returned {code.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def enter():
    call(driver.cuInit, 0)
    device = call(driver.cuDeviceGet, 0)
    call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, device))


def on_device(kind):
    """Returns a new structure of a kind, with device 0 as its location."""
    description = kind()
    description.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    description.location.id = 0
    return description


def write(pointer, pattern):
    call(driver.cuMemcpyHtoD, pointer, pattern, SIZE)
    call(driver.cuCtxSynchronize)


def expect(pointer, pattern, what):
    found = bytearray(SIZE)
    call(driver.cuMemcpyDtoH, found, pointer, SIZE)
    if bytes(found) != pattern:
        raise SystemExit(f"{what}: the bytes are not the ones that the other process wrote")


def map_physical(physical):
    address = call(driver.cuMemAddressReserve, SIZE, 0, 0, 0)
    call(driver.cuMemMap, address, SIZE, 0, physical, 0)
    access = on_device(driver.CUmemAccessDesc)
    access.flags = READ_WRITE
    call(driver.cuMemSetAccess, address, SIZE, [access], 1)
    return address


def export(way):
    """Exports memory: returns its address, and the bytes and the descriptors that the importer needs."""
    if way == "legacy":
        pointer = call(driver.cuMemAlloc, SIZE)
        return pointer, bytes(call(driver.cuIpcGetMemHandle, pointer).reserved), []
    if way == "virtual memory":
        wanted = on_device(driver.CUmemAllocationProp)
        wanted.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        wanted.requestedHandleTypes = FD
        physical = call(driver.cuMemCreate, SIZE, wanted, 0)
        return map_physical(physical), b"-", [int(call(driver.cuMemExportToShareableHandle, physical, FD, 0))]
    wanted = on_device(driver.CUmemPoolProps)
    wanted.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    wanted.handleTypes = FD
    pool = call(driver.cuMemPoolCreate, wanted)
    descriptor = int(call(driver.cuMemPoolExportToShareableHandle, pool, FD, 0))
    pointer = call(driver.cuMemAllocFromPoolAsync, SIZE, pool, 0)
    call(driver.cuStreamSynchronize, 0)
    return pointer, bytes(call(driver.cuMemPoolExportPointer, pointer).reserved), [descriptor]


def open_exported(way, data, descriptors):
    """Opens exported memory in this process, and returns its address."""
    if way == "legacy":
        handle = driver.CUipcMemHandle()
        handle.reserved = data
        return call(driver.cuIpcOpenMemHandle, handle, 1)
    if way == "virtual memory":
        return map_physical(call(driver.cuMemImportFromShareableHandle, descriptors[0], FD))
    pool = call(driver.cuMemPoolImportFromShareableHandle, descriptors[0], FD, 0)
    exported = driver.CUmemPoolPtrExportData()
    exported.reserved = data
    return call(driver.cuMemPoolImportPointer, pool, exported)


def pattern_of(seed):
    return bytes((seed + i) % 251 for i in range(251)) * (SIZE // 251) + bytes(SIZE % 251)


def exporter():
    ours, theirs = socket.socketpair()
    command = [sys.executable, __file__, str(theirs.fileno())]
    with subprocess.Popen(command, pass_fds=[theirs.fileno()]) as importer:
        theirs.close()
        enter()
        for way in WAYS:
            pointer, data, descriptors = export(way)
            write(pointer, pattern_of(1))
            socket.send_fds(ours, [data], descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
            if ours.recv(1) != b"+":
                raise SystemExit(f"{way}: the importer ended early")
            expect(pointer, pattern_of(2), way)
            print(f"{way}: ok")
        ours.close()
        if importer.wait() != 0:
            raise SystemExit("the importer failed")


def importer(descriptor):
    theirs = socket.socket(fileno=descriptor)
    enter()
    for way in WAYS:
        data, descriptors, _, _ = socket.recv_fds(theirs, 64, 1)
        pointer = open_exported(way, data, descriptors)
        for received in descriptors:
            os.close(received)
        expect(pointer, pattern_of(1), way)
        write(pointer, pattern_of(2))
        theirs.send(b"+")


def main():
    if len(sys.argv) == 2:
        importer(int(sys.argv[1]))
    else:
        exporter()


main()
