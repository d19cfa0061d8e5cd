"""Tickets of the Rust crate `cuda-ipc`, read and written in Python, and the messages that carry them.

A ticket is a description of memory or of an event of another process: which process has it, on which device, how large
it is, and the handle with which the CUDA driver opens it. This module calls no driver. It needs Python 3.9 or later and
nothing else, so you can copy it into your project.

    ticket, descriptors = receive(socket)       # from `Parcel::send` of the Rust crate
    send(socket, ticket, descriptors)           # for `Parcel::receive`

`Ticket.to_bytes` and `Ticket.from_bytes` alone suffice if you carry the bytes in another way.

Format version 2. All numbers are little-endian.

    8   "CUDA-IPC"
    2   the format version: 2
    2   flags: bit 0 is set if the ticket is sealed; the others are 0
    4   the length of the whole ticket
        the contents:
    16    the UUID of the device (cuDeviceGetUuid)
    16    a random nonce of this run of the exporting program
    16    /proc/sys/kernel/random/boot_id
    8     the inode of /proc/self/ns/pid
    8     the start time of the process: field 22 of /proc/self/stat
    4     the PID of the process, in its own namespace
    4     the CUDA version of the exporter's driver (cuDriverGetVersion)
    8     the generation, which distinguishes the allocation from a later one at the same address
    8     the size of the whole allocation
    8     the offset of the part that is shared
    8     the length of that part
    4     the kind of the handle: 1 to 7
          the handle:
            1, LegacyMemory   64  the handle of cuIpcGetMemHandle
            2, Event          64  the handle of cuIpcGetEventHandle
            3, 4 PhysicalMemory
                  8  the granularity
                  4  the access that the importer maps: 1 read, 3 read and write
                  4  the number of chunks; then for each of them
                  8    its size
                       kind 3: 2  the index of its descriptor among those of the message
                       kind 4: 64 its fabric handle
            5, 6, 7 PoolPointer
                  8  the exporter's number of the pool
                  64 the bytes of cuMemPoolExportPointer
                     kind 5: nothing; an earlier ticket contained the pool
                     kind 6: 2  the index of the pool's descriptor
                     kind 7: 64 the pool's fabric handle
    32  sealed tickets only: HMAC-SHA-256 of everything above, with the 32 bytes of the key
    4   CRC-32 (that of zlib) of everything above

A message on a Unix stream socket has a header of 16 bytes: "CIM" and the byte 1, the number of descriptors (4 bytes),
and the number of bytes that follow (8). The first 253 descriptors go with the header, and each further batch of up to
253 goes with a byte of 0 after it. Then come the bytes: a ticket, and a message of your own after it. If the ticket is
sealed, HMAC-SHA-256 of the ticket and the message follows the message. "CIE", the byte 1 and 12 bytes of 0 announce that
nothing more will be sent.
"""

from __future__ import annotations

import array
import hashlib
import hmac
import os
import socket as sockets
import struct
import zlib
from dataclasses import dataclass, field
from typing import List, Optional, Sequence, Tuple, Union

__all__ = [
    "Chunk",
    "DescriptorsLost",
    "Event",
    "Exporter",
    "LARGEST_MESSAGE",
    "LegacyMemory",
    "MAX_CHUNKS",
    "MAX_LENGTH",
    "MessageError",
    "PhysicalMemory",
    "PoolPointer",
    "READ",
    "READ_WRITE",
    "Ticket",
    "TicketError",
    "receive",
    "receive_message",
    "receive_with",
    "send",
    "send_message",
]

FORMAT_VERSION = 2
MAX_CHUNKS = 4096
READ, READ_WRITE = 1, 3

_MAGIC = b"CUDA-IPC"
_HEAD = struct.Struct("<8sHHI")
_FIELDS = struct.Struct("<16s16s16sQQIIQQQQI")
_SEALED = 1
_MAC = 32
_CHECKSUM = 4
MAX_LENGTH = _HEAD.size + 108 + 16 + MAX_CHUNKS * (8 + 64) + _MAC + _CHECKSUM


class TicketError(ValueError):
    """The bytes are not a ticket of this version, or the contents break a rule."""


class MessageError(TicketError):
    """The peer sent something that is not a message, or one that is too large."""


class DescriptorsLost(TicketError):
    """The kernel dropped the descriptors of a message, because this process has too many open files."""


