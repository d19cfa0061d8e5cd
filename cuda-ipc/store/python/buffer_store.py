"""A client of `buffer-store`: GPU buffers that processes share. PROTOCOL.md describes what it sends.

It needs Python 3.9 or later, `cuda_ipc_ticket.py` and a CUDA driver: `libcuda.so.1`, or the library that
`CUDA_IPC_DRIVER` names.

    with Store("/tmp/store.socket") as store:
        with store.create(12) as draft:
            draft.write(0, b"hello world\\0")
            draft.seal_as("greeting")
        with store.get(store.wait_for("greeting", 10)) as buffer:
            print(buffer.read(), hex(buffer.pointer))

`pointer` is an address for kernels and other libraries, in the primary context of the store's device. A buffer that was
got can only be read. Ids are 32 hexadecimal digits. One thread at a time uses a store and what came from it.
"""

import ctypes
import os
import select
import socket
import struct
import time
from dataclasses import dataclass
from typing import Iterator, List, Optional

import cuda_ipc_ticket

__all__ = [
    "VERSION", "Buffer", "CudaError", "Draft", "NotNamed", "ObjectStatus", "ProtocolError", "Refused", "Status", "Store", "StoreError",
    "StoreGone", "UserStatus",
]

VERSION = 1
"""The version of the protocol. A daemon of another version refuses this client."""

_HELLO, _CREATE, _SEAL, _GET, _RELEASE, _DELETE, _BIND, _LOOKUP, _UNBIND, _STATUS, _LIST, _SEAL_AS, _REBIND, _NAMES, \
    _WAIT, _GIVE_UP = range(1, 17)
_WELCOME, _DONE, _CREATED, _OBJECT, _FOUND, _STATUS_REPLY, _PAGE, _REFUSED, _FORGET, _NAMES_PAGE, \
    _NAMED = range(128, 139)
_PAGE_LENGTH, _NAMES_PAGE_LENGTH = 128, 100

_LARGEST = 32 << 10
_COUNTED = {1: "bytes", 2: "objects", 3: "names", 4: "clients", 5: "waits for names"}


class StoreError(Exception):
    """A request failed."""


class StoreGone(StoreError):
    """The daemon has ended or was killed. Buffers that are held stay readable."""


class ProtocolError(StoreError):
    """The reply does not belong to this version of the protocol, so what listens there may not be a store."""


class NotNamed(StoreError):
    """No object got the name in time."""


class Refused(StoreError):
    """The store refused a request. `code` is that of PROTOCOL.md."""

    OTHER_VERSION, OTHER_USER, MALFORMED, NO_OBJECT, NOT_SEALED, NOT_THE_CREATOR, NOT_THE_OWNER, NO_NAME, NAME_TAKEN, \
        LIMIT, NO_MEMORY, BUSY = range(1, 13)

    def __init__(self, code: int, message: str):
        super().__init__(message)
        self.code = code


class CudaError(StoreError):
    """The driver returned an error. `code` is its CUresult."""

    def __init__(self, function: str, code: int):
        super().__init__(f"{function} returned {code}")
        self.code = code


@dataclass(frozen=True)
class UserStatus:
    """What one user has."""

    uid: int
    clients: int
    objects: int
    bytes: int
    names: int
    waits: int


@dataclass(frozen=True)
class Status:
    """The state of a store. `received` counts the messages of all clients, this request included."""

    device: bytes
    sealed: int
    unsealed: int
    deleted: int
    bytes: int
    names: int
    holders: int
    received: int
    users: List[UserStatus]


@dataclass(frozen=True)
class ObjectStatus:
    """One object of a list."""

    id: str
    size: int
    owner: int
    holders: int
    is_sealed: bool
    names: List[str]


