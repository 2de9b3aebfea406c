"""The matrices of a Jacobian check as one file of NumPy's, without any pickle in it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.model.codec import encode
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.model.tensor import Values

METADATA = "report.json"
"""Key of the entry with the report as JSON text, UTF-8 in bytes."""


def write_npz(path: Path, report: JacobianReport, values: Values) -> None:
    """Writes all matrices, and the report without them.

    Keys are ``output.input.numerical`` and the like by the names of output and input, so for
    example ``output.weight.analytical``; ``.forward``, ``.reference``, ``.spread`` and
    ``.repaired`` where there are such, and ``.real`` or ``.imag`` before these of complex outputs.
    Each is ``[input elements, output elements]``; bfloat16 and float8 become float32.

    Args:
        path: The file; one that is there is replaced.
        report: Of the check.
        values: Reads the elements of a tensor by number.

    Raises:
        OSError: If the file cannot be written.
    """
    text = json.dumps(encode(report), ensure_ascii=True, allow_nan=False)
    arrays: dict[str, npt.NDArray[Any]] = {}
    for key, number in matrix_keys(report):
        value = values(number)
        if value is not None:
            arrays[key] = value.array()
    arrays[METADATA] = np.frombuffer(text.encode(), dtype=np.uint8)
    with path.open("wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, array in arrays.items():
            # numpy.savez would take a key of ours for one of its options.
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def matrix_keys(report: JacobianReport) -> Iterator[tuple[str, int]]:
    """The key and the number of each matrix; each key once."""
    used: set[str] = set()
    for block in report.blocks:
        start = _unused(_start(block), used)
        yield from ((f"{start}.{kind}", number) for kind, number in matrices_of(report, block))


def matrices_of(report: JacobianReport, block: JacobianBlock) -> Iterator[tuple[str, int]]:
    """The kind and the number of each matrix of a pair: ``numerical`` and so on."""
    repairs = [each.repair.matrix for each in report.diagnoses_of(block) if each.repair is not None]
    named = (
        ("numerical", block.numerical),
        ("analytical", block.analytical),
        ("forward", block.forward),
        ("reference", block.reference),
        ("spread", block.spread),
        ("repaired", repairs[0] if repairs else None),
    )
    yield from ((kind, number) for kind, number in named if number is not None)


def _start(block: JacobianBlock) -> str:
    names = [_plain(block.output_name), _plain(block.input_name)]
    return ".".join([*names, block.part] if block.part else names)


def _plain(name: str) -> str:
    """A name as a part of a key, which is the name of a file in an archive as well."""
    return re.sub(r"[^\w\[\]-]+", "_", name)[:80] or "_"


def _unused(start: str, used: set[str]) -> str:
    chosen, count = start, 1
    while chosen in used:
        count += 1
        chosen = f"{start}_{count}"
    used.add(chosen)
    return chosen
