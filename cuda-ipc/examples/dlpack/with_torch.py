#!/usr/bin/env python3
"""Exchanges tensors between cuda-ipc and PyTorch, and CuPy if it is there, through DLPack.

    cuda-ipc/examples/dlpack/with_torch.py

Needs a GPU and PyTorch for it. Without them only the capsules are tested, on the reference driver, and the exit code is
77.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

NEW, USED = b"dltensor", b"used_dltensor"


def build(name, *arguments):
    """Builds a library, and returns its path."""
    command = ["cargo", "build", "--quiet", *arguments, "--message-format", "json"]
    for line in subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact" and message["target"]["name"] == name:
            return next(file for file in message["filenames"] if file.endswith(".so"))
    sys.exit(f"cargo built no {name}")


def load():
    """Builds and loads the example."""
    library = ctypes.CDLL(build("dlpack", "--example", "dlpack", "--features", "cuda-ipc/dlpack"))
    library.beside_export.restype = ctypes.c_void_p
    library.beside_export.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
    library.beside_import.restype = ctypes.c_double
    library.beside_import.argtypes = [ctypes.c_void_p]
    library.beside_live.restype = ctypes.c_size_t
    return library


def torch_with_gpu():
    """PyTorch, or why it cannot be used."""
    try:
        import torch
    except ImportError as missing:
        return None, str(missing)
    return (torch, "") if torch.cuda.is_available() else (None, "PyTorch finds no GPU")


def export(library, rows, columns):
    """A capsule with numbers 0, 1, 2 … that cuda-ipc allocated."""
    tensor = library.beside_export(rows, columns)
    assert tensor, "nothing was exported"
    return api.PyCapsule_New(tensor, NEW, None)


def take(library, capsule):
    """Lets cuda-ipc add the numbers in a capsule, and write 0.5 to the first."""
    tensor = api.PyCapsule_GetPointer(capsule, NEW)
    assert api.PyCapsule_SetName(capsule, USED) == 0
    # Python keeps the pointer to a name.
    return library.beside_import(tensor)


def main():
    torch, missing = torch_with_gpu()
    if torch is None and "CUDA_IPC_DRIVER" not in os.environ:
        # The variable counts only if the process was started with it.
        driver = build("reference_driver", "-p", "reference-driver")
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "CUDA_IPC_DRIVER": driver})
    library = load()
    assert take(library, export(library, 3, 4)) == sum(range(12))
    assert library.beside_live() == 0
    print("a capsule of cuda-ipc came back")
    if torch is None:
        print(f"skipped: {missing}")
        sys.exit(77)

    tensor = torch.from_dlpack(export(library, 3, 4))
    assert tensor.shape == (3, 4) and tensor.is_cuda, tensor
    assert torch.equal(tensor.cpu(), torch.arange(12.0).reshape(3, 4)), tensor
    assert (tensor * 2).sum().item() == 2 * sum(range(12))
    assert library.beside_live() == 1
    del tensor
    assert library.beside_live() == 0, "PyTorch did not release the tensor"
    print("PyTorch read memory of cuda-ipc and released it")

    tensor = torch.arange(100, dtype=torch.float32, device="cuda")
    torch.cuda.synchronize()
    assert take(library, torch.utils.dlpack.to_dlpack(tensor)) == sum(range(100))
    assert tensor[0].item() == 0.5, tensor[:2]
    columns = torch.zeros(4, 4, device="cuda").t()[:, :2]
    total = take(library, torch.utils.dlpack.to_dlpack(columns))
    assert total != total, "a tensor with gaps was not refused"
    print("cuda-ipc read and wrote memory of PyTorch")

    try:
        import cupy
    except ImportError as missing:
        print(f"without CuPy: {missing}")
        return

    class Producer:
        """What CuPy asks for a capsule."""

        def __dlpack__(self, **_):
            return export(library, 2, 5)

        def __dlpack_device__(self):
            return (2, 0)

    array = cupy.from_dlpack(Producer())
    assert array.shape == (2, 5) and float(array.sum()) == sum(range(10)), array
    del array
    assert library.beside_live() == 0, "CuPy did not release the tensor"
    array = cupy.arange(10, dtype=cupy.float32)
    cupy.cuda.Device().synchronize()
    assert take(library, array.__dlpack__(stream=None)) == sum(range(10))
    assert float(array[0]) == 0.5, array
    print("CuPy and cuda-ipc exchanged memory")


main()