class Store:
    """A connection to a store. `timeout` is how long each call waits for a reply, in seconds."""

    def __init__(self, path: str, timeout: float = 10.0):
        self._waits, self._named = 0, {}
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(timeout)
            self._socket.connect(path)
            try:
                cuda_ipc_ticket.send_message(self._socket, struct.pack("<H8sH", _HELLO, b"BUFSTORE", VERSION))
            except OSError:
                pass  # A store that does not serve this user has said so before it hung up.
            self._expect((_WELCOME,))
        except BaseException:
            self._socket.close()
            raise

    def create(self, size: int) -> "Draft":
        """Creates a buffer, and maps it for writing. It ends unless it is sealed."""
        payload, descriptors = self._ask(_CREATE, struct.pack("<Q", size), _CREATED, descriptors=1)
        return Draft(self, payload, descriptors)

    def get(self, object_id: str) -> "Buffer":
        """Maps a sealed buffer for reading."""
        payload, descriptors = self._ask(_GET, _id_bytes(object_id), _OBJECT, descriptors=1)
        return Buffer(self, payload, descriptors)

    def delete(self, object_id: str) -> None:
        """Deletes a buffer and its names. Who holds it can still read it."""
        self._ask(_DELETE, _id_bytes(object_id), _DONE)

    def bind(self, name: str, object_id: str) -> None:
        """Gives a sealed buffer a name of 1 to 255 bytes."""
        self._ask(_BIND, _id_bytes(object_id) + _name_bytes(name), _DONE)

    def bind_or_replace(self, name: str, object_id: str) -> Optional[str]:
        """Gives a sealed buffer a name, and returns the id of the other buffer that had the name until now, if any."""
        payload, _ = self._ask(_REBIND, _id_bytes(object_id) + _name_bytes(name), _DONE, _FOUND)
        return payload.hex() if payload else None

    def wait_for(self, name: str, limit: float) -> str:
        """Waits until a buffer has a name, at most for `limit` seconds, and returns its id.

        The store tells this client when the name is given. Raises `NotNamed` if the time is up.
        """
        end, self._waits = time.monotonic() + limit, self._waits + 1
        number = struct.pack("<Q", self._waits)
        payload, _ = self._ask(_WAIT, number + _name_bytes(name), _DONE, _FOUND)
        if payload:
            return payload.hex()
        while number not in self._named:
            if self._has_message(end - time.monotonic()):
                self._obey(*self._receive())
            elif time.monotonic() >= end:
                break
        if number not in self._named:
            self._ask(_GIVE_UP, number, _DONE)
        # The buffer may have got the name before the store has read this.
        object_id = self._named.pop(number, None)
        if object_id is None:
            raise NotNamed(f"no buffer got the name {name!r} within {limit} seconds: check whether its writer still runs")
        return object_id

    def lookup(self, name: str) -> str:
        """Returns the id of the buffer that has a name."""
        payload, _ = self._ask(_LOOKUP, _name_bytes(name), _FOUND)
        return payload.hex()

    def unbind(self, name: str) -> None:
        """Takes a name from its buffer."""
        self._ask(_UNBIND, _name_bytes(name), _DONE)

    def status(self) -> Status:
        """Returns the state of the store."""
        payload, _ = self._ask(_STATUS, b"", _STATUS_REPLY)
        (*numbers, count), rest = _take(struct.Struct("<16s7QI"), payload)
        return Status(*numbers, _list(struct.Struct("<I5Q"), count, rest, UserStatus))

    def list(self) -> List[ObjectStatus]:
        """Returns the buffers of this user with their names, in the order of their ids.

        For the user of the store, it returns those of all users.
        """
        objects: List[ObjectStatus] = []
        while True:
            after = _id_bytes(objects[-1].id) if objects else b""
            payload, _ = self._ask(_LIST, after, _PAGE)
            (count,), rest = _take(struct.Struct("<I"), payload)
            objects += _list(
                struct.Struct("<16sQIIB"), count, rest,
                lambda key, size, owner, holders, sealed: ObjectStatus(key.hex(), size, owner, holders, sealed == 1, []),
            )
            if count < _PAGE_LENGTH:
                break
        by_id = {item.id: item for item in objects}
        for object_id, name in self._all_names():
            if object_id in by_id:
                by_id[object_id].names.append(name)
        return objects

    def _all_names(self) -> "Iterator[tuple[str, str]]":
        after = b""
        while True:
            payload, _ = self._ask(_NAMES, after, _NAMES_PAGE)
            (count,), rest = _take(struct.Struct("<I"), payload)
            for _ in range(count):
                (object_id, length), rest = _take(struct.Struct("<16sB"), rest)
                (after,), rest = _take(struct.Struct(f"<{length}s"), rest)
                yield object_id.hex(), after.decode()
            if count < _NAMES_PAGE_LENGTH:
                return

    def close(self) -> None:
        """Closes the connection. Buffers stay mapped until they are closed too; what was not sealed ends."""
        self._socket.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def _ask(self, kind: int, fields: bytes, *replies: int, descriptors: int = 0) -> "tuple[bytes, List[int]]":
        """Sends a request, and returns what follows the kind of its reply, which is one of `replies`."""
        self._send(struct.pack("<H", kind) + fields)
        return self._expect(replies, descriptors)

    def _tell(self, kind: int, fields: bytes) -> None:
        """Sends a message that has no reply. If the store is gone, it has nothing left to learn."""
        try:
            self._send(struct.pack("<H", kind) + fields)
        except StoreGone:
            pass

    def _send(self, message: bytes) -> None:
        try:
            cuda_ipc_ticket.send_message(self._socket, message)
        except OSError as error:
            self._socket.close()
            raise StoreGone(f"the store is gone: {error}") from error

    def _expect(self, replies: "tuple[int, ...]", wanted: int = 0) -> "tuple[bytes, List[int]]":
        """Receives the reply to the last request, and returns what follows its kind."""
        while True:
            message, descriptors = self._receive()
            kind, payload = _kind(message)
            length = {_WELCOME: 0, _DONE: 0, _FOUND: 16}.get(kind, len(payload))
            if kind in replies and len(descriptors) == wanted and len(payload) == length:
                return payload, descriptors
            if kind == _REFUSED:
                _close(descriptors)
                raise _refusal(payload)
            self._obey(message, descriptors)

    def _obey(self, message: bytes, descriptors: List[int]) -> None:
        """Takes a message that is not a reply."""
        _close(descriptors)
        kind, payload = _kind(message)
        if kind == _NAMED and len(payload) == 24:
            self._named[payload[:8]] = payload[8:].hex()
        elif kind != _FORGET:
            # The next reply would be taken for that of another request.
            self._socket.close()
            raise ProtocolError(f"unexpected reply {kind} of {len(message)} bytes")
        # Otherwise a buffer was deleted that this client holds. It stays mapped until its user closes it.

    def _has_message(self, seconds: float) -> bool:
        """Waits for a message, at most for a minute, and returns whether there is one."""
        # Unlike select.select, it takes any descriptor.
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(1000 * max(0, min(seconds, 60))))

    def _receive(self) -> "tuple[bytes, List[int]]":
        """Receives one message, with its descriptors."""
        try:
            return cuda_ipc_ticket.receive_message(self._socket, _LARGEST, 1)
        except (EOFError, OSError) as error:
            failure: StoreError = StoreGone(f"the store is gone, or does not reply: {error}")
            cause: Exception = error
        except cuda_ipc_ticket.DescriptorsLost as error:
            failure, cause = StoreError(f"the memory was lost: {error}"), error
        except cuda_ipc_ticket.MessageError as error:
            failure, cause = ProtocolError(f"what listens there is not a store: {error}"), error
        self._socket.close()
        raise failure from cause


