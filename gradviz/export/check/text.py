"""A Jacobian check as plain text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import MEASURED, number_text
from gradviz.catalogue.rules import doctor_rule
from gradviz.export.check.json_document import printed_output
from gradviz.export.check.verdict import (
    block_place,
    block_sentence,
    diagnosis_line,
    indexed_name,
    next_check_sentences,
    problem_line,
    settings_words,
    verdict_words,
    worst_words,
)
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import Diagnosis, ErrorCurve, TrialKind
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, WorstElement
from gradviz.model.source import Location, source_lines
from gradviz.model.tensor import TensorValues
from gradviz.model.tolerance import tolerance_excess
from gradviz.model.trace import Trace
from gradviz.text.titles import with_display_title

_KINDS: tuple[TrialKind, ...] = ("incoming", "variation")
_MATRICES = ("numerical", "analytical", "forward", "reference", "spread")
_MOST_POINTS = 13


def trial_lines(report: JacobianReport) -> Iterator[str]:
    """Summarize each kind of trial: a line per failure, and the names of those that pass."""
    for kind in _KINDS:
        trials = [each for each in report.trials if each.kind == kind]
        passed = [each.name for each in trials if each.outcome == "passes"]
        others = [each for each in trials if each.outcome != "passes"]
        if not trials:
            continue
        yield say(f"report.trials.{kind}", passed=len(passed), count=len(trials))
        for each in others:
            line = f"  {each.outcome:7} {each.name}: {each.message}"
            yield f"{line} [{each.code}]" if each.code else line
        if passed and (others or kind == "variation"):
            yield f"  passes  {', '.join(passed)}"


def curve_lines(report: JacobianReport) -> Iterator[str]:
    """Format each curve as a table of eps, error and expected rounding error."""
    for curve in report.curves:
        yield say("report.curve", element=_element(report, curve))
        yield f"  {'eps':>8} {'error':>9} {'|right-left|':>13} {'rounding':>9}"
        stride = max(1, math.ceil(len(curve.steps) / _MOST_POINTS))
        columns = (curve.steps, curve.errors, curve.one_sided, curve.floors)
        for row in list(zip(*columns, strict=True))[::stride]:
            step, *others = (number_text(each, 3) for each in row)
            yield f"  {step:>8} {others[0]:>9} {others[1]:>13} {others[2]:>9}"


def _element(report: JacobianReport, curve: ErrorCurve) -> str:
    row, column, block = curve.row, curve.column, report.block_at(curve.place)
    if block is None:
        places = {"output": curve.output, "input": curve.input}
        return say("report.element", row=row, column=column, **places)
    rows = indexed_name(block.input_name, index_at(row, block.input_shape))
    columns = indexed_name(block.output_name, index_at(column, block.output_shape))
    return f"{block_place(block)}, {rows} / {columns}"


_MOST_LINES, _MOST_COLUMNS = 12, 12
_DIGITS, _MOST_WORST = 6, 5


def check_text(
    trace: Trace, report: JacobianReport, values: TensorValues, *, with_first: bool = False
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
    title = with_display_title(report, trace.origin).subject or trace.origin.subject
    yield f"{title}: {verdict_words(report)}"
    yield settings_words(report, trace.origin.device)
    for diagnosis in report.diagnoses:
        yield from _diagnosis(report, diagnosis)
    for problem in report.problems:
        yield problem_line(problem)
    for block in report.blocks:
        yield f"{block_place(block)}: {block_sentence(block)}"
        yield from _details(report, block, values)
    yield from trial_lines(report)
    yield from curve_lines(report)
    yield from _violations(trace)
    yield from next_check_sentences(report, with_first=with_first)
    yield from _printed(trace)


def _printed(trace: Trace) -> Iterator[str]:
    """What the first calls printed, and how much the others did."""
    lines = source_lines("".join(each["text"] for each in printed_output(trace)["texts"]))
    if lines:
        yield say("report.printed")
        yield from (f"  {line}" for line in lines)
    for cut in trace.cuts:
        if cut.activity == "check":
            characters = format_count(cut.characters)
            yield say_count("steps.not_kept", cut.lines, characters=characters)


def _violations(trace: Trace) -> Iterator[str]:
    for finding in trace.findings:
        rule = doctor_rule(finding.code)
        if rule is not None:
            severity = say(f"doctor.severity.{finding.severity}")
            yield say("doctor.finding", rule=rule.id, severity=severity, text=finding.message)


def _diagnosis(report: JacobianReport, diagnosis: Diagnosis) -> Iterator[str]:
    yield diagnosis_line(report, diagnosis)
    yield from (f"  {say('report.evidence', text=each)}" for each in diagnosis.evidence)
    if diagnosis.repair is not None:
        yield f"  {say('report.repair', text=diagnosis.repair.message)}"


def _details(report: JacobianReport, block: JacobianBlock, values: TensorValues) -> Iterator[str]:
    """Lines below a pair: its source lines, worst elements and matrices."""
    if block.wrong and block.lines:
        yield f"  {say('report.computed_at', places=_places(block.lines))}"
    numerical, analytical = values(block.numerical), values(block.analytical)
    if block.wrong > 1 and numerical is not None and analytical is not None:
        worst = worst_elements(block, report, analytical.array(), numerical.array())
        reported = None if block.worst is None else (block.worst.row, block.worst.column)
        others = [each for each in worst if (each.row, each.column) != reported][: _MOST_WORST - 1]
        yield from (f"  {worst_words(block, each)}" for each in others)
        left = block.wrong - 1 - len(others)
        if left > 0:
            yield f"  {say('report.more_elements', count=format_count(left))}"
    count = format_count(block.count)
    if block.forward is not None and block.forward_wrong:
        wrong = format_count(block.forward_wrong)
        yield f"  {say('report.forward_mode', wrong=wrong, count=count)}"
    if block.reference is not None:
        agree = format_count(block.count - block.reference_wrong)
        yield f"  {say('report.reference', agree=agree, count=count)}"
    if block.wrong or len(report.blocks) == 1:
        yield from _matrices(block, values)


def worst_elements(
    block: JacobianBlock,
    report: JacobianReport,
    analytical: npt.NDArray[Any],
    numerical: npt.NDArray[Any],
    most: int = _MOST_WORST,
) -> tuple[WorstElement, ...]:
    """Worst elements outside the tolerance; ties are sorted by row, then column.

    Args:
        block: The block of the matrices.
        report: Report with the tolerances.
        analytical: ``[input elements, output elements]``.
        numerical: Same shape as ``analytical``.
        most: Maximum number of elements.
    """
    excess = tolerance_excess(analytical, numerical, atol=report.atol, rtol=report.rtol).reshape(-1)
    wrong = np.flatnonzero(excess > 1)
    if wrong.size > most:
        # Elements equal to the last of the worst are kept here, so that ties keep their order.
        least = np.partition(excess[wrong], wrong.size - most)[wrong.size - most]
        wrong = wrong[excess[wrong] >= least]
    chosen = wrong[np.argsort(-excess[wrong], kind="stable")][:most]
    return tuple(
        WorstElement(
            row=row,
            column=column,
            input_index=index_at(row, block.input_shape),
            output_index=index_at(column, block.output_shape),
            analytical=complex(analytical[row, column]),
            numerical=complex(numerical[row, column]),
            excess=float(excess[at]),
        )
        for at in map(int, chosen)
        for row, column in (index_at(at, numerical.shape),)
    )


def _places(locations: Sequence[Location]) -> str:
    """Each file with its lines, like ``my.py:12, 9``."""
    lines: dict[str, list[str]] = {}
    for each in locations:
        lines.setdefault(each.path, []).append(str(each.line))
    return "; ".join(f"{path}:{', '.join(numbers)}" for path, numbers in lines.items())


def _matrices(block: JacobianBlock, values: TensorValues) -> Iterator[str]:
    tensors = (
        block.numerical,
        block.analytical,
        block.forward if block.forward_wrong else None,
        block.reference if block.reference_wrong else None,
        block.spread,
    )
    for kind, tensor in zip(_MATRICES, tensors, strict=True):
        value = None if tensor is None else values(tensor)
        if value is None or 0 in value.shape:
            continue
        # All matrices of a pair have the same shape, so the others are too large as well.
        if value.shape[0] > _MOST_LINES or value.shape[1] > _MOST_COLUMNS:
            return
        name, rows, columns = say(f"matrix.{kind}"), block.input_name, block.output_name
        yield f"  {say('report.matrix', name=name, rows=rows, columns=columns)}"
        yield from (f"    {line}" for line in _table(value.array()))


def _table(matrix: npt.NDArray[Any]) -> Iterator[str]:
    real = not np.any(matrix.imag)
    shown = _rounded(matrix.real if real else matrix)
    cells = [[number_text(value, _DIGITS) for value in row] for row in shown.tolist()]
    width = max(len(cell) for row in cells for cell in row)
    for row in cells:
        yield " ".join(cell.rjust(width) for cell in row)


def _rounded(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Round to the meaningful digits of the largest element, so that noise reads as zero."""
    wide = matrix.astype(np.complex128 if matrix.dtype.kind == "c" else np.float64)
    sizes = np.abs(wide[np.isfinite(wide)])
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0.0:
        return wide
    rounded: npt.NDArray[Any] = np.round(wide, MEASURED - 1 - math.floor(math.log10(largest)))
    return rounded
