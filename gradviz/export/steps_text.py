"""Every step of a trace as plain text: its sentence, its inside and its printed output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from gradviz.export.inside_text import inside_text
from gradviz.model.change_words import changes_line
from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.index import Index
from gradviz.model.messages import say
from gradviz.model.narrate import sentence, sentence_at
from gradviz.model.places import Level, Place
from gradviz.model.query import phase_of
from gradviz.model.step import ErrorStep, Step
from gradviz.model.trace import Trace
from gradviz.model.training import training_of
from gradviz.model.training_words import loss_words, norm_words


def steps_text(index: Index, level: Level = "node") -> Iterator[str]:
    """Yield the lines of ``gradviz steps``, without line ends.

    Args:
        index: The trace.
        level: How far to look inside a step; with ``pass`` each phase is one line.
    """
    trace = index.trace
    yield f"{trace.origin.title} ({trace.origin.subject}, {trace.origin.device})"
    if trace.changes:
        yield changes_line(trace)
    shallow = _shallow_text(trace, level)
    if shallow:
        yield shallow
    yield from _phases(index) if level == "pass" else _steps(index, level)
    outside = [each for each in trace.console if each.step is None and each.activity == "run"]
    if outside:
        yield "Printed outside any step:"
        yield from _printed(outside, len(str(len(trace.steps))))
    for cut in trace.cuts:
        if cut.activity == "run":
            yield f"{cut.lines} more lines ({cut.characters} characters) were printed but not kept."
    for finding in trace.findings:
        if finding.step is None or level == "pass":
            yield f"{finding.severity}: {finding.message}"
    training = training_of(index)
    if training is not None:
        yield say("training.told", told=loss_words(training) or norm_words(training))
    yield from _end(trace)


def _shallow_text(trace: Trace, level: Level) -> str:
    """Note that a level needs more than was recorded; empty if it does not."""
    recorded = trace.origin.level
    if recorded == "nodes" and len(trace.insides):
        recorded = "ops"  # Whatever level was requested, something was recorded.
    if level == "line" and recorded != "lines":
        return say(f"steps.shallow.{recorded}", level="lines")
    if level == "op" and recorded == "nodes":
        return say("steps.shallow.nodes", level="ops")
    return ""


def _phases(index: Index) -> Iterator[str]:
    phases = index.phases
    width = max((len(f"{phase.first}–{phase.last}") for phase in phases), default=0)
    for phase in phases:
        text = sentence_at(index, Place(step=phase.first), "pass")
        yield f"{f'{phase.first}–{phase.last}':>{width}}  {phase.kind:<8}  {text}"


def _steps(index: Index, level: Level) -> Iterator[str]:
    width = len(str(len(index.trace.steps)))
    found: defaultdict[int | None, list[Finding]] = defaultdict(list)
    for finding in index.trace.findings:
        found[finding.step].append(finding)
    for step in index.trace.steps:
        # Exception messages may have several lines.
        first, *rest = sentence(index, step).splitlines()
        yield f"{step.number:>{width}}  {_phase(step):<8}  {first}"
        yield from (f"{'':{width}}  {'':<8}  {line}" for line in rest)
        yield from (f"{'':{width}}    {line}" for line in inside_text(index, step.number, level))
        yield from _printed(index.printed.get(step.number, ()), width)
        for finding in found.get(step.number, ()):
            yield f"{'':{width}}  {finding.severity:<8}  {finding.message}"


def _printed(texts: Sequence[ConsoleText], width: int) -> Iterator[str]:
    for text in texts:
        for line in text.text.splitlines():
            yield f"{'':{width}}  {'prints':<8}  {line}"


def _end(trace: Trace) -> Iterator[str]:
    """How the recording ended, if no step says so."""
    count = len(trace.steps)
    if trace.outcome is None and not count:
        yield _NOTHING
    elif trace.outcome is None:
        where = "after" if getattr(trace.steps[-1], "finished", True) else "in"
        yield f"The recording ended {where} step {count}: its process died."
    elif trace.outcome.message and not any(isinstance(step, ErrorStep) for step in trace.steps):
        yield f"{trace.outcome.kind}: {trace.outcome.message}"


_NOTHING = (
    "The recording has no steps: its process died before the first one, or the file was "
    "copied without its -wal file."
)


def _phase(step: Step) -> str:
    return "error" if isinstance(step, ErrorStep) else phase_of(step)
