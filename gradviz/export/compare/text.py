"""Two compared runs as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.analysis.compare.run_comparison import Mismatch, RunComparison
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.text.compare import (
    comparison_summary,
    replacing_op,
    side_title,
    value_name,
    verdict_text,
)
from gradviz.text.narration import describe_step

_MARKS = {"differs": "≠", "only_left": "<", "only_right": ">"}


def compare_text(found: RunComparison) -> Iterator[str]:
    """Yield the lines of ``gradviz compare``, without line ends: differences step by step."""
    yield f"left   {_origin(found.left)}"
    yield f"right  {_origin(found.right)}"
    yield comparison_summary(found)
    width = len(str(max(len(each.trace.steps) for each in (found.left, found.right))))
    for mismatch in found.mismatches:
        yield from _lines(found, mismatch, width)


def _origin(index: TraceIndex) -> str:
    origin = index.trace.origin
    return f"{side_title(index)} ({origin.subject}, {origin.device})"


def _lines(found: RunComparison, mismatch: Mismatch, width: int) -> Iterator[str]:
    left, right = [
        "" if number is None else str(number) for number in (mismatch.left, mismatch.right)
    ]
    index, number = (
        (found.left, mismatch.left) if mismatch.left is not None else (found.right, mismatch.right)
    )
    assert number is not None
    step = index.trace.steps[number - 1]
    first = describe_step(index, step).splitlines()[0]
    yield f"{left:>{width}} {_MARKS[mismatch.verdict]} {right:<{width}}  {first}"
    if mismatch.verdict != "differs":
        return
    instead = replacing_op(found, mismatch)
    if instead:
        yield f"{'':{2 * width + 5}}  {instead}"
    for value in found.values(mismatch.left, mismatch.right):
        if value.differs:
            name = value_name(index, step, value)
            yield f"{'':{2 * width + 5}}  {name}: {verdict_text(found, value)}"
