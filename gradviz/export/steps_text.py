"""Every step of a trace as plain text: its sentence, and what was printed in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradviz.model.change_words import changes_line
from gradviz.model.console import ConsoleText
from gradviz.model.index import Index
from gradviz.model.narrate import sentence
from gradviz.model.query import phase_of
from gradviz.model.step import ErrorStep, Step
from gradviz.model.trace import Trace


def steps_text(index: Index) -> Iterator[str]:
    """Yields the lines of ``gradviz steps``, without line ends."""
    trace = index.trace
    yield f"{trace.origin.title} ({trace.origin.subject}, {trace.origin.device})"
    if trace.changes:
        yield changes_line(trace)
    width = len(str(len(trace.steps)))
    for step in trace.steps:
        # The message of an exception may have several lines.
        first, *rest = sentence(index, step).splitlines()
        yield f"{step.number:>{width}}  {_phase(step):<8}  {first}"
        yield from (f"{'':{width}}  {'':<8}  {line}" for line in rest)
        yield from _printed(index.printed.get(step.number, ()), width)
    outside = [each for each in trace.console if each.step is None and each.activity == "run"]
    if outside:
        yield "Printed outside of the steps:"
        yield from _printed(outside, width)
    for cut in trace.cuts:
        if cut.activity == "run":
            yield f"{cut.lines} more lines ({cut.characters} characters) were printed and not kept."
    for finding in trace.findings:
        yield f"{finding.severity}: {finding.message}"
    yield from _end(trace)


def _printed(texts: Sequence[ConsoleText], width: int) -> Iterator[str]:
    for text in texts:
        for line in text.text.splitlines():
            yield f"{'':{width}}  {'prints':<8}  {line}"


def _end(trace: Trace) -> Iterator[str]:
    """How the recording ended, where no step says it."""
    count = len(trace.steps)
    if trace.outcome is None and not count:
        yield _NOTHING
    elif trace.outcome is None:
        where = "after" if getattr(trace.steps[-1], "finished", True) else "in"
        yield f"The recording ended {where} step {count}: its process died."
    elif trace.outcome.message and not any(isinstance(step, ErrorStep) for step in trace.steps):
        yield f"{trace.outcome.kind}: {trace.outcome.message}"


_NOTHING = (
    "The recording holds no step: its process died before the first, or the file was copied "
    "without the -wal file beside it."
)


def _phase(step: Step) -> str:
    return "error" if isinstance(step, ErrorStep) else phase_of(step)