class Buffer:
    """A sealed buffer, mapped for reading. It stays readable until it is closed, even if the store is gone."""

    _access = cuda_ipc_ticket.READ

    def __init__(self, store: Store, payload: bytes, descriptors: List[int]):
        self._store, self._memory = store, None
        try:
            self.id = payload[:16].hex()
            try:
                ticket = cuda_ipc_ticket.Ticket.from_bytes(payload[16:])
            except cuda_ipc_ticket.TicketError as error:
                raise ProtocolError(f"the store sent no ticket: {error}") from error
            if not isinstance(ticket.handle, cuda_ipc_ticket.PhysicalMemory) or ticket.descriptor_count() != 1:
                raise ProtocolError("the store sent a ticket for something else")
            self.size = ticket.length
            self._memory = _Mapping(ticket, descriptors)
        except BaseException:
            self._tell()
            raise
        finally:
            _close(descriptors)

    @property
    def pointer(self) -> int:
        """The address of the first byte on the device."""
        return self._mapped().pointer

    def read(self, offset: int = 0, length: Optional[int] = None) -> bytes:
        """Copies bytes to the host."""
        length = self.size - offset if length is None else length
        self._check(offset, length)
        return self._mapped().read(offset, length)

    def close(self) -> None:
        """Unmaps the buffer, and tells the store."""
        if self._memory is not None:
            memory, self._memory = self._memory, None
            try:
                memory.close()
            finally:
                self._tell()

    def _tell(self) -> None:
        self._store._tell(_RELEASE, struct.pack("<16sQ", bytes.fromhex(self.id), 1))

    def _mapped(self) -> "_Mapping":
        if self._memory is None:
            raise ValueError("the buffer is closed")
        return self._memory

    def _check(self, offset: int, length: int) -> None:
        if offset < 0 or length < 0 or offset + length > self.size:
            raise ValueError(f"{length} bytes at offset {offset} are not within {self.size} bytes")

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.close()


