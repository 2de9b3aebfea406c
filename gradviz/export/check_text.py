"""A Jacobian check as plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.export.check_json import printed
from gradviz.export.check_words import block_place, block_sentence, number
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.model.tensor import Values
from gradviz.model.trace import Trace

_MOST_LINES, _MOST_COLUMNS = 12, 12
_DIGITS = 6

_VERDICTS = {
    "match": "the analytical and the numerical Jacobians match",
    "mismatch": "the analytical and the numerical Jacobians do not match",
    "error": "it could not be checked",
    "incomplete": "the check was cancelled",
}
_VERDICTS_TWICE = {
    "match": "the analytical and the numerical Jacobians of its backward match",
    "mismatch": "the analytical and the numerical Jacobians of its backward do not match",
    "error": "its backward could not be checked",
    "incomplete": "the check of its backward was cancelled",
}
_FAULTY = "the Jacobians match, but backward breaks a rule"
_FAULTY_TWICE = "the Jacobians of its backward match, but it breaks a rule"
_ONCE = "its backward cannot be differentiated again"
_WITH_ITSELF = (
    "Of second order, backward is compared with itself: one that is wrong but consistent passes."
    " Check the first order too (--order 1)."
)


def check_text(trace: Trace, report: JacobianReport, values: Values) -> Iterator[str]:
    """Yields the lines of ``gradviz check``, without line ends.

    Matrices are printed where they are small, rounded to six digits of their largest element.

    Args:
        trace: Holds the report.
        report: What is shown.
        values: Reads the elements of a tensor by number.
    """
    title = report.subject or trace.origin.subject
    yield f"{title}: {_verdict(report)}"
    yield (
        f"{report.dtype or 'nothing'} on {report.device or trace.origin.device}, "
        f"eps {report.eps:g}, atol {report.atol:g}, rtol {report.rtol:g}, "
        f"nondet_tol {report.nondet_tol:g}, {report.evaluations} evaluations"
    )
    for problem in report.problems:
        yield f"{'problem' if problem.decides else 'hint'}: {problem.message}"
    for block in report.blocks:
        yield f"{block_place(block)}: {block_sentence(block)}"
        yield from (f"  diagnosis: {each.message}" for each in report.diagnoses_of(block))
        yield from _matrices(block, values)
    if report.order == 2 and report.blocks:
        yield _WITH_ITSELF
    lines = printed(trace)["lines"]
    if lines:
        yield f"The evaluations printed {lines} {'line' if lines == 1 else 'lines'}."


def _verdict(report: JacobianReport) -> str:
    twice = report.order == 2
    if any(each.code == "once_differentiable" and each.decides for each in report.problems):
        return _ONCE
    if report.verdict == "mismatch" and not any(block.wrong for block in report.blocks):
        return _FAULTY_TWICE if twice else _FAULTY
    return (_VERDICTS_TWICE if twice else _VERDICTS)[report.verdict]


def _matrices(block: JacobianBlock, values: Values) -> Iterator[str]:
    for name, tensor in (("numerical", block.numerical), ("analytical", block.analytical)):
        value = values(tensor)
        if value is None or 0 in value.shape:
            return
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
    """Rounded to the last of six digits of the largest element, so that noise reads as zero."""
    wide = matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)
    sizes = np.abs(wide[np.isfinite(wide)])
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0.0:
        return wide
    rounded: npt.NDArray[Any] = np.round(wide, _DIGITS - 1 - math.floor(math.log10(largest)))
    return rounded
