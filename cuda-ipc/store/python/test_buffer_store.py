"""Tests buffer_store against a daemon. `BUFFER_STORE` is the path of the program, and `CUDA_IPC_DRIVER` that of the driver.

The Rust tests run it: cargo test -p cuda-ipc-store --test elsewhere
"""

import itertools
import os
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path

import buffer_store
from buffer_store import CudaError, NotNamed, ProtocolError, Refused, Store, StoreError, StoreGone

DATA = bytes(index % 251 for index in range(5000))


class Daemon:
    """A running store."""

    def __init__(self, *arguments):
        self.folder = tempfile.TemporaryDirectory(prefix="cuda-ipc-store-test")
        self.path = str(Path(self.folder.name) / "socket")
        command = [os.environ["BUFFER_STORE"], "serve", self.path, *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout.readline().startswith("serving ")

    def end(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


class WithDaemon(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon()
        self.addCleanup(self.daemon.end)
        self.store = Store(self.daemon.path)
        self.addCleanup(self.store.close)

    def sealed(self, data=DATA):
        with self.store.create(len(data)) as draft:
            draft.write(0, data)
            return draft.seal()

    def refused(self, code, action, *arguments):
        with self.assertRaises(Refused) as caught:
            action(*arguments)
        self.assertEqual(caught.exception.code, code)

    def test_another_client_finds_what_was_sealed(self):
        object_id = self.sealed()
        with Store(self.daemon.path) as other, other.get(object_id) as buffer:
            self.assertEqual((buffer.read(), buffer.size, buffer.id), (DATA, len(DATA), object_id))
            self.assertEqual(buffer.read(7, 5), DATA[7:12])
            self.assertGreater(buffer.pointer, 0)
            for offset, length in [(0, len(DATA) + 1), (len(DATA), 1), (-1, 1)]:
                with self.assertRaises(ValueError):
                    buffer.read(offset, length)
            with self.assertRaises(CudaError):
                buffer._memory.write(0, b"x")
            self.assertEqual(buffer.read(), DATA)

    def test_a_draft_is_not_got_and_ends_if_it_is_closed(self):
        draft = self.store.create(10)
        self.refused(Refused.NOT_SEALED, self.store.get, draft.id)
        self.assertEqual(self.store.status().unsealed, 1)
        draft.close()
        self.assertEqual(self.store.status().unsealed, 0)
        self.refused(Refused.NO_OBJECT, self.store.get, draft.id)
        with self.assertRaises(ValueError):
            draft.write(0, b"x")

    def test_a_deleted_buffer_stays_with_its_holder(self):
        object_id = self.sealed()
        with Store(self.daemon.path) as holder:
            buffer = holder.get(object_id)
            self.store.delete(object_id)
            # The holder was told, and reads that before its next reply.
            self.refused(Refused.NO_OBJECT, holder.get, object_id)
            self.assertEqual(buffer.read(), DATA)
            self.assertEqual((holder.status().deleted, holder.status().holders), (1, 1))
            buffer.close()
            status = holder.status()
            self.assertEqual((status.deleted, status.holders, status.bytes), (0, 0, 0))

    def test_names(self):
        object_id = self.sealed()
        self.store.bind("nämé", object_id)
        self.assertEqual(self.store.lookup("nämé"), object_id)
        self.refused(Refused.NAME_TAKEN, self.store.bind, "nämé", object_id)
        self.store.unbind("nämé")
        self.refused(Refused.NO_NAME, self.store.lookup, "nämé")
        for name in ("", "x" * 256):
            with self.assertRaises(ValueError):
                self.store.lookup(name)

    def test_a_name_is_taken_with_the_seal_or_not_at_all(self):
        first = self.sealed()
        self.store.bind("weights", first)
        with self.store.create(3) as draft:
            draft.write(0, b"abc")
            self.refused(Refused.NAME_TAKEN, draft.seal_as, "weights")
            self.refused(Refused.NOT_SEALED, self.store.get, draft.id)
            draft.write(0, b"x")
            self.assertEqual(draft.seal_as("more"), draft.id)
        with self.store.get(self.store.lookup("more")) as buffer:
            self.assertEqual(buffer.read(), b"xbc")
        self.assertIsNone(self.store.bind_or_replace("more", draft.id))
        self.assertEqual(self.store.bind_or_replace("weights", draft.id), first)
        self.assertEqual(self.store.lookup("weights"), draft.id)
        names = {item.id: item.names for item in self.store.list()}
        self.assertEqual(names, {first: [], draft.id: ["more", "weights"]})

    def test_a_list_of_several_pages_of_names_is_complete(self):
        object_id = self.sealed()
        names = [f"{number:0>200}" for number in range(2 * buffer_store._NAMES_PAGE_LENGTH)]
        for name in names:
            self.store.bind(name, object_id)
        self.assertEqual(self.store.list()[0].names, names)

    def waits(self):
        return sum(user.waits for user in self.store.status().users)

    def test_a_name_is_told_to_who_waits_for_it(self):
        object_id = self.sealed()
        with Store(self.daemon.path) as waiting:
            found = []
            thread = threading.Thread(target=lambda: found.append(waiting.wait_for("name", float("inf"))))
            thread.start()
            while self.waits() != 1:
                pass
            self.store.bind("name", object_id)
            thread.join()
            self.assertEqual((found, waiting.wait_for("name", 0)), ([object_id], object_id))
            with self.assertRaises(NotNamed):
                waiting.wait_for("another name", 0.02)
        self.assertEqual(self.waits(), 0)

    def test_other_messages_come_while_a_client_waits(self):
        object_id = self.sealed()
        with Store(self.daemon.path) as waiting, waiting.get(object_id) as buffer:
            # This one is given while the client waits for another name, as if it had given up too late.
            waiting._ask(buffer_store._WAIT, struct.pack("<Q", 1 << 40) + b"early", buffer_store._DONE)
            other = self.sealed()
            self.store.delete(object_id)
            self.store.bind("early", other)
            self.store.bind("name", other)
            self.assertEqual(waiting.wait_for("name", 0), other)
            with self.assertRaises(NotNamed):
                waiting.wait_for("another name", 0.02)
            self.assertEqual(buffer.read(), DATA)

    def test_the_list_and_the_status_have_every_buffer(self):
        ids = sorted(self.sealed(bytes([seed])) for seed in range(3))
        listed = self.store.list()
        self.assertEqual([(item.id, item.size, item.holders, item.is_sealed) for item in listed],
                         [(object_id, 1, 0, True) for object_id in ids])
        with self.store.get(ids[0]):
            status = self.store.status()
        self.assertEqual((status.sealed, status.unsealed, status.holders, status.names), (3, 0, 1, 0))
        self.assertEqual([(user.uid, user.objects, user.bytes) for user in status.users],
                         [(os.geteuid(), 3, status.bytes)])

    def test_a_list_of_several_pages_is_complete(self):
        ids = sorted(self.sealed(b"x") for _ in range(buffer_store._PAGE_LENGTH + 1))
        self.assertEqual([item.id for item in self.store.list()], ids)

    def test_no_memory_and_no_descriptor_is_left(self):
        self.sealed()
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            object_id = self.sealed()
            with self.store.get(object_id):
                self.store.delete(object_id)
        self.store.create(1).close()
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        status = self.store.status()
        self.assertEqual((status.sealed, status.unsealed, status.deleted, status.holders), (1, 0, 0, 0))

    def test_what_is_no_size_is_refused(self):
        self.refused(Refused.NO_MEMORY, self.store.create, 0)
        self.refused(Refused.NO_MEMORY, self.store.create, 1 << 60)


class Ends(unittest.TestCase):
    def test_a_driver_that_cannot_be_loaded_is_named_with_its_variable(self):
        with unittest.mock.patch.dict(os.environ, {"CUDA_IPC_DRIVER": "/nonexistent"}):
            with self.assertRaisesRegex(StoreError, "/nonexistent.*CUDA_IPC_DRIVER names it"):
                buffer_store._Driver()

    def test_a_limit_is_told(self):
        daemon = Daemon("--limit-objects-per-user", "1")
        self.addCleanup(daemon.end)
        with Store(daemon.path) as store, store.create(1):
            with self.assertRaisesRegex(Refused, "1 more objects would exceed the limit of the user, who has 1 of 1"):
                store.create(1)

    def test_a_killed_daemon_leaves_its_holders_their_bytes(self):
        daemon = Daemon()
        store = Store(daemon.path)
        with store.create(len(DATA)) as draft:
            draft.write(0, DATA)
            object_id = draft.seal()
        buffer = store.get(object_id)
        daemon.end(signal.SIGKILL)
        self.assertEqual(buffer.read(), DATA)
        for action in (store.status, lambda: store.get(object_id), lambda: store.create(1)):
            with self.assertRaises(StoreGone):
                action()
        buffer.close()

    def test_another_version_is_told_and_garbage_is_no_store(self):
        frame = struct.Struct("<4sIQ")
        for hears, (reply, error) in itertools.product([True, False], [
            (frame.pack(b"CIM\1", 0, 6) + struct.pack("<HHH", 135, 1, 7), Refused),
            (frame.pack(b"CIM\1", 0, 2) + struct.pack("<H", 129), ProtocolError),
            (frame.pack(b"CIM\1", 0, 0), ProtocolError),
            (frame.pack(b"CIM\1", 0, 1 << 40), ProtocolError),
            (b"HTTP/1.1 400 Bad Request\r\n", ProtocolError),
            (frame.pack(b"CIE\1", 0, 0), StoreGone),
            (b"CIM\1", StoreGone),
        ]):
            # A store that does not serve this user says so, and hangs up, before it has heard anything.
            with self.subTest(reply, hears=hears), tempfile.TemporaryDirectory() as folder:
                path = str(Path(folder) / "socket")
                with socket.socket(socket.AF_UNIX) as listener:
                    listener.bind(path)
                    listener.listen()

                    def serve():
                        peer, _ = listener.accept()
                        with peer:
                            if hears:
                                peer.recv(28)
                            peer.sendall(reply)

                    thread = threading.Thread(target=serve)
                    thread.start()
                    with self.assertRaises(error):
                        Store(path)
                    thread.join()


if __name__ == "__main__":
    unittest.main()
