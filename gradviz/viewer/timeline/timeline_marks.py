"""The marks below the steps: prints, breakpoints, differences, findings and errors."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor
from gradviz.catalogue.language import format_count
from gradviz.model.step import ErrorStep
from gradviz.viewer.translation import plural, translate

MarkKind = Literal["print", "breakpoint", "differs", "finding", "error", "not finite", "isolated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMark:
    """One mark at a step.

    Attributes:
        number: The step number.
        kind: What is marked.
        text: A one-line description.
        since: The step from which it is known to be of this kind, not only isolated; None if it
            always was.
    """

    number: int
    kind: MarkKind
    text: str
    since: int | None = None


def marks_of(index: TraceIndex) -> tuple[TimelineMark, ...]:
    """Return the marks that need no tensor values, in step order."""
    marks = [_print(number, texts) for number, texts in index.printed.items()]
    marks += [
        TimelineMark(number=finding.step, kind="finding", text=finding.message)
        for finding in index.trace.findings
        if finding.step is not None and finding.severity != "info"
    ]
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep):
            text = translate("Timeline", "The run ended with {name}").format(name=step.exception)
            marks.append(TimelineMark(number=step.number, kind="error", text=text))
    return tuple(sorted(marks, key=lambda mark: mark.number))


def marks_of_values(found: Iterable[NonFiniteTensor]) -> tuple[TimelineMark, ...]:
    """Return a mark for each step in which NaN or Inf appears.

    It is only ``isolated`` if no root, no gradient of a leaf and no parameter has it.
    """
    steps: dict[int, list[NonFiniteTensor]] = defaultdict(list)
    for each in found:
        steps[each.step].append(each)
    marks = []
    for number, tensors in steps.items():
        reached = [each.reaches for each in tensors if each.reaches is not None]
        marks.append(
            TimelineMark(
                number=number,
                kind="not finite" if reached else "isolated",
                text="\n".join(map(_not_finite, tensors)),
                since=min(reached, default=None),
            )
        )
    return tuple(marks)


def mark_of_breakpoint(number: int) -> TimelineMark:
    """Return the breakpoint mark of a single step, created only when needed."""
    return TimelineMark(
        number=number, kind="breakpoint", text=translate("Timeline", "A breakpoint is hit here")
    )


def marks_of_differences(steps: Iterable[int]) -> tuple[TimelineMark, ...]:
    """Return a mark for each step that differs from the original run."""
    text = translate("Timeline", "differs from the original run")
    return tuple(TimelineMark(number=number, kind="differs", text=text) for number in steps)


def _print(number: int, texts: Iterable[object]) -> TimelineMark:
    lines = sum(getattr(text, "text", "").count("\n") for text in texts)
    text = plural.tr("prints %Ln line(s)", "", max(lines, 1))
    return TimelineMark(number=number, kind="print", text=text)


def _not_finite(found: NonFiniteTensor) -> str:
    counted = found.nans is not None and found.infinities is not None
    if found.infinities == 0:
        text = (
            translate("Timeline", "{name} has {nans} NaN")
            if counted
            else translate("Timeline", "{name} has NaN")
        )
    elif found.nans == 0:
        text = (
            translate("Timeline", "{name} has {infinities} Inf")
            if counted
            else translate("Timeline", "{name} has Inf")
        )
    elif counted:
        text = translate("Timeline", "{name} has {nans} NaN and {infinities} Inf")
    else:
        text = translate("Timeline", "{name} has NaN and Inf")
    return text.format(
        name=found.name,
        nans=format_count(found.nans or 0),
        infinities=format_count(found.infinities or 0),
    )