@dataclass(frozen=True)
class Exporter:
    """A run of a program: its process, and a random nonce."""

    pid: int
    pid_namespace: int
    start_time: int
    boot_id: bytes
    nonce: bytes

    @classmethod
    def current(cls) -> Exporter:
        """Returns the identity of this process, with a nonce that is drawn now.

        Use one identity for all tickets of a process, because an importer takes another nonce for another program.
        """
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            # The program's name may contain anything, so fields are counted from the last parenthesis.
            start_time = int(file.read().rpartition(")")[2].split()[19])
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot_id = bytes.fromhex(file.read().strip().replace("-", ""))
        return cls(os.getpid(), os.stat("/proc/self/ns/pid").st_ino, start_time, boot_id, os.urandom(16))


@dataclass(frozen=True)
class LegacyMemory:
    """`cuIpcOpenMemHandle`: memory of `cuMemAlloc`."""

    handle: bytes


@dataclass(frozen=True)
class Event:
    """`cuIpcOpenEventHandle`: an event."""

    handle: bytes


@dataclass(frozen=True)
class Chunk:
    """One physical allocation. Its handle is the index of a descriptor, or the 64 bytes of a fabric handle."""

    size: int
    handle: Union[int, bytes]


@dataclass(frozen=True)
class PhysicalMemory:
    """`cuMemImportFromShareableHandle`: physical memory, to be mapped into one range in this order."""

    granularity: int
    access: int
    chunks: Tuple[Chunk, ...]


@dataclass(frozen=True)
class PoolPointer:
    """`cuMemPoolImportPointer`: memory of a pool.

    The handle of the pool is the index of a descriptor, the 64 bytes of a fabric handle, or None if an earlier ticket
    with the same number contained it.
    """

    pool: int
    pointer: bytes
    pool_handle: Union[int, bytes, None] = None


Handle = Union[LegacyMemory, Event, PhysicalMemory, PoolPointer]


@dataclass(frozen=True)
class Ticket:
    """Memory or an event of another process."""

    exporter: Exporter
    device: bytes
    driver: int
    handle: Handle = field(repr=False)
    size: int = 0
    offset: int = 0
    length: int = 0
    generation: int = 0

    def __post_init__(self) -> None:
        _check(self)

    def descriptors(self) -> List[int]:
        """Returns the indices of the descriptors that the handle needs."""
        if isinstance(self.handle, PhysicalMemory):
            return [chunk.handle for chunk in self.handle.chunks if isinstance(chunk.handle, int)]
        if isinstance(self.handle, PoolPointer) and isinstance(self.handle.pool_handle, int):
            return [self.handle.pool_handle]
        return []

    def descriptor_count(self) -> int:
        """Returns how many descriptors a message with this ticket needs: the highest index plus one."""
        return max(self.descriptors(), default=-1) + 1

    def to_bytes(self, key: Optional[bytes] = None) -> bytes:
        """Returns the bytes of the ticket. With a key of 32 bytes, the ticket is sealed."""
        kind, handle = _write_handle(self.handle)
        own = self.exporter
        fields = (self.device, own.nonce, own.boot_id, own.pid_namespace, own.start_time, own.pid, self.driver)
        try:
            body = _FIELDS.pack(*fields, self.generation, self.size, self.offset, self.length, kind) + handle
        except struct.error as error:
            raise TicketError(f"a field is too large: {error}") from error
        end = _CHECKSUM + (_MAC if key is not None else 0)
        flags = _SEALED if key is not None else 0
        data = _HEAD.pack(_MAGIC, FORMAT_VERSION, flags, _HEAD.size + len(body) + end) + body
        if key is not None:
            data += _mac(key, data)
        return data + struct.pack("<I", zlib.crc32(data))

    @classmethod
    def from_bytes(cls, data: bytes, key: Optional[bytes] = None) -> Ticket:
        """Reads a ticket from its bytes, which may be anything: the result is a ticket or a TicketError.

        With a key, the ticket must be sealed with it. Without one, a sealed ticket is an error, because its seal would
        not be checked.
        """
        ticket, rest = cls.from_prefix(data, key)
        if rest:
            raise TicketError(f"{len(rest)} bytes follow the ticket")
        return ticket

    @classmethod
    def from_prefix(cls, data: bytes, key: Optional[bytes] = None) -> Tuple[Ticket, bytes]:
        """Reads a ticket from bytes that begin with it, and returns what follows."""
        whole, rest = _split(bytes(data))
        body, checksum = whole[:-_CHECKSUM], struct.unpack("<I", whole[-_CHECKSUM:])[0]
        if zlib.crc32(body) != checksum:
            raise TicketError(f"the checksum is {checksum:#010x}; expected {zlib.crc32(body):#010x}")
        flags = _HEAD.unpack_from(body)[2]
        if flags not in (0, _SEALED):
            raise TicketError(f"the flags {flags:#x} have reserved bits")
        if (flags == _SEALED) != (key is not None):
            raise TicketError("the ticket is sealed: give its key" if key is None else "the ticket is not sealed")
        if key is not None:
            body, mac = body[:-_MAC], body[-_MAC:]
            if len(body) < _HEAD.size or not hmac.compare_digest(mac, _mac(key, body)):
                raise TicketError("the ticket was not sealed with this key")
        return _read_contents(body[_HEAD.size :]), rest


