"""Other attempts of a check as lines: the table of trials, and errors by step size."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradviz.export.check_words import block_place, element, index_of, number
from gradviz.model.diagnosis import ErrorCurve, TrialKind
from gradviz.model.jacobian import JacobianReport

_TITLES: dict[TrialKind, str] = {
    "incoming": "other incoming gradients:",
    "variation": "other inputs:",
}
_MOST_POINTS = 13


def trial_lines(report: JacobianReport) -> Iterator[str]:
    """Summarize each kind of trial: a line per failure, and the names of those that pass."""
    for kind, title in _TITLES.items():
        trials = [each for each in report.trials if each.kind == kind]
        passed = [each.name for each in trials if each.outcome == "passes"]
        others = [each for each in trials if each.outcome != "passes"]
        if not trials:
            continue
        yield f"{title} {len(passed)} of {len(trials)} pass"
        for each in others:
            code = f" [{each.code}]" if each.code else ""
            yield f"  {each.outcome:7} {each.name}: {each.message}{code}"
        if passed and (others or kind == "variation"):
            yield f"  passes  {', '.join(passed)}"


def curve_lines(report: JacobianReport) -> Iterator[str]:
    """Format each curve as a table of eps, error and expected rounding error."""
    for curve in report.curves:
        yield f"error against eps at {_element(report, curve)}:"
        yield f"  {'eps':>8} {'error':>9} {'|right-left|':>13} {'rounding':>9}"
        stride = max(1, math.ceil(len(curve.steps) / _MOST_POINTS))
        columns = (curve.steps, curve.errors, curve.one_sided, curve.floors)
        for row in list(zip(*columns, strict=True))[::stride]:
            step, *others = (number(each, 3) for each in row)
            yield f"  {step:>8} {others[0]:>9} {others[1]:>13} {others[2]:>9}"


def _element(report: JacobianReport, curve: ErrorCurve) -> str:
    place = (curve.output, curve.input, curve.part)
    for block in report.blocks:
        if (block.output, block.input, block.part) == place:
            rows = element(block.input_name, index_of(curve.row, block.input_shape))
            columns = element(block.output_name, index_of(curve.column, block.output_shape))
            return f"{block_place(block)}, {rows} / {columns}"
    return f"output {curve.output}, input {curve.input}, row {curve.row}, column {curve.column}"
