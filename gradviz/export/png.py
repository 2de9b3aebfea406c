"""Pixels as a PNG file, for pictures in which there are too many cells to draw each."""

from __future__ import annotations

import struct
import zlib

from gradviz.drawing.heat import Bytes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BITS, _RGB = 8, 2


def png_of(pixels: Bytes) -> bytes:
    """A PNG file (ISO/IEC 15948) of ``[rows, columns, 3]`` bytes of red, green and blue."""
    rows, columns, _ = pixels.shape
    header = struct.pack(">IIBBBBB", columns, rows, _EIGHT_BITS, _RGB, 0, 0, 0)
    # Each row begins with the number of its filter, of which 0 is none.
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(rows))
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(*each) for each in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