def _mac(key: bytes, data: bytes) -> bytes:
    if len(key) != 32:
        raise ValueError(f"a key has 32 bytes, not {len(key)}")
    return hmac.new(key, data, hashlib.sha256).digest()


def _split(data: bytes) -> Tuple[bytes, bytes]:
    if data[:8] != _MAGIC[: len(data)]:
        raise TicketError("the bytes are not a ticket: they do not begin with CUDA-IPC")
    if len(data) < _HEAD.size:
        raise TicketError(f"the ticket is truncated: {len(data)} bytes")
    _, version, _, length = _HEAD.unpack_from(data)
    if version != FORMAT_VERSION:
        raise TicketError(f"the ticket has format version {version}; this module reads version {FORMAT_VERSION}")
    if not _HEAD.size + _CHECKSUM <= length <= MAX_LENGTH:
        raise TicketError(f"the ticket states a length of {length} bytes")
    if len(data) < length:
        raise TicketError(f"the ticket is truncated: {len(data)} of {length} bytes")
    return data[:length], data[length:]


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data

    def bytes(self, count: int) -> bytes:
        if len(self.data) < count:
            raise TicketError("the ticket is too short for its contents")
        taken, self.data = self.data[:count], self.data[count:]
        return taken

    def number(self, size: int) -> int:
        return int.from_bytes(self.bytes(size), "little")


def _read_contents(data: bytes) -> Ticket:
    reader = _Reader(data)
    fields = _FIELDS.unpack(reader.bytes(_FIELDS.size))
    device, nonce, boot_id, namespace, start_time, pid, driver, generation, size, offset, length, kind = fields
    handle = _read_handle(kind, reader)
    if reader.data:
        raise TicketError("the ticket is too long for its contents")
    exporter = Exporter(pid, namespace, start_time, boot_id, nonce)
    return Ticket(exporter, device, driver, handle, size, offset, length, generation)


def _read_handle(kind: int, reader: _Reader) -> Handle:
    if kind == 1:
        return LegacyMemory(reader.bytes(64))
    if kind == 2:
        return Event(reader.bytes(64))
    if kind in (3, 4):
        granularity, access, count = reader.number(8), reader.number(4), reader.number(4)
        if access not in (READ, READ_WRITE):
            raise TicketError(f"the access is {access}; expected 1 or 3")
        if not 1 <= count <= MAX_CHUNKS:
            raise TicketError(f"the ticket has {count} chunks; expected 1 to {MAX_CHUNKS}")
        one = (lambda: reader.number(2)) if kind == 3 else (lambda: reader.bytes(64))
        return PhysicalMemory(granularity, access, tuple(Chunk(reader.number(8), one()) for _ in range(count)))
    if kind in (5, 6, 7):
        pool, pointer = reader.number(8), reader.bytes(64)
        handle = None if kind == 5 else reader.number(2) if kind == 6 else reader.bytes(64)
        return PoolPointer(pool, pointer, handle)
    raise TicketError(f"the kind of the handle is {kind}; expected 1 to 7")


def _write_handle(handle: Handle) -> Tuple[int, bytes]:
    if isinstance(handle, LegacyMemory):
        return 1, handle.handle
    if isinstance(handle, Event):
        return 2, handle.handle
    try:
        if isinstance(handle, PhysicalMemory):
            head = struct.pack("<QII", handle.granularity, handle.access, len(handle.chunks))
            chunks = (struct.pack("<Q", chunk.size) + _index_or_handle(chunk.handle) for chunk in handle.chunks)
            return (3 if isinstance(handle.chunks[0].handle, int) else 4), head + b"".join(chunks)
        kind = 5 if handle.pool_handle is None else 6 if isinstance(handle.pool_handle, int) else 7
        end = b"" if handle.pool_handle is None else _index_or_handle(handle.pool_handle)
        return kind, struct.pack("<Q", handle.pool) + handle.pointer + end
    except struct.error as error:
        raise TicketError(f"a field of the handle is too large: {error}") from error


