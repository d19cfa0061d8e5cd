"""Uses the reference driver and its runtime through PyTorch.

A parent shares tensors with a child through `torch.multiprocessing`. The child checks the contents and writes others,
which the parent checks. No kernel runs: tensors are filled by copies from the CPU, and compared there. Operations that
need a kernel or a library of NVIDIA's must raise an error. It is an error if one of them passes.
"""

import contextlib
import ctypes
import multiprocessing.reduction
import os
import sys
import tempfile
import threading
import warnings

# NumPy is not installed, since nothing here needs it. NVML is a stub, so no fabric handles are made.
warnings.filterwarnings("ignore", "Failed to initialize NumPy")
warnings.filterwarnings("ignore", "nvmlDeviceGetGpuFabricInfoV failed")

import torch
import torch.multiprocessing
from torch.multiprocessing import reductions

COUNT = 1000
# The message of an operation that the driver refuses.
KERNEL = "operation not supported"


def pattern(seed, count=COUNT):
    return torch.arange(count, dtype=torch.int32) * 7 + seed


def on_device(seed, device="cuda:0"):
    tensor = torch.empty(COUNT, dtype=torch.int32, device=device)
    tensor.copy_(pattern(seed))
    return tensor


def expect(condition, what):
    if not condition:
        raise SystemExit(f"wrong: {what}")


def expect_pattern(tensor, seed, what):
    found, expected = tensor.cpu(), pattern(seed)
    for place in (found != expected).nonzero()[:1].flatten().tolist():
        raise SystemExit(f"wrong: {what}: element {place} is {found[place]}, expected {expected[place]}")


def needs_no_kernel():
    """Operations that need no kernel. They must work."""
    first, second = on_device(1), on_device(2)
    expect_pattern(first.clone(), 1, "a clone")
    expect_pattern(first.to("cuda:1"), 1, "a copy on the other device")
    expect(first[3].item() == 22, "one element")
    expect(torch.equal(torch.zeros(5, device="cuda").cpu(), torch.zeros(5)), "zeros")
    pinned = pattern(3).pin_memory()
    with torch.cuda.stream(torch.cuda.Stream()):
        second.copy_(pinned, non_blocking=True)
        torch.cuda.current_stream().synchronize()
    expect_pattern(second, 3, "a copy from page-locked memory")
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    end.record()
    end.synchronize()
    expect(start.elapsed_time(end) >= 0, "the time between two events")
    expect(torch.cuda.get_device_properties(0).name.startswith("Reference device"), "the device's name")
    expect(torch.cuda.get_device_properties(0).total_memory == torch.cuda.mem_get_info()[1], "the device's memory")


def failing(x, m):
    """Operations that must fail: what they are, the operation, a part of the message, and the reason."""
    kernel = "it launches a kernel of PyTorch's, and only the reference driver's own kernels run on the CPU"
    library = "it calls a library of NVIDIA's that is a stub here, and whose kernels would not run either"
    return [
        ("x + 1", lambda: x + 1, KERNEL, kernel),
        ("x.fill_(3)", lambda: x.fill_(3), KERNEL, kernel),
        ("torch.ones", lambda: torch.ones(3, device="cuda"), KERNEL, kernel),
        ("torch.arange", lambda: torch.arange(3, device="cuda"), KERNEL, kernel),
        ("torch.rand", lambda: torch.rand(3, device="cuda"), KERNEL, kernel),
        ("torch.equal", lambda: torch.equal(x, x.clone()), KERNEL, kernel),
        ("x.sum()", lambda: x.sum(), KERNEL, kernel),
        ("x.sort()", lambda: x.sort(), KERNEL, kernel),
        ("a conversion", lambda: x.to(torch.float32), KERNEL, kernel),
        ("a transposed copy", lambda: x.view(10, 100).t().contiguous(), KERNEL, kernel),
        ("a matrix product", lambda: m @ m, "CUBLAS_STATUS", library),
        ("a convolution", lambda: torch.nn.functional.conv1d(m[None], m[None]), "cuDNN error", library),
        ("a Fourier transform", lambda: torch.fft.fft(m), "cuFFT error", library),
        ("a stream's priority", lambda: torch.cuda.Stream().priority, KERNEL, "a stream does not keep its priority"),
    ]


