"""Frames in a byte stream: two lengths, a JSON object, raw bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

# By name, because user code may replace the functions in the module.
from json import dumps, loads
from typing import Any

HEADER = struct.Struct("<II")
"""Length of the JSON text, then of the raw bytes, in bytes, little-endian."""

MOST_JSON_BYTES = 8 << 20
MOST_BLOB_BYTES = 16 << 20


class FrameError(ValueError):
    """Bytes that are not a frame, or a value that is too large for one."""


def pack_frame(data: dict[str, Any], blob: bytes = b"") -> bytes:
    """Encode a JSON object and raw bytes as a frame.

    Raises:
        FrameError: If either exceeds the size limit of a frame.
    """
    text = dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    _check_sizes(len(text), len(blob))
    return HEADER.pack(len(text), len(blob)) + text + blob


class FrameReader:
    """Splits a stream of bytes, which arrives in pieces of any size, into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Add the next bytes, and yield the JSON object and raw bytes of each complete frame.

        Raises:
            FrameError: If the stream is not a sequence of frames. The rest is then unusable.
        """
        self._buffer += piece
        while len(self._buffer) >= HEADER.size:
            json_size, blob_size = HEADER.unpack_from(self._buffer)
            _check_sizes(json_size, blob_size)
            end = HEADER.size + json_size + blob_size
            if len(self._buffer) < end:
                return
            text = bytes(self._buffer[HEADER.size : HEADER.size + json_size])
            blob = bytes(self._buffer[HEADER.size + json_size : end])
            del self._buffer[:end]
            yield _parse(text), blob

    @property
    def pending(self) -> int:
        """Number of bytes in an incomplete frame."""
        return len(self._buffer)


def _check_sizes(json_size: int, blob_size: int) -> None:
    if json_size > MOST_JSON_BYTES:
        raise FrameError(f"a frame has {json_size} bytes of JSON; the limit is {MOST_JSON_BYTES}")
    if blob_size > MOST_BLOB_BYTES:
        raise FrameError(f"a frame has {blob_size} raw bytes; the limit is {MOST_BLOB_BYTES}")


def _parse(text: bytes) -> dict[str, Any]:
    try:
        data = loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise FrameError("the JSON in a frame is nested too deeply") from None
    except ValueError as error:
        raise FrameError(f"a frame has invalid JSON: {error}"[:200]) from None
    if not isinstance(data, dict):
        raise FrameError("the JSON in a frame is not an object")
    return data


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not valid JSON")