def _index_or_handle(handle: Union[int, bytes]) -> bytes:
    return struct.pack("<H", handle) if isinstance(handle, int) else handle


def _check(ticket: Ticket) -> None:
    """Checks the rules that the Rust crate checks."""
    own, handle = ticket.exporter, ticket.handle
    for name, value, size in (
        ("the UUID of the device", ticket.device, 16),
        ("the nonce", own.nonce, 16),
        ("the boot ID", own.boot_id, 16),
    ):
        _check_length(name, value, size)
    if isinstance(handle, Event):
        _check_length("the handle", handle.handle, 64)
        if (ticket.size, ticket.offset, ticket.length, ticket.generation) != (0, 0, 0, 0):
            raise TicketError("an event has no memory: its size, offset, length and generation are 0")
        return
    if ticket.length <= 0:
        raise TicketError("the ticket shares 0 bytes")
    if ticket.offset < 0 or ticket.offset + ticket.length > ticket.size:
        raise TicketError(
            f"the ticket shares {ticket.length} bytes at offset {ticket.offset} of an allocation of {ticket.size} bytes"
        )
    if isinstance(handle, LegacyMemory):
        _check_length("the handle", handle.handle, 64)
    elif isinstance(handle, PoolPointer):
        _check_length("the pointer", handle.pointer, 64)
        if isinstance(handle.pool_handle, bytes):
            _check_length("the handle of the pool", handle.pool_handle, 64)
    else:
        _check_chunks(handle, ticket)


def _check_length(name: str, value: bytes, size: int) -> None:
    if len(value) != size:
        raise TicketError(f"{name} has {len(value)} bytes; expected {size}")


def _check_chunks(memory: PhysicalMemory, ticket: Ticket) -> None:
    if memory.access not in (READ, READ_WRITE):
        raise TicketError(f"the access is {memory.access}; expected 1 or 3")
    if memory.granularity <= 0 or memory.granularity & (memory.granularity - 1):
        raise TicketError(f"the granularity {memory.granularity} is not a power of two")
    if not 1 <= len(memory.chunks) <= MAX_CHUNKS:
        raise TicketError(f"the ticket has {len(memory.chunks)} chunks; expected 1 to {MAX_CHUNKS}")
    for chunk in memory.chunks:
        if chunk.size <= 0 or chunk.size % memory.granularity:
            raise TicketError(f"a chunk has {chunk.size} bytes; expected a multiple of {memory.granularity}, and not 0")
        if isinstance(chunk.handle, bytes):
            _check_length("a fabric handle", chunk.handle, 64)
    if len({isinstance(chunk.handle, int) for chunk in memory.chunks}) != 1:
        raise TicketError("some chunks have descriptors and others fabric handles; a ticket has only one of the two")
    if sum(chunk.size for chunk in memory.chunks) != ticket.size:
        raise TicketError(f"the chunks do not have {ticket.size} bytes together")
    indices = ticket.descriptors()
    if len(set(indices)) != len(indices):
        raise TicketError("two chunks have the same descriptor")


_HEADER = struct.Struct("<4sIQ")
_MESSAGE, _END = b"CIM\x01", b"CIE\x01"
_BATCH = 253
LARGEST_MESSAGE = 16 << 20
"""The most bytes of one message, unless `receive_message` is told another number."""


def send(
    socket: sockets.socket,
    ticket: Ticket,
    descriptors: Sequence[int] = (),
    message: Optional[bytes] = None,
    key: Optional[bytes] = None,
) -> None:
    """Sends a ticket, its descriptors in the order of their indices, and a message beside them if there is one.

    In the Rust crate, `Parcel::receive` receives a ticket alone, and `Parcel::receive_with` one with a message. With a
    key, they are `Parcel::receive_sealed` and `Parcel::receive_sealed_with`.
    """
    if len(descriptors) < ticket.descriptor_count():
        raise TicketError(f"the ticket needs {ticket.descriptor_count()} descriptors, not {len(descriptors)}")
    data = ticket.to_bytes(key)
    if message is not None:
        data += message
        data += _mac(key, data) if key is not None else b""
    send_message(socket, data, descriptors)


