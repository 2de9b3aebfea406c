"""A second process that writes the trace of a run, as far as the run sees it.

The run hands over packed rows through a socket. From then on, they are written even if the run is
killed. The process is not a child of the run, so that the run's own code never waits for it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from errno import EAGAIN
from itertools import starmap

# By name, because user code may replace the functions in the modules.
from os import fstat
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from weakref import finalize

import msgspec

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.forks import call_after_fork
from gradviz.store.header import final_path
from gradviz.store.pruning import KeptRecords
from gradviz.store.trace_file import TraceFile, unwritable_trace_error
from gradviz.store.writer_lock import own_running_traces
from gradviz.store.writer_program import AT_WORK, DESCRIPTOR, HEAD, PACKET_BYTES, REPLY_HEAD
from gradviz.store.writer_start import should_start, start_program
from gradviz.store.written_files import reraise_asynchronous

if sys.platform == "linux":
    # Not the classes of the module above it, which user code may replace.
    import _socket

    from gradviz.store.shared_memory import MOST_SHARED_BYTES, SharedMemory

if TYPE_CHECKING:
    from _socket import socket

    from gradviz.store.packed_rows import SharedCopy

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")

_pack = msgspec.msgpack.Encoder().encode
_SEND_BUFFER = 1 << 20
_MOST_SILENT_S = 30
"""The process says each second that it works; after this time without a word, it is given up."""
_TIME = Struct("@ll")  # A ``timeval`` of the system.


class WriterProcess:
    """The second process, with the methods of `gradviz.store.trace_file.TraceFile`.

    An exception from outside, such as Ctrl+C, may interrupt each of them: what was not handed over
    completely is completed by the next one. The position in the stream tells the other process
    which packets it has already.

    Attributes:
        early: Rows that were handed over before it has said that it has the trace.
    """

    def __init__(self, path: Path) -> None:
        """Create the channel.

        Args:
            path: The trace, as it is called in messages.

        Raises:
            OSError: If that is not possible.
        """
        # In one step, because Python warns of a socket that an exception has cut off.
        pairs: list[tuple[socket, socket]] = []
        identity: list[tuple[int, int] | None] = []
        self._traces: list[tuple[int, int]] = []
        self._finalizer = finalize(self, _close, pairs, identity, self._traces)
        try:
            self._finalizer.atexit = False
            pairs.extend(starmap(_socket.socketpair, [(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)]))
            ((self._channel, self._far_end),) = pairs
            self._channel.setblocking(True)
            self._channel.setsockopt(_socket.SOL_SOCKET, _socket.SO_SNDBUF, _SEND_BUFFER)
            for each in (_socket.SO_SNDTIMEO, _socket.SO_RCVTIMEO):
                self._channel.setsockopt(_socket.SOL_SOCKET, each, _TIME.pack(_MOST_SILENT_S, 0))
            self._descriptor = self._channel.fileno()
            identity.append(_identity(self._descriptor))
            (self._identity,) = identity
        except BaseException:
            self.abandon()
            raise
        self._path = path
        self._lost = ""
        # Bytes of the stream: those that were sent, and of those, the ones that are written.
        self._sent = 0
        self._handled = 0
        self._is_open = False
        self._is_working = False
        self._frame = (0, b"")
        # What the system sends with a message.
        self._extra: tuple[tuple[int, int, bytes], ...] = ()
        self._memory: SharedMemory | None = None
        # The position after which it is shared; None if that was not asked for.
        self._asked_at: int | None = None
        self._is_shared = False
        self._size = 0
        self._parts: tuple[int, bytes] = (0, b"")
        self._error: str | None = None
        self._value: Any = None
        self.early: list[bytes] = []
        # The copies are closed there, so that the end of the run is noticed.
        call_after_fork(self, WriterProcess.leave)

    def start(self, place: Path, lock: int, *, is_new: bool) -> None:
        """Start the process and have it open the trace, without waiting for it.

        Args:
            place: The trace, as an absolute path.
            lock: The descriptor of a lock that it holds until it ends.
            is_new: As for `gradviz.store.trace_file.TraceFile`.

        Raises:
            OSError: If that is not possible.
        """
        trace = _identity(lock)
        if trace is not None:
            self._traces.append(trace)
            own_running_traces.add(trace)
        try:
            start_program(self._far_end.fileno(), lock)
        finally:
            self._far_end.close()
        with suppress(TraceError):
            self._post(_pack(("open", str(place), str(self._path), os.getpid(), is_new)))

    def abandon(self) -> None:
        """Close the channel of a process whose start has failed or was interrupted.

        When garbage is collected, Python drops what another interrupt raises.
        """
        self._finalizer()

    def write_early(self, rows: bytes) -> None:
        """Hand over packed rows, and keep them in case it cannot open the trace."""
        self.early.append(rows)
        with suppress(TraceError):
            self._post(rows)

    def is_starting(self) -> bool:
        """Whether it has not said yet that it has opened the trace, or that it cannot."""
        self._receive_opening(waits=False)
        return not (self._is_open or self._lost)

    def wait_until_open(self) -> bool:
        """Wait until it has opened the trace; False if it cannot."""
        self._receive_opening(waits=True)
        return self._is_open

    def _receive_opening(self, *, waits: bool) -> None:
        try:
            while not self._is_open and self._receive(waits=waits):
                self._raise_error()
                self._is_open = self._handled > 0
        except TraceError:
            self.leave()

    def leave(self) -> None:
        """Close the channel, which ends the process once it has written what it has."""
        own_running_traces.difference_update(self._traces)
        if self._memory is not None:
            self._memory.release()
        with suppress(TraceError):
            self._checked_channel().close()
            self._lost = say("file.writer_lost", path=final_path(self._path))
        # Python drops what another thread raises in a finalizer.
        self._finalizer.detach()

    def size(self) -> int:
        """Bytes of the trace on disk, with those that were handed over since it was measured."""
        self._receive_all()
        return self._size + self._sent - self._handled

    def write(self, rows: bytes) -> None:
        """Hand over packed rows.

        Raises:
            TraceError: If earlier ones could not be written.
        """
        self._receive_all()
        self._post(rows)

    def share(self, address: int, size: int, earlier: SharedCopy | None) -> SharedCopy | None:
        """Copy elements to where the process reads them, until the rows with the copy are written.

        Args:
            address: Where they begin.
            size: Their bytes.
            earlier: A copy of the same elements.

        Returns:
            The copy, or the earlier one if it was not handed over yet; None if it is not possible,
            or not yet.
        """
        if self._memory is None:
            self.offer_memory()
        memory = self._memory
        if not self._is_shared:
            with suppress(TraceError):
                # At once, as there may be much to share before the next flush.
                while self._handled < (self._asked_at or 0) and self._receive(waits=False):
                    pass
        if size > MOST_SHARED_BYTES or memory is None or not self._is_shared:
            return None
        if earlier is not None and memory.is_waiting(earlier):
            return earlier
        copy = memory.copy(address, size)
        if copy is not None:
            return copy
        position = memory.half_position()
        if position is not None:
            with suppress(TraceError):
                # Its reply comes after those that an interrupt may have lost.
                self._post(_pack(("answer",)))
                while self._handled < position:
                    self._receive(waits=True)
            copy = memory.copy(address, size)
        return copy

    def note_copies(self) -> None:
        """Note that the last message had the rows with all copies."""
        if self._memory is not None:
            self._memory.note_message(self._sent)

    def offer_memory(self) -> None:
        """Offer shared memory to the process, once, without waiting for the reply."""
        if self._asked_at is not None or self._lost:
            return
        self._asked_at = -1
        try:
            self._memory = SharedMemory()
        except OSError as error:
            reraise_asynchronous(error)
            return
        except RuntimeError:  # of an audit hook of the run
            return
        descriptor = DESCRIPTOR.pack(self._memory.descriptor)
        try:
            with suppress(TraceError):
                self._send_rest()
                self._extra = ((_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptor),)
                self._post(_pack(("share",)))
                self._asked_at = self._sent
        finally:
            # First, as it may be that of another file when an interrupted message is completed.
            self._extra = ()
            self._memory.close_descriptor()

    def put_meta(self, key: str, text: str) -> None:
        """Hand over what holds for the whole trace."""
        self._receive_all()
        self._post(_pack(("put_meta", key, text)))

    def prune(self, first_step: int, first_console: int, nodes: Iterable[int]) -> KeptRecords:
        """Have the first steps removed."""
        return self._ask(KeptRecords, "prune", first_step, first_console, nodes)

    def count_removed(self) -> int:
        """How many steps were removed at the beginning."""
        return self._ask(int, "count_removed")

    def remove_after(self, limits: Mapping[str, int], keeps_text: bool) -> None:
        """Have the last rows removed."""
        self._ask(None, "remove_after", limits, keeps_text)

    def shrink(self) -> None:
        """Have the space of removed rows given back."""
        self._ask(None, "shrink")

    def highest(self, table: str) -> int:
        """The highest id in a table."""
        return self._ask(int, "highest", table)

    def compute(self, function: Callable[[Path, A], R], place: Path, facts: A, kind: type[R]) -> R:
        """Have a function of gradviz read the trace there; see `TraceWriter.compute`."""
        try:
            packed = _pack(facts)
        except UnicodeEncodeError:
            # It holds half of a surrogate pair, as the name of a file may.
            self.wait()
            return function(place, facts)
        return self._ask(
            kind, "compute", function.__module__, function.__name__, str(place), packed
        )

    def close(self) -> None:
        """Wait until everything is written and the process has ended.

        Raises:
            TraceError: If not everything could be written.
        """
        try:
            self._ask(None, "close")
            with suppress(TraceError):
                while self._receive(waits=True):
                    pass
        finally:
            self.leave()

    def wait(self, on_wait: Callable[[float], None] | None = None) -> None:
        """Wait until everything is written; tell each second which share is.

        Raises:
            TraceError: If it could not be written.
        """
        self._ask(None, "answer", on_wait=on_wait)

    def _ask(
        self,
        kind: type[T] | None,
        name: str,
        *arguments: Any,
        on_wait: Callable[[float], None] | None = None,
    ) -> T:
        self._post(_pack((name, *arguments)))
        begun = self._handled
        while self._handled < self._sent:
            self._receive(waits=True)
            if self._is_working and on_wait is not None:
                on_wait((self._handled - begun) / (self._sent - begun))
        self._raise_error()
        return msgspec.convert(self._value, kind)

    def _post(self, message: bytes) -> None:
        self._send_rest()
        self._frame = (self._sent, message)
        self._send_rest()

    def _send_rest(self) -> None:
        start, message = self._frame
        view = memoryview(message)
        while (at := self._sent - start) < len(message):
            part = view[at : at + PACKET_BYTES]
            head = HEAD.pack(self._sent, at + len(part) == len(message))
            try:
                self._checked_channel().sendmsg((head, part), self._extra, _socket.MSG_NOSIGNAL)
            except OSError as error:
                reraise_asynchronous(error)
                self._lose(is_silent=error.errno == EAGAIN)
            self._sent += len(part)

    def _receive_all(self) -> None:
        while self._receive(waits=False):
            pass
        self._raise_error()

    def _receive(self, *, waits: bool) -> bool:
        """Read a part of a reply; False if there is none."""
        try:
            flags = 0 if waits else _socket.MSG_DONTWAIT
            packet = self._checked_channel().recv(2 * PACKET_BYTES, flags)
        except OSError as error:
            reraise_asynchronous(error)
            if error.errno == EAGAIN and not waits:
                return False
            self._lose(is_silent=error.errno == EAGAIN)
        if not packet:
            self._lose()
        self._is_working = packet == AT_WORK
        if self._is_working:
            return True
        handled, size, is_last = REPLY_HEAD.unpack_from(packet)
        of, begun = self._parts
        text = (begun if of == handled else b"") + packet[REPLY_HEAD.size :]
        self._parts = (handled, text)
        if is_last:
            # A part is missing if an exception came after it was read; nobody waits for it now.
            with suppress(msgspec.DecodeError):
                self._error, self._value = msgspec.msgpack.decode(text)
            self._parts = (0, b"")
            self._size, self._handled = size, handled
            if self._memory is not None:
                self._is_shared |= handled == self._asked_at and self._value is True
                self._memory.free(handled)
        return True

    def _raise_error(self) -> None:
        error, self._error = self._error, None
        if error:
            raise TraceError(error)

    def _checked_channel(self) -> socket:
        """The channel.

        Raises:
            TraceError: If the process has ended, or the run has closed the channel.
        """
        if not self._lost and _identity(self._descriptor) != self._identity:
            # Its number may be that of another file.
            self._channel.detach()
            self._lost = str(unwritable_trace_error(self._path, say("file.closed")))
        if self._lost:
            raise TraceError(self._lost)
        return self._channel

    def _lose(self, *, is_silent: bool = False) -> NoReturn:
        self.leave()
        if is_silent:
            text = say("file.writer_silent", path=final_path(self._path), seconds=_MOST_SILENT_S)
            self._lost = text
        raise TraceError(self._lost) from None


def start_writer(file: TraceFile, place: Path, path: Path, *, is_new: bool) -> WriterProcess | None:
    """Start a second process, without waiting for it; None where there can or should be none.

    Args:
        file: The trace, as this process writes it until then.
        place: The trace, as an absolute path.
        path: The trace, as it is called in messages.
        is_new: As for `gradviz.store.trace_file.TraceFile`.
    """
    if not should_start():
        return None
    process: WriterProcess | None = None
    has_started = False
    try:
        process = WriterProcess(path)
        # Readers know of it before it has the trace and its own lock.
        lock = file.lock(os.getpid(), starting=True)
        process.start(place, lock, is_new=is_new)
        has_started = True
    except OSError as error:
        reraise_asynchronous(error)
    except RuntimeError:  # of an audit hook of the run, or the system lacks a function
        pass
    finally:
        if process is not None and not has_started:
            process.abandon()
    return process if has_started else None


def _close(
    pairs: list[tuple[socket, socket]],
    identity: list[tuple[int, int] | None],
    traces: list[tuple[int, int]],
) -> None:
    own_running_traces.difference_update(traces)
    for channel, far_end in pairs:
        far_end.close()
        # Its number may be that of another file by now.
        if identity in ([], [_identity(channel.fileno())]):
            channel.close()
        else:
            channel.detach()


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        found = fstat(descriptor)
    except OSError as error:
        reraise_asynchronous(error)
        return None
    return found.st_dev, found.st_ino
