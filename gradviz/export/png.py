"""Pixels as a PNG file, for maps with too many cells to draw as shapes."""

from __future__ import annotations

import struct
import zlib

from gradviz.drawing.heat import Bytes

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_EIGHT_BITS, _RGB = 8, 2


def png_of(pixels: Bytes) -> bytes:
    """Encode ``[rows, columns, 3]`` bytes of red, green and blue as PNG (ISO/IEC 15948)."""
    rows, columns, _ = pixels.shape
    header = struct.pack(">IIBBBBB", columns, rows, _EIGHT_BITS, _RGB, 0, 0, 0)
    # Each row begins with its filter type; 0 means none.
    lines = b"".join(b"\0" + pixels[row].tobytes() for row in range(rows))
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(*each) for each in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
