"""Every step of a trace as plain text, and the origin of its first NaN or Inf."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import PurePath
from typing import Literal

from gradviz.analysis.index.step_queries import phase_of
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import pass_for, saved_memory
from gradviz.analysis.position.finding_positions import grouped_findings
from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.stage_order import stage_order
from gradviz.analysis.position.trace_position import (
    Level,
    TracePosition,
    children,
    is_finer,
    stage_record_at,
)
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.analysis.training.gradient_flow import gradient_flow
from gradviz.analysis.training.training_curves import training_of
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor, find_non_finite
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.inside import StageRecord, records_lines, records_ops
from gradviz.model.source import Location, source_lines, user_line
from gradviz.model.step import ErrorStep, Step
from gradviz.model.trace import Trace
from gradviz.text.found_problems import guide_lines, problem_counts
from gradviz.text.gradient_flow import flow_words
from gradviz.text.narration import describe_missing_run, describe_position, describe_step
from gradviz.text.phrases import non_finite_counts
from gradviz.text.provenance import origin_sentence, stops
from gradviz.text.punctuation import join_sentences
from gradviz.text.repeated_findings import finding_text
from gradviz.text.saved_memory import memory_rules, memory_words
from gradviz.text.scope import scope_sentences
from gradviz.text.titles import origin_title
from gradviz.text.training_curves import loss_words, norm_words
from gradviz.text.what_if import changes_line

_STEP = 2
_LABEL = 8


def inside_text(index: TraceIndex, number: int, level: Level) -> Iterator[str]:
    """Yield a line for each place inside a step down to a level.

    It begins with the last word of the place's path, like ``op2``; see `position_path`.
    """
    if is_finer("stage", level):
        return
    for stage in children(index, TracePosition(step=number)):
        yield _row(index, stage, 0)
        part = stage_record_at(index, stage)
        if part is not None and level in ("line", "op"):
            yield from _lines_and_ops(index, stage, part, level)


def _lines_and_ops(
    index: TraceIndex, stage: TracePosition, part: StageRecord, level: Level
) -> Iterator[str]:
    order, file = stage_order(part), ""
    for line, op in order.everything:
        place = TracePosition(step=stage.step, stage=stage.stage, line=line, op=op)
        if is_finer(place.level, level):
            continue
        depth = 1 if line is None else 1 + order.depths[line] + (op is not None)
        if line is not None and op is None and part.lines[line].location.path != file:
            file = part.lines[line].location.path
            yield f"{'':{_STEP * depth}}{say('steps.file', file=_file_name(file))}"
        yield _row(index, place, depth, part.ops[op].location if op is not None else None)


def _row(
    index: TraceIndex, place: TracePosition, depth: int, location: Location | None = None
) -> str:
    label = position_path(place).rpartition("/")[2]
    text = " ".join(describe_position(index, place).split())
    where = user_line(location)
    if place.line is None and where is not None:
        # If no lines were recorded, an op shows its own line.
        text = say("error.at", sentence=text, line=where.line, file=_file_name(where.path))
    return f"{'':{_STEP * depth}}{label:<{_LABEL}}  {text}"


@lru_cache
def _file_name(path: str) -> str:
    return PurePath(path).name


def selected_steps(trace: Trace, wanted: range | None) -> Iterator[Step]:
    """Iterate over some of the steps; over all if none are named."""
    return iter(trace.steps) if wanted is None else (trace.steps[each - 1] for each in wanted)


def steps_text(
    index: TraceIndex, level: Level = "node", wanted: range | None = None
) -> Iterator[str]:
    """Iterate over the lines of ``gradviz steps``, without line ends or control characters.

    Args:
        index: The trace.
        level: How far to look inside a step; with ``pass`` each phase is one line.
        wanted: The numbers of the steps, without what belongs to none of them; None for everything.
    """
    return map(visible_text, _lines(index, level, wanted))


def _lines(index: TraceIndex, level: Level, wanted: range | None) -> Iterator[str]:
    trace = index.trace
    yield f"{origin_title(trace.origin)} ({trace.origin.subject}, {trace.origin.device})"
    yield from scope_sentences(trace.scope)
    if trace.changes:
        yield changes_line(trace)
    if missing_run := describe_missing_run(index):
        yield missing_run
    shallow = _shallow_text(trace, level)
    if shallow:
        yield shallow
    yield from _phases(index, wanted) if level == "pass" else _steps(index, level, wanted)
    if wanted is not None:
        return
    outside = [each for each in trace.console if each.step is None and each.activity == "run"]
    if outside:
        yield say("steps.outside")
        yield from _printed(outside, len(str(len(trace.steps))))
    for cut in trace.cuts:
        if cut.activity == "run":
            characters = format_count(cut.characters)
            yield say_count("steps.not_kept", cut.lines, characters=characters)
    for group in grouped_findings(index, trace.findings):
        if group[0].step is None or level == "pass":
            yield from _indented(f"{group[0].severity}: ", finding_text(group))
    yield from _summary(index)
    yield from end_text(trace)


def _summary(index: TraceIndex) -> Iterator[str]:
    if counts := problem_counts(index.trace.findings):
        yield say("doctor.summary", counts=counts)
    yield from guide_lines(index.trace.findings)
    training = training_of(index)
    if training is not None:
        yield say("training.told", told=loss_words(training) or norm_words(training))
    span = pass_for(index, len(index.trace.steps)) if index.trace.modules else None
    memory = None if span is None else saved_memory(index, span)
    if memory is not None:
        yield join_sentences((memory_words(index, memory), memory_rules(memory)))
    if span is not None and (flow := flow_words(index, span, gradient_flow(index, span))):
        yield flow


def _shallow_text(trace: Trace, level: Level) -> str:
    """Note that a level needs more than was recorded; empty if it does not."""
    recorded = trace.origin.level
    if recorded == "nodes" and len(trace.insides):
        recorded = "ops"  # Whatever level was requested, something was recorded.
    if level == "line" and not records_lines(recorded):
        return say(f"steps.shallow.{recorded}", level="lines" if recorded == "nodes" else "all")
    if level == "op" and not records_ops(recorded):
        return say(f"steps.shallow.{recorded}", level="ops" if recorded == "nodes" else "all")
    return ""


def _phases(index: TraceIndex, wanted: range | None) -> Iterator[str]:
    phases = [
        each
        for each in index.phases
        if wanted is None or (each.first < wanted.stop and each.last >= wanted.start)
    ]
    width = max((len(f"{phase.first}–{phase.last}") for phase in phases), default=0)
    for phase in phases:
        text = describe_position(index, TracePosition(step=phase.first), "pass")
        yield f"{f'{phase.first}–{phase.last}':>{width}}  {phase.kind:<8}  {text}"


def _steps(index: TraceIndex, level: Level, wanted: range | None) -> Iterator[str]:
    width = len(str(len(index.trace.steps)))
    found: defaultdict[int | None, list[tuple[Finding, str]]] = defaultdict(list)
    for group in grouped_findings(index, index.trace.findings):
        # What is wrong is told once, at the first step; what was seen, at each.
        alike = [[each] for each in group] if group[0].severity == "info" else [group]
        for each in alike:
            found[each[0].step].append((each[0], finding_text(each)))
    bad: defaultdict[int, list[NonFiniteTensor]] = defaultdict(list)
    for spoilt in find_non_finite(index):
        bad[spoilt.step].append(spoilt)
    for step in selected_steps(index.trace, wanted):
        label = f"{step.number:>{width}}  {step_phase(step):<8}  "
        sentence = describe_step(index, step)
        yield from _indented(label, sentence)
        yield from (f"{'':{width}}    {line}" for line in inside_text(index, step.number, level))
        for spoilt in bad.get(step.number, ()):
            kind, text = _non_finite_text(index, spoilt)
            yield f"{'':{width}}  {kind:<8}  {text}"
        yield from _printed(index.printed.get(step.number, ()), width)
        for finding, text in found.get(step.number, ()):
            if finding.message in sentence:
                continue
            yield from _indented(f"{'':{width}}  {finding.severity:<8}  ", text)


def _non_finite_text(index: TraceIndex, found: NonFiniteTensor) -> tuple[str, str]:
    known = index.tensor[found.tensor].statistics
    counts = [] if known is None else non_finite_counts(known)
    kind, _ = counts[0] if counts else (say("what.nan"), 0)
    values = say_list([f"{format_count(count)} {kind}" for kind, count in counts])
    where = "harmless" if found.reaches is None else "reaches"
    return kind, say(
        f"steps.non_finite.{where}",
        name=found.name,
        values=values or say("steps.non_finite.uncounted"),
    )


def _printed(texts: Sequence[ConsoleText], width: int) -> Iterator[str]:
    for text in texts:
        for line in source_lines(text.text):
            yield f"{'':{width}}  {'prints':<8}  {line}"


def _indented(label: str, text: str) -> Iterator[str]:
    """Yield a label and a text that may have several lines, such as an exception's message."""
    first, *rest = text.split("\n")
    yield label + first
    yield from (f"{'':{len(label)}}{line}" for line in rest)


