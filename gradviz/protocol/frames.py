"""Frames on a byte stream: two lengths, a JSON object, raw bytes."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

HEADER = struct.Struct("<II")
"""Length of the JSON text, then of the raw bytes, in bytes, little-endian."""

MOST_JSON_BYTES = 8 << 20
MOST_BLOB_BYTES = 16 << 20


class FrameError(ValueError):
    """Bytes that are no frame, or a value too large for one."""


def pack_frame(data: dict[str, Any], blob: bytes = b"") -> bytes:
    """The frame of a JSON object and raw bytes.

    Raises:
        FrameError: If either is larger than a frame may be.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).encode("ascii")
    _check_sizes(len(text), len(blob))
    return HEADER.pack(len(text), len(blob)) + text + blob


class FrameReader:
    """Cuts a stream of bytes, which arrives in pieces of any size, into frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> Iterator[tuple[dict[str, Any], bytes]]:
        """Takes the next bytes; yields the JSON object and the raw bytes of each whole frame.

        Raises:
            FrameError: If the stream holds something else. Nothing after that can be trusted.
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
        """Number of bytes that wait for the rest of their frame."""
        return len(self._buffer)


def _check_sizes(json_size: int, blob_size: int) -> None:
    if json_size > MOST_JSON_BYTES:
        raise FrameError(f"a frame with {json_size} bytes of JSON; {MOST_JSON_BYTES} are allowed")
    if blob_size > MOST_BLOB_BYTES:
        raise FrameError(f"a frame with {blob_size} raw bytes; {MOST_BLOB_BYTES} are allowed")


def _parse(text: bytes) -> dict[str, Any]:
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise FrameError("a frame with JSON nested too deeply") from None
    except ValueError as error:
        raise FrameError(f"a frame without valid JSON: {error}"[:200]) from None
    if not isinstance(data, dict):
        raise FrameError("a frame whose JSON is not an object")
    return data


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")
