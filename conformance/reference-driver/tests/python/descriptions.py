"""Compares what a driver says about error codes with NVIDIA's own libcudart: descriptions.py LIBCUDART LIBCUDA RUNTIME

LIBCUDART is NVIDIA's, which says what a code means without a driver or a GPU. LIBCUDA and RUNTIME are ours. Prints each difference; exit code 1 if there is one.
"""

import ctypes
import sys

CODES = range(1100)
UNKNOWN = "unrecognized error code"


def of_runtime(path):
    library = ctypes.CDLL(path)
    library.cudaGetErrorString.restype = ctypes.c_char_p
    found = {code: library.cudaGetErrorString(code).decode() for code in CODES}
    return {code: text for code, text in found.items() if text != UNKNOWN}


def of_driver(path):
    library, found = ctypes.CDLL(path), {}
    for code in CODES:
        text = ctypes.c_char_p()
        if library.cuGetErrorString(code, ctypes.byref(text)) == 0:
            found[code] = text.value.decode()
    return found


def main():
    nvidia, driver = of_runtime(sys.argv[1]), of_driver(sys.argv[2])
    # Loaded after its driver, which it takes.
    ours = of_runtime(sys.argv[3])
    assert len(nvidia) > 100, "libcudart knows its codes"
    wrong = [f"cudaGetErrorString({code}): {ours.get(code)!r}, libcudart: {nvidia.get(code)!r}"
             for code in CODES if ours.get(code) != nvidia.get(code)]
    # A driver has codes that the runtime lacks. Where both have one, they say the same.
    wrong += [f"cuGetErrorString({code}): {text!r}, libcudart: {nvidia[code]!r}"
              for code, text in driver.items() if code in nvidia and text != nvidia[code]]
    print("\n".join(wrong) or f"{len(nvidia)} descriptions agree")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
