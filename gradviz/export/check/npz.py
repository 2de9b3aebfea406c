"""Matrices of a Jacobian check as one NumPy file, without pickles."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from gradviz.export.tensor.npz_archive import array_name, unique_name, write_npz_archive
from gradviz.model.codec import as_object
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.model.tensor import TensorValues

METADATA = "report.json"
"""Key of the entry with the report as JSON."""


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
    text = json.dumps(as_object(report), ensure_ascii=True, allow_nan=False)
    found = ((key, values(number)) for key, number in matrix_keys(report))
    arrays = ((key, value.array()) for key, value in found if value is not None)
    write_npz_archive(path, arrays, (METADATA, text), compressed=True)


def matrix_keys(report: JacobianReport) -> Iterator[tuple[str, int]]:
    """Key and tensor id of each matrix; keys are unique."""
    used: set[str] = set()
    for block in report.blocks:
        start = unique_name(_start(block), used)
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
    names = [array_name(block.output_name), array_name(block.input_name)]
    return ".".join([*names, block.part] if block.part else names)
