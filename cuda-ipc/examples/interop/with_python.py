#!/usr/bin/env python3
"""Exchanges memory between cuda-ipc and Python packages, in two processes and both directions.

    cuda-ipc/examples/interop/with_python.py [PACKAGE…]

The packages are cupy, torch, numba, cuda.core and cuda.bindings. The last one is always needed. In each exchange, the
exporter writes a pattern, and the importer checks it with a kernel and writes another one, which the exporter checks
with a kernel. A package that is missing, or that cannot do it on this driver, is skipped with the reason.

The driver is the system's libcuda. The exit code is 0 if all exchanges succeeded, 1 if one failed, and 77 if none could
be tried. If the Rust program is built already, set INTEROP to its path.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "cuda-ipc" / "python"))
try:
    from cuda_ipc_ticket import receive, send
    from packages import ALL, EXPORTED, IMPORTED, Unable
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)


def program():
    """Builds the other end, and returns its path."""
    if "INTEROP" in os.environ:
        return os.environ["INTEROP"]
    command = ["cargo", "build", "--quiet", "--example", "interop", "--message-format", "json"]
    for line in subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "interop":
            return message["executable"]
    sys.exit("cargo built no interop")


@contextlib.contextmanager
def started(path, *arguments):
    """Starts the other end, gives a connection to it, and at the end checks that it succeeded."""
    ours, theirs = socket.socketpair()
    ours.settimeout(60)
    with theirs:
        other = subprocess.Popen([path, *arguments], stdin=theirs)
    try:
        with ours:
            yield ours
        assert other.wait(60) == 0, "cuda-ipc did not find the words of the package"
    finally:
        other.kill()
        other.wait()


def to_python(path, package, kind):
    """cuda-ipc exports, and the package imports."""
    with started(path, "export", kind) as connection:
        ticket, descriptors = receive(connection)
        *descriptors, lease = descriptors
        with package.open(ticket, descriptors) as words:
            words.expect(EXPORTED)
            words.fill(IMPORTED)
        # The exporter waits until the lease is closed.
        for descriptor in (*descriptors, lease):
            os.close(descriptor)


def from_python(path, package, kind):
    """The package exports, and cuda-ipc imports."""
    with package.make(kind) as (words, ticket, descriptors):
        words.fill(EXPORTED)
        with started(path, "import") as connection:
            send(connection, ticket, descriptors)
        words.expect(IMPORTED)


def exchange(name):
    """Runs the exchanges of one package, in this process. Returns the exit code."""
    try:
        package = ALL[name]()
    except (ImportError, Unable) as missing:
        print(f"{name}: skipped: {missing}")
        return 77
    for kind in package.kinds:
        for run in (to_python, from_python):
            run(os.environ["INTEROP"], package, kind)
            direction = f"cuda-ipc → {name}" if run is to_python else f"{name} → cuda-ipc"
            print(f"{direction}, {kind}: the words arrived, and so did those that came back", flush=True)
    return 0


def main():
    names = sys.argv[1:] or list(ALL)
    if "INTEROP_ALONE" in os.environ:
        sys.exit(exchange(*names))
    environment = {**os.environ, "INTEROP": program(), "INTEROP_ALONE": ""}
    codes = {}
    for name in names:
        # In a process of its own, so that no package sees what another one did to the driver.
        codes[name] = subprocess.run([sys.executable, __file__, name], env=environment).returncode
    failed = [name for name, code in codes.items() if code not in (0, 77)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")
    sys.exit(0 if 0 in codes.values() else 77)


main()
