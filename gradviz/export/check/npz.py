"""Matrices of a Jacobian check as one NumPy file, without pickles."""

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
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues

METADATA = "report.json"
"""Key of the entry with the report as JSON text, UTF-8 in bytes."""


def write_npz(path: Path, report: JacobianReport, values: TensorValues) -> None:
    """Write all matrices, and the report without them.

    Keys use the names of output and input: ``output.weight.numerical`` and
    ``output.weight.analytical``. ``.forward``, ``.reference``, ``.spread`` and ``.repaired`` are
    there if the check has them; complex outputs have ``.real`` or ``.imag`` before these. Each
    matrix is ``[input elements, output elements]``; bfloat16 and float8 become float32.

    Args:
        path: The file; an existing one is replaced.
        report: The report of the check.
        values: Reads the elements of a tensor by id.

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
            # numpy.savez would take one of our keys for one of its options.
            with archive.open(f"{key}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.ascontiguousarray(array), allow_pickle=False)


def matrix_keys(report: JacobianReport) -> Iterator[tuple[str, int]]:
    """Key and tensor id of each matrix; keys are unique."""
    used: set[str] = set()
    for block in report.blocks:
        start = _unused(_start(block), used)
        yield from ((f"{start}.{kind}", number) for kind, number in matrices_of(report, block))


def matrices_of(report: JacobianReport, block: JacobianBlock) -> Iterator[tuple[str, int]]:
    """Kind and tensor id of each matrix of a pair: ``numerical`` and so on."""
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
    """Clean a name for use in a key, which is also a file name in the archive."""
    return re.sub(r"[^\w\[\]-]+", "_", name)[:80] or "_"


def _unused(start: str, used: set[str]) -> str:
    chosen, count = start, 1
    while chosen in used:
        count += 1
        chosen = f"{start}_{count}"
    used.add(chosen)
    return chosen