class Draft(Buffer):
    """A new buffer, mapped for writing. Closing it without sealing ends it."""

    def write(self, offset: int, data: bytes) -> None:
        """Copies bytes to the device."""
        self._check(offset, len(data))
        self._mapped().write(offset, bytes(data))

    def seal(self) -> str:
        """Ends the writing, and returns the id with which everybody can get the buffer for reading.

        It first waits for all work of the context.
        """
        memory = self._mapped()
        memory.synchronize()
        memory.close()
        self._memory = None
        try:
            self._store._ask(_SEAL, bytes.fromhex(self.id), _DONE)
        except Refused:
            self._tell()
            raise
        return self.id

    def seal_as(self, name: str) -> str:
        """Seals the buffer and gives it a name in one step, and returns its id.

        If the name is refused, nothing is sealed, and this draft stays as it is.
        """
        memory = self._mapped()
        memory.synchronize()
        self._store._ask(_SEAL_AS, bytes.fromhex(self.id) + _name_bytes(name), _DONE)
        self._memory = None
        memory.close()
        return self.id


class _Mapping:
    """Virtual memory of another process, mapped in the primary context of its device."""

    def __init__(self, ticket: cuda_ipc_ticket.Ticket, descriptors: List[int]):
        self._driver = driver = _driver()
        self._undo: List = []
        try:
            self._device, self._context = driver.primary_context(ticket.device)
            size = sum(chunk.size for chunk in ticket.handle.chunks)
            handles = []
            for chunk in ticket.handle.chunks:
                handle = ctypes.c_uint64()
                # 1 is CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR.
                descriptor = ctypes.c_void_p(descriptors[chunk.handle])
                driver.call("cuMemImportFromShareableHandle", ctypes.byref(handle), descriptor, ctypes.c_int(1))
                self._undo.append(("cuMemRelease", handle))
                handles.append((chunk.size, handle))
            base = ctypes.c_uint64()
            length = ctypes.c_size_t(size)
            driver.call(
                "cuMemAddressReserve", ctypes.byref(base), length, ctypes.c_size_t(0), ctypes.c_uint64(0), ctypes.c_uint64(0)
            )
            self._undo.append(("cuMemAddressFree", base, length))
            place = base.value
            for chunk_size, handle in handles:
                where, chunk_length = ctypes.c_uint64(place), ctypes.c_size_t(chunk_size)
                driver.call("cuMemMap", where, chunk_length, ctypes.c_size_t(0), handle, ctypes.c_uint64(0))
                self._undo.append(("cuMemUnmap", where, chunk_length))
                place += chunk_size
            # CUmemAccessDesc: the location's type (1 is a device), its number, and the access.
            access = (ctypes.c_int * 3)(1, self._device.value, ticket.handle.access)
            driver.call("cuMemSetAccess", base, length, ctypes.byref(access), ctypes.c_size_t(1))
            self.pointer = base.value + ticket.offset
        except BaseException:
            self.close()
            raise

    def _within(self, function: str, *arguments) -> None:
        self._driver.call("cuCtxPushCurrent_v2", self._context)
        try:
            self._driver.call(function, *arguments)
        finally:
            self._driver.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))

    def read(self, offset: int, length: int) -> bytes:
        data = ctypes.create_string_buffer(length or 1)
        self._within("cuMemcpyDtoH_v2", data, ctypes.c_uint64(self.pointer + offset), ctypes.c_size_t(length))
        return data.raw[:length]

    def write(self, offset: int, data: bytes) -> None:
        self._within("cuMemcpyHtoD_v2", ctypes.c_uint64(self.pointer + offset), data, ctypes.c_size_t(len(data)))
        self.synchronize()

    def synchronize(self) -> None:
        self._within("cuCtxSynchronize")

    def close(self) -> None:
        """Undoes everything, in reverse order. The first error is raised when all is done."""
        first = None
        while self._undo:
            function, *arguments = self._undo.pop()
            try:
                self._driver.call(function, *arguments)
            except CudaError as error:
                first = first or error
        if first is not None:
            raise first


class _Driver:
    """The CUDA driver."""

    def __init__(self) -> None:
        chosen = os.environ.get("CUDA_IPC_DRIVER")
        try:
            self._library = ctypes.CDLL(chosen or "libcuda.so.1")
        except OSError as error:
            if chosen:
                advice = "CUDA_IPC_DRIVER names it: set it to the path of a CUDA driver, or unset it"
            else:
                advice = "install the NVIDIA driver, or set CUDA_IPC_DRIVER to the path of the library"
            raise StoreError(f"the CUDA driver cannot be loaded: {error}. {advice}") from error
        self.call("cuInit", ctypes.c_uint(0))
        self._contexts: dict = {}

    def primary_context(self, uuid: bytes) -> "tuple[ctypes.c_int, ctypes.c_void_p]":
        """Returns a device and its primary context, which stays until the process ends: to make one takes long."""
        if uuid not in self._contexts:
            device, context = self._device(uuid), ctypes.c_void_p()
            self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
            self._contexts[uuid] = device, context
        return self._contexts[uuid]

    def _device(self, uuid: bytes) -> ctypes.c_int:
        count = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(count))
        for ordinal in range(count.value):
            device, found = ctypes.c_int(), ctypes.create_string_buffer(16)
            self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(ordinal))
            self.call("cuDeviceGetUuid_v2", found, device)
            if found.raw == uuid:
                return device
        raise StoreError(f"this process does not see the store's device {uuid.hex()}")

    def call(self, function: str, *arguments) -> None:
        code = getattr(self._library, function)(*arguments)
        if code != 0:
            raise CudaError(function, code)