@contextlib.contextmanager
def standard_error():
    """Collects what the process writes to its standard error."""
    with tempfile.TemporaryFile() as file:
        lines, kept = [], os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            yield lines
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            file.seek(0)
            lines += file.read().decode().splitlines()


def needs_kernels():
    x, m = on_device(4), torch.empty(30, 30, device="cuda")
    m.copy_(torch.eye(30))
    operations = failing(x, m)
    with standard_error() as lines:
        wrong = [f"{name} {found}; expected to fail, since {reason}" for name, operation, message, reason in operations
                 for found in [outcome(operation, message)] if found]
    notes = [line for line in lines if line.startswith("reference driver:")]
    is_said = len(notes) == 1 and "cannot be launched" in notes[0]
    expect(is_said, f"the driver says once why it refuses kernels: {lines}")
    expect(not wrong, "\n".join(wrong))
    expect_pattern(x, 4, "a tensor after operations that failed")
    return len(operations)


def outcome(operation, message):
    """Returns what is wrong about an operation that must fail, if anything."""
    try:
        operation()
        # An error may come with the work.
        torch.cuda.synchronize()
    except RuntimeError as error:
        return None if message in str(error) else f"failed with another message: {error}"
    return "passed"


def send(connection, *message):
    """Sends a message, and returns how PyTorch describes each of its tensors."""
    described = []

    def reduce(tensor):
        function, arguments = reductions.reduce_tensor(tensor)
        if function is reductions.rebuild_cuda_tensor:
            described.append(arguments)
        return function, arguments

    multiprocessing.reduction.ForkingPickler.register(torch.Tensor, reduce)
    try:
        connection.send(message)
    finally:
        multiprocessing.reduction.ForkingPickler.register(torch.Tensor, reductions.reduce_tensor)
    return described


def child(connection):
    """Serves the parent, and tells it what is wrong."""
    try:
        serve(connection)
    except SystemExit as wrong:
        connection.send(str(wrong))
        sys.exit(1)


def serve(connection):
    """Checks and overwrites tensors until there are no more."""
    while message := connection.recv():
        what, seed, tensors, event = message
        del message
        if event is None:
            for number, tensor in enumerate(tensors):
                expect_pattern(tensor, seed + number, f"child, {what}, tensor {number}")
        else:
            read_behind_the_event(connection, tensors[0], seed, torch.cuda.Event.from_ipc_handle(0, event))
        for number, tensor in enumerate(tensors):
            tensor.copy_(pattern(seed + 100 + number))
            torch.cuda.synchronize(tensor.device)
        # The parent's memory is given back before the parent goes on.
        tensors.clear()
        tensor = None
        torch.cuda.ipc_collect()
        connection.send("written")


def read_behind_the_event(connection, tensor, seed, event):
    """Reads a tensor that its parent is still writing: the stream waits for the parent's event."""
    read = torch.empty(COUNT, dtype=torch.int32).pin_memory()
    read.copy_(tensor, non_blocking=True)
    expect(not torch.cuda.current_stream().query(), "child: the stream does not wait for the parent's write")
    expect(not event.query(), "child: the parent's event is complete before the write")
    connection.send("enqueued")
    event.synchronize()
    torch.cuda.current_stream().synchronize()
    expect_pattern(read, seed, "child, behind the event")


def answer(connection, expected):
    try:
        found = connection.recv()
    except EOFError:
        raise SystemExit("wrong: the child ended early") from None
    if found != expected:
        raise SystemExit(found)


