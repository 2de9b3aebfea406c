"""Every step of a trace as plain text: its sentence, and what was printed in it."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.model.index import Index
from gradviz.model.narrate import sentence
from gradviz.model.step import ErrorStep, ForwardStep, Step


def steps_text(index: Index) -> Iterator[str]:
    """Yields the lines of ``gradviz steps``, without line ends."""
    trace = index.trace
    count = len(trace.steps)
    yield f"{trace.origin.title} ({trace.origin.subject}, {trace.origin.device})"
    width = len(str(count))
    for step in trace.steps:
        yield f"{step.number:>{width}}  {_phase(step):<8}  {sentence(index, step)}"
        for text in index.printed.get(step.number, ()):
            for line in text.text.splitlines():
                yield f"{'':{width}}  {'prints':<8}  {line}"
    for cut in trace.cuts:
        if cut.activity == "run":
            yield f"{cut.lines} more lines ({cut.characters} characters) were printed and not kept."
    for finding in trace.findings:
        yield f"{finding.severity}: {finding.message}"
    if trace.outcome is None:
        yield f"The recording ended in step {count}: its process died." if count else _NOTHING


_NOTHING = (
    "The recording holds no step: its process died before the first, or the file was copied "
    "without the -wal file beside it."
)


def _phase(step: Step) -> str:
    match step:
        case ForwardStep():
            return "forward"
        case ErrorStep():
            return "error"
        case _:
            return "backward"
