"""Writes a NumPy archive array by array, and makes names for its arrays."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt


def write_npz_archive(
    path: Path,
    arrays: Iterable[tuple[str, npt.NDArray[Any]]],
    document: tuple[str, str],
    *,
    compressed: bool,
) -> None:
    """Write arrays and a JSON document; only one array is in memory at a time.

    ``numpy.load`` returns the document as bytes under its name.

    Args:
        path: The file; an existing one is replaced.
        arrays: Unique names and arrays.
        document: Name and text of the document.
        compressed: Whether to compress everything.

    Raises:
        OSError: If the file cannot be written.
    """
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, array in arrays:
            # numpy.savez would take one of our names for one of its options.
            with archive.open(f"{name}.npy", "w", force_zip64=True) as entry:
                # Not `ascontiguousarray`, which gives a 0-dim array a dimension.
                whole = np.asarray(array, order="C")
                np.lib.format.write_array(entry, whole, allow_pickle=False)
        archive.writestr(*document, compress_type=zipfile.ZIP_DEFLATED)


def array_name(text: str) -> str:
    """Clean a name for use in an archive, where it is also a file name."""
    return re.sub(r"[^\w\[\]-]+", "_", text)[:80] or "_"


def unique_name(start: str, used: set[str]) -> str:
    """Add a number to a name if it is used already, and mark the result as used."""
    chosen, count = start, 1
    while chosen in used:
        count += 1
        chosen = f"{start}_{count}"
    used.add(chosen)
    return chosen