def exchange(connection, what, seed, tensors, event=None):
    described = send(connection, what, seed, tensors, event)
    if event is not None:
        try:
            answer(connection, "enqueued")
        finally:
            event_gate.set()
    answer(connection, "written")
    for number, tensor in enumerate(tensors):
        expect_pattern(tensor, seed + 100 + number, f"parent, {what}, tensor {number}")
    return described


event_gate = threading.Event()


def write_behind_a_gate(seed):
    """Enqueues a write that is not done before the gate opens."""
    held = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: event_gate.wait(60))
    # The stream calls the function later.
    write_behind_a_gate.keep = held
    runtime = ctypes.CDLL("libcudart.so.13")
    tensor, source = on_device(0), pattern(seed).pin_memory()
    torch.cuda.synchronize()
    stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
    expect(runtime.cudaLaunchHostFunc(stream, held, None) == 0, "cudaLaunchHostFunc")
    tensor.copy_(source, non_blocking=True)
    event = torch.cuda.Event(interprocess=True)
    event.record()
    return tensor, event


def shares_tensors(context):
    ours, theirs = context.Pipe()
    process = context.Process(target=child, args=(theirs,), daemon=True)
    process.start()
    theirs.close()
    first, second = on_device(10), on_device(11)
    one, other = exchange(ours, "two tensors of a block", 10, [first, second])
    # The order of the arguments is that of `rebuild_cuda_tensor`.
    (handle, _, offset), (other_handle, _, other_offset) = one[7:10], other[7:10]
    expect(handle == other_handle and offset != other_offset, "two small tensors lie in one block")
    expect(one[-1] and other[-1], "PyTorch asks the child to wait for an event")
    whole = torch.cat([pattern(0), pattern(20), pattern(0)]).to("cuda")
    exchange(ours, "a part of a tensor", 20, [whole[COUNT:-COUNT]])
    exchange(ours, "the other device", 30, [on_device(30, "cuda:1")])
    large = torch.empty(8 << 20, dtype=torch.int32, device="cuda")
    large[-COUNT:].copy_(pattern(40))
    exchange(ours, "the end of a large block", 40, [large[-COUNT:]])
    tensor, event = write_behind_a_gate(50)
    exchange(ours, "a write behind an event", 50, [tensor], event.ipc_handle())
    notices_wrong_data(ours)
    process.join(60)
    expect(process.exitcode == 1, f"the child ended with {process.exitcode} after wrong data")


def notices_wrong_data(connection):
    """A child that finds other contents than the parent named must make the parent fail."""
    tensor = on_device(60)
    tensor[-1:].copy_(torch.zeros(1, dtype=torch.int32))
    try:
        exchange(connection, "wrong data", 60, [tensor])
    except SystemExit as wrong:
        noticed = str(wrong)
    else:
        noticed = "nothing"
    expect(noticed.endswith("tensor 0: element 999 is 0, expected 7053"), f"the child noticed {noticed}")


def main():
    stubs = ctypes.CDLL("libnccl.so.2")
    calls = ctypes.c_int.in_dll(stubs, "stub_calls")
    expect(torch.cuda.is_available() and torch.cuda.device_count() == 2, "PyTorch finds both devices")
    needs_no_kernel()
    shares_tensors(torch.multiprocessing.get_context("spawn"))
    expect(calls.value == 0, "PyTorch called a stub to share memory")
    failed = needs_kernels()
    expandable = any(segment["is_expandable"] for segment in torch.cuda.memory_snapshot())
    wanted = "expandable_segments:True" in os.environ["PYTORCH_ALLOC_CONF"]
    expect(expandable == wanted, "the allocator uses the kind of memory that it was asked for")
    print(f"PyTorch {torch.__version__}, {'expandable segments' if expandable else 'allocated blocks'}: tensors were "
          f"shared in both directions, {failed} operations failed as expected")
    torch.cuda.ipc_collect()


if __name__ == "__main__":
    main()
