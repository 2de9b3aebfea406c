"""The second process: writes what a run hands over, until the run ends, however it ends."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from itertools import takewhile
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, get_type_hints

import msgspec

from gradviz.catalogue.language import load_language
from gradviz.store.errors import TraceError
from gradviz.store.trace_file import TraceFile, failed_write_error, unwritable_trace_error
from gradviz.store.writer_lock import lock_trace

if sys.platform == "linux":
    import _socket

if TYPE_CHECKING:
    from _socket import socket

    from gradviz.store.shared_tensors import SharedTensors

HEAD = Struct("<Q?")
"""In front of each packet to the second process: its position, and whether a message ends."""
REPLY_HEAD = Struct("<QQ?")
"""In front of each part of a reply: the position of what is done, the size of the trace, and
whether the reply ends."""
AT_WORK = b"."
"""Sent each second until a reply comes, so that the run waits as long as that may take."""
DESCRIPTOR = Struct("@i")
"""The number of a descriptor that comes with a packet."""
PACKET_BYTES = 1 << 16
_MOST_WAITING = 32 << 20
"""Bytes; with more, the run waits."""
_GATHER_S = 0.02
_MANY_BYTES = 1 << 20
"""Rows wait so long for others, unless they are many: a transaction takes as long as 200 rows."""

_ROWS = b"\xdd"
"""Begins a message of rows; others are the name of a method with its arguments."""
_FOLLOWED_UP = "put_meta"
"""Nobody waits for it, as for rows."""

_pack = msgspec.msgpack.Encoder().encode


def main(language: str) -> None:
    """Serve the run at the other end of what is the standard output.

    Args:
        language: The language of errors.
    """
    # They may be meant for all processes that belong to the run; this one ends after it.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    os.chdir("/")
    load_language(language)
    channel = _socket.socket(fileno=1)
    try:
        _Service(channel).run()
    finally:
        # At once: the run waits for the end.
        os._exit(0)


class _Inbox:
    """Reads messages while others are written.

    Attributes:
        is_busy: Whether some that were taken are not written yet.
        descriptor: The last one that came with a message; -1 if none did.
    """

    def __init__(self, channel: socket) -> None:
        self.descriptor = -1
        self._channel = channel
        self._changed = threading.Condition()
        self._messages: list[tuple[int, bytes]] = []
        self._bytes = 0
        self._is_asked = False
        self._is_over = False
        self.is_busy = False
        threading.Thread(target=self._read, daemon=True).start()

    def take(self) -> list[tuple[int, bytes]]:
        """All messages that have come, each with the position of its end; none at the end."""
        with self._changed:
            self.is_busy = bool(self._messages)
            self._changed.wait_for(lambda: self._messages or self._is_over)
            self.is_busy = True
            self._changed.wait_for(lambda: self._is_asked or self._is_over, _GATHER_S)
            self._is_asked = False
            taken, self._messages, self._bytes = self._messages, [], 0
            self._changed.notify()
            return taken

    def _read(self) -> None:
        position, parts = 0, []
        while packet := self._receive():
            at, is_last = HEAD.unpack_from(packet)
            if at < position:
                # The run was interrupted, and has sent it again.
                continue
            parts.append(packet[HEAD.size :])
            position += len(parts[-1])
            if is_last:
                self._add(position, b"".join(parts))
                parts.clear()
        with self._changed:
            self._is_over = True
            self._changed.notify()

    def _receive(self) -> bytes:
        room = _socket.CMSG_SPACE(DESCRIPTOR.size)
        while True:
            try:
                packet, extra, _, _ = self._channel.recvmsg(
                    2 * PACKET_BYTES, room, _socket.MSG_CMSG_CLOEXEC
                )
            except ConnectionResetError:
                # Once, if the run has ended and left a reply unread; what it sent follows.
                continue
            except OSError:
                return b""
            for _, _, data in extra:
                (self.descriptor,) = DESCRIPTOR.unpack(data)
            return packet

    def _add(self, position: int, message: bytes) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._bytes < _MOST_WAITING)
            self._messages.append((position, message))
            self._bytes += len(message)
            self._is_asked |= not message.startswith(_ROWS) or self._bytes > _MANY_BYTES
            self._changed.notify()


class _Service:
    """Does what messages say, and replies."""

    def __init__(self, channel: socket) -> None:
        self._channel = channel
        self._inbox = _Inbox(channel)
        self._shared: SharedTensors | None = None
        self._path = Path()
        self._file: TraceFile | None = None
        self._size = 0
        self._is_closed = False
        self._is_over = threading.Event()
        self._lock: int | None = None
        # What is not in the trace yet, perhaps because the disk is full.
        self._unwritten: list[bytes] = []

    def run(self) -> None:
        """Serve until the run ends."""
        threading.Thread(target=self._say_at_work, daemon=True).start()
        while not self._is_closed and (messages := self._inbox.take()):
            unanswered = 0
            for position, message in messages:
                if message.startswith(_ROWS) or _parts_of(message)[0] == _FOLLOWED_UP:
                    self._unwritten.append(self._without_copies(message))
                    unanswered = position
                else:
                    self._reply(position, partial(self._do, *_parts_of(message)))
                    unanswered = 0
            if unanswered:
                self._reply(unanswered, self._write)
        with suppress(TraceError):
            self._close()
        self._is_over.set()
        if self._lock is not None:
            os.close(self._lock)

    def _say_at_work(self) -> None:
        while not self._is_over.wait(1):
            if self._inbox.is_busy:
                # A run that does not read waits for nothing.
                with suppress(OSError):
                    self._channel.send(AT_WORK, _socket.MSG_NOSIGNAL | _socket.MSG_DONTWAIT)

    def _do(self, name: str, *arguments: Any) -> Any:
        match name:
            case "open":
                return self._open(*arguments)
            case "close":
                self._is_closed = True
                return self._close()
        self._write()
        match name:
            case "answer":
                return None
            case "share":
                return self._share()
            case "compute":
                return _compute(*arguments)
        return getattr(self._file, name)(*arguments)

    def _open(self, place: str, path: str, run: int, is_new: bool) -> None:
        self._path = Path(path)
        try:
            self._lock = os.open(place, os.O_RDWR)
            lock_trace(self._lock, run)
        except OSError as error:
            raise unwritable_trace_error(self._path, error) from None
        self._file = TraceFile(Path(place), self._path, is_new=is_new)

    def _share(self) -> bool:
        """Use the memory whose descriptor has come; False if that is not possible."""
        descriptor = self._inbox.descriptor
        # Nothing here uses the threads that a library of NumPy would start.
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        try:
            # Late, as this takes longer than many recordings.
            from gradviz.store.shared_tensors import SharedTensors

            self._shared = SharedTensors(descriptor)
        except (OSError, ValueError, ImportError):
            return False
        os.close(descriptor)
        return True

    def _without_copies(self, message: bytes) -> bytes:
        """The message with what it refers to in shared memory, which the run will use again."""
        if self._shared is None or not message.startswith(_ROWS):
            return message
        return self._shared.complete(message)

    def _write(self) -> None:
        """Write what waits, in as few transactions as possible."""
        while self._file is not None and self._unwritten:
            rows = list(takewhile(lambda each: each.startswith(_ROWS), self._unwritten))
            if rows:
                self._file.write(*rows)
            else:
                _, key, text = _parts_of(self._unwritten[0])
                self._file.put_meta(key, text)
            # After the commit only: what could not be written is tried again.
            del self._unwritten[: len(rows) or 1]

    def _close(self) -> None:
        if self._file is None:
            return
        try:
            self._write()
        finally:
            file, self._file = self._file, None
            file.close()

    def _reply(self, position: int, work: Callable[[], Any]) -> None:
        error = value = None
        try:
            value = work()
            self._size = self._size if self._file is None else self._file.size()
        except TraceError as problem:
            error = str(problem)
        except sqlite3.Error as problem:
            error = str(failed_write_error(self._path, problem))
        text = _pack((error, value))
        # The run may have ended.
        with suppress(OSError):
            for at in range(0, len(text), PACKET_BYTES):
                part = text[at : at + PACKET_BYTES]
                head = REPLY_HEAD.pack(position, self._size, at + len(part) == len(text))
                self._channel.send(head + part, _socket.MSG_NOSIGNAL)


def _compute(module: str, name: str, place: str, facts: bytes) -> msgspec.Raw:
    """Apply a function; see `gradviz.store.writer.TraceWriter.compute`.

    Raises:
        TraceError: If it fails, however.
    """
    try:
        function = getattr(import_module(module), name)
        _, kind, *_ = get_type_hints(function).values()
        given = msgspec.msgpack.decode(facts, type=kind)
        return msgspec.Raw(_pack(function(Path(place), given)))
    except Exception as error:
        raise TraceError(f"{type(error).__name__}: {error}") from error


def _parts_of(message: bytes) -> tuple[str, ...]:
    name, *arguments = msgspec.msgpack.decode(message)
    return (name, *arguments)
