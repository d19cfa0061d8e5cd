"""The packages of with_python.py: how each one opens memory, makes memory, and works on it with kernels."""

import contextlib
import os
from pathlib import Path

from cuda.bindings import driver
from cuda_ipc_ticket import READ_WRITE, Chunk, Exporter, LegacyMemory, PhysicalMemory, PoolPointer, Ticket

WORDS = 1 << 20
SIZE = WORDS * 4
EXPORTED, IMPORTED = 0x0123_4567, 0x89AB_CDEF
KERNELS = Path(__file__).resolve().parents[3] / "kernels"
DESCRIPTOR = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
ME = Exporter.current()


class Unable(Exception):
    """The package cannot be used with this driver."""


def call(function, *arguments):
    """Returns the outputs of a driver call, which must succeed."""
    code, *outputs = function(*arguments)
    if code != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{function.__name__} returned {code.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def ticket_of(pointer, handle, whole=None):
    """Returns a ticket of WORDS words at an address, which this process allocated."""
    device = call(driver.cuCtxGetDevice)
    base, size = whole or map(int, call(driver.cuMemGetAddressRange, pointer))
    generation = call(
        driver.cuPointerGetAttribute, driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_BUFFER_ID, pointer
    )
    uuid, version = bytes(call(driver.cuDeviceGetUuid, device).bytes), call(driver.cuDriverGetVersion)
    return Ticket(ME, uuid, version, handle, size, int(pointer) - base, SIZE, int(generation))


def pattern(seed):
    import numpy

    return numpy.uint32(seed) ^ (numpy.arange(WORDS, dtype=numpy.uint32) * numpy.uint32(0x9E37_79B9))


class Bindings:
    """NVIDIA's bindings, with the kernels of this workspace."""

    kinds = ("legacy", "virtual", "pool")

    def __init__(self):
        call(driver.cuInit, 0)
        self.device = call(driver.cuDeviceGet, 0)
        call(driver.cuCtxSetCurrent, call(driver.cuDevicePrimaryCtxRetain, self.device))

    def words(self, pointer):
        return PtxWords(pointer)

    def open(self, ticket, descriptors):
        """Returns a context manager of the words that a ticket shares."""
        if isinstance(ticket.handle, LegacyMemory):
            return self.open_legacy(ticket)
        if isinstance(ticket.handle, PoolPointer):
            return self.open_pool(ticket, descriptors)
        return self.open_virtual(ticket, descriptors)

    def make(self, kind):
        """Returns a context manager of words, their ticket, and its descriptors."""
        return {"legacy": self.make_legacy, "virtual": self.make_virtual, "pool": self.make_pool}[kind]()

    @contextlib.contextmanager
    def open_legacy(self, ticket):
        handle = driver.CUipcMemHandle()
        handle.reserved = ticket.handle.handle
        flags = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS.value
        base = call(driver.cuIpcOpenMemHandle, handle, flags)
        yield self.words(int(base) + ticket.offset)
        call(driver.cuIpcCloseMemHandle, base)

    @contextlib.contextmanager
    def make_legacy(self):
        pointer = call(driver.cuMemAlloc, SIZE)
        with self.legacy_of(int(pointer)) as made:
            yield made
        call(driver.cuMemFree, pointer)

    @contextlib.contextmanager
    def legacy_of(self, pointer):
        handle = LegacyMemory(bytes(call(driver.cuIpcGetMemHandle, pointer).reserved))
        yield self.words(pointer), ticket_of(pointer, handle), []

    @contextlib.contextmanager
    def open_virtual(self, ticket, descriptors):
        [chunk] = ticket.handle.chunks
        memory = call(driver.cuMemImportFromShareableHandle, descriptors[chunk.handle], DESCRIPTOR)
        address = self.map(memory, chunk.size)
        yield self.words(int(address) + ticket.offset)
        self.unmap(memory, address, chunk.size)

    @contextlib.contextmanager
    def make_virtual(self):
        properties = on_device(driver.CUmemAllocationProp)
        properties.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.requestedHandleTypes = DESCRIPTOR
        minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
        unit = call(driver.cuMemGetAllocationGranularity, properties, minimum)
        size = -(-SIZE // unit) * unit
        memory = call(driver.cuMemCreate, size, properties, 0)
        address = self.map(memory, size)
        with self.virtual_of(int(address), size, unit, memory) as made:
            yield made
        self.unmap(memory, address, size)

    @contextlib.contextmanager
    def virtual_of(self, pointer, size, unit, memory):
        descriptor = call(driver.cuMemExportToShareableHandle, memory, DESCRIPTOR, 0)
        handle = PhysicalMemory(unit, READ_WRITE, (Chunk(size, 0),))
        yield self.words(pointer), ticket_of(pointer, handle, (pointer, size)), [int(descriptor)]
        os.close(int(descriptor))

    def map(self, memory, size):
        address = call(driver.cuMemAddressReserve, size, 0, 0, 0)
        call(driver.cuMemMap, address, size, 0, memory, 0)
        access = on_device(driver.CUmemAccessDesc)
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        call(driver.cuMemSetAccess, address, size, [access], 1)
        return address

    def unmap(self, memory, address, size):
        call(driver.cuMemUnmap, address, size)
        call(driver.cuMemAddressFree, address, size)
        call(driver.cuMemRelease, memory)

    @contextlib.contextmanager
    def open_pool(self, ticket, descriptors):
        pool = call(
            driver.cuMemPoolImportFromShareableHandle, descriptors[ticket.handle.pool_handle], DESCRIPTOR, 0
        )
        data = driver.CUmemPoolPtrExportData()
        data.reserved = ticket.handle.pointer
        pointer = call(driver.cuMemPoolImportPointer, pool, data)
        # The memory of a pool begins at the pointer.
        yield self.words(int(pointer) + ticket.offset)
        call(driver.cuMemFree, pointer)
        call(driver.cuMemPoolDestroy, pool)

    @contextlib.contextmanager
    def make_pool(self):
        properties = on_device(driver.CUmemPoolProps)
        properties.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        properties.handleTypes = DESCRIPTOR
        pool = call(driver.cuMemPoolCreate, properties)
        pointer = call(driver.cuMemAllocFromPoolAsync, SIZE, pool, 0)
        call(driver.cuCtxSynchronize)
        descriptor = int(call(driver.cuMemPoolExportToShareableHandle, pool, DESCRIPTOR, 0))
        data = bytes(call(driver.cuMemPoolExportPointer, pointer).reserved)
        with self.pool_of(int(pointer), descriptor, data) as made:
            yield made
        os.close(descriptor)
        call(driver.cuMemFree, pointer)
        call(driver.cuMemPoolDestroy, pool)

    @contextlib.contextmanager
    def pool_of(self, pointer, descriptor, data):
        yield self.words(pointer), ticket_of(pointer, PoolPointer(1, data, 0), (pointer, SIZE)), [descriptor]


def on_device(kind):
    """Returns a new structure of a kind, with device 0 as its location."""
    description = kind()
    description.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    description.location.id = 0
    return description


class PtxWords:
    """Words on which the kernels of this workspace work."""

    def __init__(self, pointer):
        self.pointer = pointer

    def launch(self, name, *arguments):
        module = call(driver.cuModuleLoadData, (KERNELS / f"{name}.ptx").read_bytes() + b"\0")
        function = call(driver.cuModuleGetFunction, module, name.encode())
        values, kinds = zip(*arguments)
        call(driver.cuLaunchKernel, function, 1024, 1, 1, 256, 1, 1, 0, 0, (values, kinds), 0)
        call(driver.cuCtxSynchronize)
        call(driver.cuModuleUnload, module)

    def fill(self, seed):
        from ctypes import c_uint32, c_uint64, c_void_p

        self.launch("fill", (self.pointer, c_void_p), (WORDS, c_uint64), (seed, c_uint32))

    def expect(self, seed):
        from ctypes import c_uint32, c_uint64, c_void_p

        counter = call(driver.cuMemAlloc, 8)
        call(driver.cuMemsetD8, counter, 0, 8)
        self.launch(
            "verify", (self.pointer, c_void_p), (WORDS, c_uint64), (seed, c_uint32), (int(counter), c_void_p)
        )
        found = bytearray(8)
        call(driver.cuMemcpyDtoH, found, counter, 8)
        call(driver.cuMemFree, counter)
        assert found == bytes(8), f"{int.from_bytes(found, 'little')} words are not those of cuda-ipc"


class Core(Bindings):
    """cuda.core: pools with its own calls, and virtual memory that its resource allocated. It has no call that imports
    virtual memory."""

    kinds = ("virtual", "pool")

    def __init__(self):
        import cuda.core

        self.core = cuda.core
        self.own = cuda.core.Device(0)
        self.own.set_current()

    @contextlib.contextmanager
    def open_pool(self, ticket, descriptors):
        from cuda.core._memory._ipc import IPCBufferDescriptor

        descriptor = descriptors[ticket.handle.pool_handle]
        pool = self.core.DeviceMemoryResource.from_allocation_handle(self.own, descriptor)
        named = IPCBufferDescriptor._init(ticket.handle.pointer, ticket.length)
        buffer = self.core.Buffer.from_ipc_descriptor(pool, named, stream=self.own.default_stream)
        yield self.words(int(buffer.handle) + ticket.offset)
        buffer.close(self.own.default_stream)
        call(driver.cuCtxSynchronize)
        pool.close()

    @contextlib.contextmanager
    def make_pool(self):
        options = self.core.DeviceMemoryResourceOptions(ipc_enabled=True)
        pool = self.core.DeviceMemoryResource(self.own, options)
        buffer = pool.allocate(SIZE, stream=self.own.default_stream)
        call(driver.cuCtxSynchronize)
        data = bytes(buffer.ipc_descriptor.__reduce__()[1][0])
        with self.pool_of(int(buffer.handle), int(pool.allocation_handle), data) as made:
            yield made
        buffer.close(self.own.default_stream)
        pool.close()

    @contextlib.contextmanager
    def make_virtual(self):
        options = self.core.VirtualMemoryResourceOptions(handle_type="posix_fd")
        buffer = self.core.VirtualMemoryResource(self.own, options).allocate(SIZE, stream=self.own.default_stream)
        pointer = int(buffer.handle)
        memory = call(driver.cuMemRetainAllocationHandle, pointer)
        with self.virtual_of(pointer, buffer.size, buffer.size & -buffer.size, memory) as made:
            yield made
        call(driver.cuMemRelease, memory)
        buffer.close(self.own.default_stream)


class Cupy(Bindings):
    """CuPy: legacy handles with its own calls."""

    kinds = ("legacy",)

    def __init__(self):
        import cupy

        self.cupy = cupy
        try:
            cupy.arange(2).sum().item()
        except Exception as error:
            raise Unable(f"CuPy cannot compute: {error}") from error

    def words(self, pointer):
        memory = self.cupy.cuda.UnownedMemory(pointer, SIZE, self)
        array = self.cupy.ndarray(WORDS, self.cupy.uint32, self.cupy.cuda.MemoryPointer(memory, 0))
        return ArrayWords(array, self.cupy.asarray, lambda one, other: bool((one == other).all()))

    @contextlib.contextmanager
    def open_legacy(self, ticket):
        runtime = self.cupy.cuda.runtime
        base = runtime.ipcOpenMemHandle(ticket.handle.handle)
        yield self.words(base + ticket.offset)
        runtime.deviceSynchronize()
        runtime.ipcCloseMemHandle(base)

    @contextlib.contextmanager
    def make_legacy(self):
        # From CuPy's own pool, so it is a part of a larger allocation.
        array = self.cupy.zeros(WORDS, dtype=self.cupy.uint32)
        handle = LegacyMemory(self.cupy.cuda.runtime.ipcGetMemHandle(array.data.ptr))
        yield self.words(array.data.ptr), ticket_of(array.data.ptr, handle), []


class Torch(Bindings):
    """PyTorch: memory of its allocator, and tensors in imported memory."""

    kinds = ("legacy", "virtual", "pool")

    def __init__(self):
        import torch

        if not torch.cuda.is_available():
            raise Unable("PyTorch finds no GPU")
        self.torch = torch
        torch.zeros(1, device="cuda")

    def words(self, pointer):
        class Interface:
            __cuda_array_interface__ = {
                "shape": (WORDS,), "typestr": "<i4", "data": (pointer, False), "version": 3, "strides": None,
            }

        def upload(words):
            return self.torch.from_numpy(words.view("int32")).cuda()

        array = self.torch.as_tensor(Interface(), device="cuda")
        assert array.data_ptr() == pointer, "PyTorch made a copy"
        return ArrayWords(array, upload, self.torch.equal)

    @contextlib.contextmanager
    def make_legacy(self):
        # From PyTorch's own allocator.
        tensor = self.torch.zeros(WORDS, dtype=self.torch.int32, device="cuda")
        with self.legacy_of(tensor.data_ptr()) as made:
            yield made


class Numba(Bindings):
    """numba-cuda: legacy handles with its own calls, and kernels that it compiles."""

    kinds = ("legacy",)

    def __init__(self):
        try:
            from numba import cuda

            self.cuda = cuda
            self.cuda.to_device(pattern(0)).copy_to_host()

            @cuda.jit
            def count(one, other, found):
                place = cuda.grid(1)
                if place < one.size and one[place] != other[place]:
                    cuda.atomic.add(found, 0, 1)

            @cuda.jit
            def copy(to, words):
                place = cuda.grid(1)
                if place < to.size:
                    to[place] = words[place]

            copy[WORDS // 256, 256](cuda.to_device(pattern(0)), cuda.to_device(pattern(1)))
            cuda.synchronize()
        except Exception as error:
            raise Unable(f"numba cannot compute: {error!r:.200}") from error
        self.count, self.copy = count, copy

    def of(self, array):
        def equal(one, other):
            found = self.cuda.to_device(pattern(0)[:1] * 0)
            self.count[WORDS // 256, 256](one, other, found)
            return found.copy_to_host()[0] == 0

        words = ArrayWords(array, self.cuda.to_device, equal)
        words.assign = lambda to, other: (self.copy[WORDS // 256, 256](to, other), self.cuda.synchronize())
        return words

    @contextlib.contextmanager
    def open_legacy(self, ticket):
        with self.cuda.open_ipc_array(ticket.handle.handle, WORDS, pattern(0).dtype, offset=ticket.offset) as array:
            yield self.of(array)
            self.cuda.synchronize()

    @contextlib.contextmanager
    def make_legacy(self):
        array = self.cuda.device_array(WORDS, pattern(0).dtype)
        pointer = array.__cuda_array_interface__["data"][0]
        shared = array.get_ipc_handle()._ipc_handle.handle
        handle = LegacyMemory(bytes(getattr(shared, "reserved", shared)))
        yield self.of(array), ticket_of(pointer, handle), []


class ArrayWords:
    """Words in an array of a package, which compares and copies with kernels of its own."""

    def __init__(self, array, upload, equal):
        self.array, self.upload, self.equal = array, upload, equal

    def assign(self, to, other):
        # Adding 0 is a kernel, while an assignment may be a copy of the driver.
        to[...] = 0
        to += other

    def fill(self, seed):
        self.assign(self.array, self.upload(pattern(seed)))
        call(driver.cuCtxSynchronize)

    def expect(self, seed):
        assert self.equal(self.array, self.upload(pattern(seed))), "the words are not those of cuda-ipc"


ALL = {"cupy": Cupy, "torch": Torch, "numba": Numba, "cuda.core": Core, "cuda.bindings": Bindings}
