"""Memory that a run shares with the process that writes its trace.

To copy the elements of a large tensor takes a fraction of the time of its sample and statistics,
which that process makes of the copy.
"""

from __future__ import annotations

import ctypes
import sys
from errno import EFBIG, ENOMEM

# By name, because user code may replace the functions in the modules.
from os import close, ftruncate
from pathlib import Path

from msgspec import Struct

from gradviz.store.packed_rows import SharedCopy
from gradviz.store.trace_file import file_size_limit
from gradviz.store.written_files import reraise_asynchronous

if sys.platform == "linux":
    from mmap import MAP_SHARED, PAGESIZE, PROT_READ, PROT_WRITE
    from os import memfd_create
    from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit

    _system = ctypes.CDLL(None, use_errno=True)
    # Not Python's class, which keeps a descriptor open and closes it by its number, which may be
    # that of another file by then.
    _map, _unmap = _system.mmap, _system.munmap
    _map.restype = ctypes.c_void_p
    _map.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *(ctypes.c_int,) * 3, ctypes.c_long]
    _unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_copy = ctypes.memmove
_NOT_MAPPED = ctypes.c_void_p(-1).value

_BYTES = 64 << 20
"""Only what is used takes memory."""
MOST_SHARED_BYTES = _BYTES // 4
"""Of one tensor: others would wait until nearly all of the memory is free."""
_MINIMUM_LIMIT = 16 * _BYTES
"""Below this limit, no memory is shared: of the container's memory, as the run could be killed for
using too much, or of the address space of the run, which may need it itself."""
_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
_ALIGNMENT = 64
"""Bytes, as in torch's own memory."""


class _Chunk(Struct):
    """A part of the memory that is in use.

    Attributes:
        begin: Where it begins.
        end: Where the next copy begins.
        limit: Where the next chunk begins.
        position: End of the message that refers to it in the stream; None while it is waiting.
    """

    begin: int
    end: int
    limit: int
    position: int | None = None


_NO_CHUNK = _Chunk(0, 0, 0)


def _memory_limit() -> int | None:
    """Bytes that this container may use; None if there is no limit."""
    for path in _LIMITS:
        try:
            return int(path.read_text())
        except OSError as error:
            reraise_asynchronous(error)
        except ValueError:
            # Without a limit, it is a word.
            continue
    return None


def _mappable_bytes() -> int | None:
    """Bytes that this process may still map; None if there is no limit."""
    limit = getrlimit(RLIMIT_AS)[0]
    if limit == RLIM_INFINITY:
        return None
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return limit - pages * PAGESIZE


class SharedMemory:
    """The run's side of the memory.

    A copy stays until the process has handled the message with the rows that refer to it.
    """

    def __init__(self) -> None:
        """Reserve the memory.

        Raises:
            OSError: If the system refuses.
        """
        size_limit = file_size_limit()
        if size_limit is not None and size_limit < _BYTES:
            # To try would send a signal to the run.
            raise OSError(EFBIG, "")
        for limit in (_memory_limit(), _mappable_bytes()):
            if limit is not None and limit < _MINIMUM_LIMIT:
                raise OSError(ENOMEM, "")
        self.descriptor = memfd_create("gradviz")
        self._address = None
        self._message = 0
        # In the order of the memory.
        self._chunks: list[_Chunk] = []
        self._current = _NO_CHUNK
        try:
            ftruncate(self.descriptor, _BYTES)
            access = PROT_READ | PROT_WRITE
            address = _map(None, _BYTES, access, MAP_SHARED, self.descriptor, 0)
            if address == _NOT_MAPPED:
                raise OSError(ctypes.get_errno(), "")
            self._address = address
        except BaseException:
            self.close_descriptor()
            raise

    def close_descriptor(self) -> None:
        """Close the descriptor, which the memory outlives."""
        try:
            close(self.descriptor)
        except OSError as error:
            reraise_asynchronous(error)

    def release(self) -> None:
        """Give the memory back."""
        address, self._address = self._address, None
        if address is not None:
            _unmap(address, _BYTES)

    def copy(self, address: int, size: int) -> SharedCopy | None:
        """Copy memory of the run; None if there is no room.

        Args:
            address: Where it begins.
            size: Its bytes.
        """
        chunk = self._current
        if chunk.end + size > chunk.limit:
            chunk = self._add_chunk(size)
        if self._address is None or chunk is _NO_CHUNK:
            return None
        copy = SharedCopy(chunk.end, size, self._message)
        _copy(self._address + chunk.end, address, size)
        chunk.end += -(-size // _ALIGNMENT) * _ALIGNMENT
        return copy

    def _add_chunk(self, size: int) -> _Chunk:
        """Begin as low as there is room.

        Memory that was never used is slow, and what was used last may be in the processor's cache.
        """
        begin = 0
        for place, each in enumerate((*self._chunks, _Chunk(_BYTES, _BYTES, _BYTES))):
            if begin + size <= each.begin:
                self._current = _Chunk(begin, begin, each.begin)
                self._chunks.insert(place, self._current)
                return self._current
            begin = each.end
        return _NO_CHUNK

    def is_waiting(self, copy: SharedCopy) -> bool:
        """Whether a copy was not handed over yet, so that other rows may refer to it, too."""
        return copy.message == self._message

    def note_message(self, position: int) -> None:
        """Note that the rows with all copies were handed over, in a message that ends there."""
        # In this order: an exception from outside may come in between.
        self._message += 1
        self._current = _NO_CHUNK
        for each in self._chunks:
            if each.position is None:
                each.position = position

    def free(self, position: int) -> None:
        """Free what the messages before a position refer to."""
        self._chunks = [
            each for each in self._chunks if each.position is None or each.position > position
        ]

    def half_position(self) -> int | None:
        """The position before which half of the messages with copies are; None if none waits."""
        found = sorted({each.position for each in self._chunks if each.position is not None})
        return found[(len(found) - 1) // 2] if found else None
