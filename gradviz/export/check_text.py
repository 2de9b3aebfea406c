"""A Jacobian check as plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.check_json import printed
from gradviz.export.check_tables import curve_lines, trial_lines
from gradviz.export.check_verdict import diagnosis_line, offers, settings_words, verdict_words
from gradviz.export.check_words import block_place, block_sentence, number, worst_words
from gradviz.export.check_worst import worst_elements
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.model.source import Location
from gradviz.model.tensor import Values
from gradviz.model.trace import Trace

_MOST_LINES, _MOST_COLUMNS = 12, 12
_DIGITS, _MOST_WORST = 6, 5


def check_text(
    trace: Trace, report: JacobianReport, values: Values, *, with_first: bool = False
) -> Iterator[str]:
    """Yield the lines of ``gradviz check``, without line ends.

    Conclusions come before measurements. Matrices are printed if they are small and either
    differ or are the only ones; they are rounded to six digits of their largest element.

    Args:
        trace: The trace with the report.
        report: The report to show.
        values: Reads the elements of a tensor by id.
        with_first: Whether a first-order report is printed too.
    """
    title = report.subject or trace.origin.subject
    yield f"{title}: {verdict_words(report)}"
    yield settings_words(report, trace.origin.device)
    for diagnosis in report.diagnoses:
        yield from _diagnosis(report, diagnosis)
    for problem in report.problems:
        yield f"{'problem' if problem.decides else 'hint'}: {problem.message}"
    for block in report.blocks:
        yield f"{block_place(block)}: {block_sentence(block)}"
        yield from _details(report, block, values)
    yield from trial_lines(report)
    yield from curve_lines(report)
    yield from offers(report, with_first=with_first)
    lines = printed(trace)["lines"]
    if lines:
        yield f"The evaluations printed {lines} {'line' if lines == 1 else 'lines'}."


def _diagnosis(report: JacobianReport, diagnosis: Diagnosis) -> Iterator[str]:
    yield diagnosis_line(report, diagnosis)
    yield from (f"  evidence: {each}" for each in diagnosis.evidence)
    if diagnosis.repair is not None:
        yield f"  repair: {diagnosis.repair.message}"


def _details(report: JacobianReport, block: JacobianBlock, values: Values) -> Iterator[str]:
    """Lines below a pair: its source lines, worst elements and matrices."""
    if block.wrong and block.lines:
        yield f"  gradient computed at {_places(block.lines)}"
    numerical, analytical = values(block.numerical), values(block.analytical)
    if block.wrong > 1 and numerical is not None and analytical is not None:
        worst = worst_elements(block, report, analytical.array(), numerical.array(), _MOST_WORST)
        told = None if block.worst is None else (block.worst.row, block.worst.column)
        others = [each for each in worst if (each.row, each.column) != told][: _MOST_WORST - 1]
        yield from (f"  {worst_words(block, each)}" for each in others)
        left = block.wrong - 1 - len(others)
        if left > 0:
            yield f"  and {left} more"
    if block.forward is not None and block.forward_wrong:
        yield f"  forward mode: {block.forward_wrong} of {block.count} wrong"
    if block.reference is not None:
        agree = block.count - block.reference_wrong
        yield f"  reference: agrees with {agree} of {block.count} numerical elements"
    if block.wrong or len(report.blocks) == 1:
        yield from _matrices(block, values)


def _places(locations: Sequence[Location]) -> str:
    """Each file with its lines, like ``my.py:12, 9``."""
    lines: dict[str, list[str]] = {}
    for each in locations:
        lines.setdefault(each.path, []).append(str(each.line))
    return "; ".join(f"{path}:{', '.join(numbers)}" for path, numbers in lines.items())


def _matrices(block: JacobianBlock, values: Values) -> Iterator[str]:
    named = (
        ("numerical", block.numerical),
        ("analytical", block.analytical),
        ("forward mode", block.forward if block.forward_wrong else None),
        ("reference", block.reference if block.reference_wrong else None),
        ("spread", block.spread),
    )
    for name, tensor in named:
        value = None if tensor is None else values(tensor)
        if value is None or 0 in value.shape:
            continue
        if value.shape[0] > _MOST_LINES or value.shape[1] > _MOST_COLUMNS:
            return
        yield f"  {name} (rows: {block.input_name}, columns: {block.output_name})"
        yield from (f"    {line}" for line in _table(value.array()))


def _table(matrix: npt.NDArray[Any]) -> Iterator[str]:
    cells = [[number(value) for value in row] for row in _rounded(matrix).tolist()]
    width = max(len(cell) for row in cells for cell in row)
    for row in cells:
        yield " ".join(cell.rjust(width) for cell in row)


def _rounded(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Round to six digits of the largest element, so that noise reads as zero."""
    wide = matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)
    sizes = np.abs(wide[np.isfinite(wide)])
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0.0:
        return wide
    rounded: npt.NDArray[Any] = np.round(wide, _DIGITS - 1 - math.floor(math.log10(largest)))
    return rounded