_loaded: Optional[_Driver] = None


def _driver() -> _Driver:
    global _loaded
    if _loaded is None:
        _loaded = _Driver()
    return _loaded


def _close(descriptors: List[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


def _id_bytes(object_id: str) -> bytes:
    try:
        data = bytes.fromhex(object_id)
    except ValueError:
        data = b""
    if len(data) != 16:
        raise ValueError(f"{object_id!r} is not an object id, which has 32 hexadecimal digits")
    return data


def _name_bytes(name: str) -> bytes:
    data = name.encode()
    if not 1 <= len(data) <= 255:
        raise ValueError(f"a name has 1 to 255 bytes, and this one has {len(data)}")
    return data


def _kind(message: bytes) -> "tuple[Optional[int], bytes]":
    """Splits a message into its kind and its fields."""
    return (int.from_bytes(message[:2], "little") if len(message) >= 2 else None), message[2:]


def _take(fields: struct.Struct, data: bytes) -> "tuple[tuple, bytes]":
    if len(data) < fields.size:
        raise ProtocolError("a reply is cut off")
    return fields.unpack_from(data), data[fields.size:]


def _list(fields: struct.Struct, count: int, data: bytes, item) -> list:
    if len(data) != count * fields.size:
        raise ProtocolError("a list of the reply has the wrong length")
    return [item(*values) for values in fields.iter_unpack(data)]


def _refusal(payload: bytes) -> StoreError:
    (code,), rest = _take(struct.Struct("<H"), payload)
    def object_id() -> str:
        return _take(struct.Struct("<16s"), rest)[0][0].hex()
    if code == Refused.OTHER_VERSION:
        store = _take(struct.Struct("<H"), rest)[0][0]
        return Refused(code, f"the store speaks version {store} of the protocol, and this client version {VERSION}")
    if code == Refused.OTHER_USER:
        return Refused(code, f"the store does not serve user {_take(struct.Struct('<I'), rest)[0][0]}")
    if code == Refused.MALFORMED:
        what = "the store could not read a request of this client"
        return Refused(code, f"{what}: this is a bug of the client, so report it")
    if code == Refused.NO_OBJECT:
        gone = "because it was deleted, never sealed, or never existed: see `buffer-store list`"
        return Refused(code, f"the store has no object {object_id()}, {gone}")
    if code == Refused.NOT_SEALED:
        return Refused(code, f"object {object_id()} is not sealed yet: wait until its creator has sealed it")
    if code == Refused.NOT_THE_CREATOR:
        what = f"object {object_id()} is sealed already, or another client created it"
        return Refused(code, f"{what}: its creator seals it, once")
    if code == Refused.NOT_THE_OWNER:
        who = "only that user and the user of the store delete it or change its names"
        return Refused(code, f"object {object_id()} belongs to another user: {who}")
    if code in (Refused.NO_NAME, Refused.NAME_TAKEN):
        name = repr(rest.decode(errors="replace"))
        if code == Refused.NO_NAME:
            return Refused(code, f"the store has no object with the name {name}: give it to a sealed object first, or wait for it")
        return Refused(code, f"the name {name} is taken: unbind it first, or choose another name")
    if code == Refused.LIMIT:
        counted, limit, used, wanted = _take(struct.Struct("<BQQQ"), rest)[0]
        counted = _COUNTED.get(counted, "things")
        advice = "give up what is not needed, or start the store with a higher limit"
        what = f"{wanted} more {counted} would exceed the limit of the user, who has {used} of {limit}"
        return Refused(code, f"{what}: {advice}")
    if code == Refused.NO_MEMORY:
        return Refused(code, f"the store could not create the object: {rest.decode(errors='replace')}")
    if code == Refused.BUSY:
        reason = "clients have not received what it sent before"
        return Refused(code, f"the store cannot send memory now, because {reason}: try again")
    return ProtocolError(f"unknown refusal {code}")
