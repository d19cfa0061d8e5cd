"""Runs tests of numba-cuda, as its package ships them, on the reference driver.

Every test of these modules must pass, but those that compile a kernel: the driver runs no kernels of others. Such a test
is named here, and it is an error if it passes. So are the tests that numba-cuda skips, some of them with one device only,
and it is an error if another one is skipped, or one of these is not. REFERENCE_DRIVER_DEVICES is the number of devices.
"""

import importlib
import os
import sys
import unittest

TESTS = "numba.cuda.tests"

# Module: the tests that launch kernels of their own.
MODULES = {
    "cudapy.test_ipc": set(),
    "cudadrv.test_array_attr": set(),
    "cudadrv.test_context_stack": {
        "Test3rdPartyContext.test_cudajit_in_attached_primary_context",
    },
    "cudadrv.test_cuda_array_slicing": {
        "CudaArraySetting.test_array_assign_all",
        "CudaArraySetting.test_array_assign_column",
        "CudaArraySetting.test_array_assign_deep_subarray",
        "CudaArraySetting.test_array_assign_row",
        "CudaArraySetting.test_array_assign_subarray",
        "CudaArraySetting.test_broadcast",
        "CudaArraySetting.test_no_sync_default_stream",
        "CudaArraySetting.test_no_sync_supplied_stream",
        "CudaArraySetting.test_rank",
        "CudaArraySetting.test_scalar",
        "CudaArraySetting.test_strides",
        "CudaArraySetting.test_sync",
    },
    "cudadrv.test_cuda_auto_context": set(),
    "cudadrv.test_cuda_devicerecord": {
        "TestRecordDtypeWithStructArrays.test_structured_array2",
        "TestRecordDtypeWithStructArrays.test_structured_array3",
        "TestRecordDtypeWithStructArrays.test_structured_array4",
    },
    "cudadrv.test_cuda_memory": set(),
    "cudadrv.test_cuda_ndarray": {
        "TestCoreContiguous.test_device_array_like_2d_f_transpose",
        "TestCoreContiguous.test_device_array_like_2d_transpose",
        "TestCoreContiguous.test_kernel_with_buffer",
        "TestCoreContiguous.test_kernel_with_strided_memory_view",
        "TestCudaNDArray.test_devicearray_transpose_T",
        "TestCudaNDArray.test_devicearray_transpose_ok",
        "TestRecarray.test_recarray",
    },
    "cudadrv.test_deallocations": set(),
    "cudadrv.test_emm_plugins": set(),
    "cudadrv.test_events": set(),
    "cudadrv.test_host_alloc": set(),
    "cudadrv.test_is_fp16": set(),
    "cudadrv.test_managed_alloc": {
        "TestManagedAlloc.test_managed_array_attach_global",
        "TestManagedAlloc.test_managed_array_attach_host",
    },
    "cudadrv.test_pinned": set(),
    "cudadrv.test_profiler": set(),
    "cudadrv.test_reset_device": set(),
    "cudadrv.test_select_device": set(),
}

# The tests that numba-cuda always skips here: for Windows, of a change that it lacks, and of more managed memory than a
# device has.
SKIPPED = {
    "cudapy.test_ipc.TestIpcNotSupported.test_unsupported",
    "cudadrv.test_cuda_array_slicing.CudaArraySetting.test_issue_6505",
    "cudadrv.test_managed_alloc.TestManagedAlloc.test_managed_alloc_driver_oversubscribe",
}
SKIPPED_WITH_ONE_DEVICE = {
    "cudadrv.test_context_stack.TestContextAPI.test_accepted_context_switch",
    "cudadrv.test_context_stack.TestContextAPI.test_forbidden_context_switch",
}


def run(name, expected):
    """Runs a module's tests, and returns how many passed, which were skipped and what was not expected."""
    tests = unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"{TESTS}.{name}"))
    result = unittest.TestResult()
    tests.run(result)
    failed = {test.id().removeprefix(f"{TESTS}.{name}."): text for test, text in result.errors + result.failures}
    wrong = [f"{name}.{test} failed:\n{text}" for test, text in failed.items() if test not in expected]
    wrong += [f"{name}.{test} passed, although it needs kernels" for test in expected - failed.keys()]
    skipped = {test.id().removeprefix(f"{TESTS}.") for test, _ in result.skipped}
    return result.testsRun - len(failed) - len(skipped), skipped, wrong


def main():
    devices = int(os.environ.get("REFERENCE_DRIVER_DEVICES", "1"))
    passed, skipped, wrong = 0, set(), []
    for name, expected in MODULES.items():
        found = run(name, expected)
        passed, skipped, wrong = passed + found[0], skipped | found[1], wrong + found[2]
    to_skip = SKIPPED | (SKIPPED_WITH_ONE_DEVICE if devices == 1 else set())
    wrong += [f"{test} was skipped with {devices} devices" for test in sorted(skipped - to_skip)]
    wrong += [f"{test} ran with {devices} devices, although a list says skipped" for test in sorted(to_skip - skipped)]
    print("\n".join(wrong) or f"numba-cuda, devices: {devices}: {passed} tests passed, {len(skipped)} skipped, "
          f"{sum(map(len, MODULES.values()))} need kernels")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