def send_message(socket: sockets.socket, data: bytes, descriptors: Sequence[int] = ()) -> None:
    """Sends any message, as `Connection::send` of the Rust crate does."""
    # What goes with each batch of descriptors.
    pieces = [b"\0"] * max(1, -(-len(descriptors) // _BATCH))
    pieces[0] = _HEADER.pack(_MESSAGE, len(descriptors), len(data))
    pieces[-1] += data
    for index, piece in enumerate(pieces):
        _send_with(socket, piece, descriptors[index * _BATCH : (index + 1) * _BATCH])


def _send_with(socket: sockets.socket, data: bytes, descriptors: Sequence[int]) -> None:
    rights = [(sockets.SOL_SOCKET, sockets.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
    sent = socket.sendmsg([data], rights)
    if sent < len(data):
        socket.sendall(data[sent:])


def receive(socket: sockets.socket, key: Optional[bytes] = None) -> Tuple[Ticket, List[int]]:
    """Receives a ticket and its descriptors, which the caller closes.

    One descriptor more than the ticket needs is a lease: the exporter waits until all its holders have closed it.
    Raises EOFError when the peer has ended.
    """
    data, descriptors = receive_message(socket)
    try:
        ticket = Ticket.from_bytes(data, key)
        _check_descriptors(ticket, descriptors)
        return ticket, descriptors
    except BaseException:
        _close(descriptors)
        raise


def receive_with(socket: sockets.socket, key: Optional[bytes] = None) -> Tuple[Ticket, List[int], bytes]:
    """Receives a ticket and its descriptors as `receive` does, and the message beside them."""
    data, descriptors = receive_message(socket)
    try:
        ticket, message = Ticket.from_prefix(data, key)
        if key is not None:
            signed, message, mac = data[:-_MAC], message[:-_MAC], message[-_MAC:]
            if not hmac.compare_digest(mac, _mac(key, signed)):
                raise TicketError("the message was not sealed with this key")
        _check_descriptors(ticket, descriptors)
        return ticket, descriptors, message
    except BaseException:
        _close(descriptors)
        raise


def _check_descriptors(ticket: Ticket, descriptors: Sequence[int]) -> None:
    needed = ticket.descriptor_count()
    if len(descriptors) not in (needed, needed + 1):
        raise TicketError(f"the ticket needs {needed} descriptors; {len(descriptors)} arrived")


def receive_message(
    socket: sockets.socket, most_bytes: int = LARGEST_MESSAGE, most_descriptors: int = MAX_CHUNKS + 1
) -> Tuple[bytes, List[int]]:
    """Receives any message, as `Connection::receive` of the Rust crate does. The caller closes the descriptors.

    Raises EOFError when the peer has ended, MessageError if the bytes are not a message or if it is larger than permitted,
    and DescriptorsLost.
    """
    descriptors: List[int] = []
    try:
        kind, count, length = _HEADER.unpack(_receive_exactly(socket, _HEADER.size, descriptors))
        if kind == _END:
            raise EOFError("the peer has announced that it sends nothing more")
        if kind != _MESSAGE:
            raise MessageError("the peer does not send messages of cuda-ipc")
        if length > most_bytes or count > most_descriptors:
            raise MessageError(f"a message of {length} bytes and {count} descriptors is larger than permitted")
        _receive_exactly(socket, max(0, -(-count // _BATCH) - 1), descriptors)
        data = _receive_exactly(socket, length, descriptors)
        if len(descriptors) != count:
            raise MessageError(f"{len(descriptors)} of {count} descriptors arrived")
        return data, descriptors
    except BaseException:
        _close(descriptors)
        raise


def _receive_exactly(socket: sockets.socket, count: int, descriptors: List[int]) -> bytes:
    data = b""
    while len(data) < count:
        room = sockets.CMSG_SPACE(_BATCH * array.array("i").itemsize)
        part, rights, flags, _ = socket.recvmsg(count - len(data), room, sockets.MSG_CMSG_CLOEXEC)
        for level, kind, value in rights:
            if (level, kind) == (sockets.SOL_SOCKET, sockets.SCM_RIGHTS):
                received = array.array("i")
                received.frombytes(value[: len(value) - len(value) % received.itemsize])
                descriptors.extend(received)
        if flags & sockets.MSG_CTRUNC:
            raise DescriptorsLost("the kernel dropped descriptors: raise the limit of open files")
        if not part:
            raise EOFError("the peer has closed the connection")
        data += part
    return data


def _close(descriptors: List[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
