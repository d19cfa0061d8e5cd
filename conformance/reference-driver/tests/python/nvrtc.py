"""Compiles a kernel with NVIDIA's libnvrtc and loads it into the reference driver: nvrtc.py LIBNVRTC

libnvrtc asks the driver for private tables, and does not look at the code that it gets. The driver must write no table,
and must refuse the kernel, since it runs none of others.
"""

import ctypes
import sys

SOURCE = b'extern "C" __global__ void scale(float *data) { data[threadIdx.x] *= 2; }'
NOT_SUPPORTED = 801


def call(function, *arguments):
    code = function(*arguments)
    if code != 0:
        raise SystemExit(f"{function.__name__} returned {code}")


def main():
    nvrtc, cuda = ctypes.CDLL(sys.argv[1]), ctypes.CDLL("libcuda.so.1")
    context, module, program, size = (ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t())
    call(cuda.cuInit, 0)
    call(cuda.cuDevicePrimaryCtxRetain, ctypes.byref(context), 0)
    call(cuda.cuCtxSetCurrent, context)
    call(nvrtc.nvrtcCreateProgram, ctypes.byref(program), SOURCE, b"scale.cu", 0, None, None)
    call(nvrtc.nvrtcCompileProgram, program, 0, None)
    call(nvrtc.nvrtcGetPTXSize, program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    call(nvrtc.nvrtcGetPTX, program, ptx)
    if b".entry scale" not in ptx.value:
        raise SystemExit("libnvrtc compiled no kernel")
    code = cuda.cuModuleLoadData(ctypes.byref(module), ptx)
    if code != NOT_SUPPORTED:
        raise SystemExit(f"cuModuleLoadData of another's kernel returned {code}")
    print("nvrtc: compiled, and its kernel is refused")


main()