def end_text(trace: Trace) -> Iterator[str]:
    """Yield how the recording ended, if no step says so."""
    count = len(trace.steps)
    is_cut = count > 0 and not getattr(trace.steps[-1], "finished", True)
    if trace.outcome is None and not count:
        yield say("steps.nothing")
    elif trace.outcome is None:
        where = "in" if is_cut else "after"
        yield say(f"steps.ended.{where}", number=format_count(count))
    elif trace.outcome.kind == "stopped":
        where = "nothing" if not count else "in" if is_cut else "after"
        yield say(
            f"steps.stopped.{where}", number=format_count(count), reason=trace.outcome.message
        )
    elif trace.outcome.message and not any(isinstance(step, ErrorStep) for step in trace.steps):
        yield from _indented(f"{trace.outcome.kind}: ", trace.outcome.message)


def step_phase(step: Step) -> str:
    """The phase of a step, or ``error`` for an exception."""
    return "error" if isinstance(step, ErrorStep) else phase_of(step)


NanOrInf = Literal["nan", "inf"]


def origin_text(index: TraceIndex, value_kind: NanOrInf) -> Iterator[str]:
    """Yield a sentence for each origin of the first such tensor, and the path from there.

    Args:
        index: The trace.
        value_kind: Whether to look for NaN or Inf.
    """
    problem = ValueProblem(kind="nan" if value_kind == "nan" else "infinity")
    having = [each for each in find_non_finite(index) if _has(each, value_kind)]
    # What does no harm is not what one looks for, if there is anything else.
    found = min(having, key=lambda each: each.reaches is None, default=None)
    if found is None:
        yield say(f"origin.nothing.{problem.kind}")
        return
    if found.reaches is None:
        yield say(f"origin.isolated.{problem.kind}")
    tracer = OriginTracer(index)
    seen = ElementLocation(
        place=TracePosition(step=found.step), name=found.name, tensor=found.tensor, element=None
    )
    for value_origin in tracer.value_origins(problem, seen):
        yield origin_sentence(index, tracer, value_origin)
        for stop in stops(index, value_origin):
            yield say("path.line", step=stop.place.step, where=stop.title, note=stop.note)


def _has(found: NonFiniteTensor, value_kind: NanOrInf) -> bool:
    return (found.nans if value_kind == "nan" else found.infinities) != 0
