"""The place in a run that shows a finding best, and the findings up to a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex, base_name
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.model.finding import Finding, Severity
from gradviz.model.step import ForwardStep, OptimizerStep

_GRAVEST_FIRST: tuple[Severity, ...] = ("error", "warning", "info")


def finding_position(index: TraceIndex, finding: Finding) -> TracePosition | None:
    """The place of a finding: its step, or its first recorded source line in that step.

    That of an overwritten saved tensor is the first write after it was saved, not the later error.

    Returns:
        None for a finding that belongs to no step.
    """
    if finding.step is None:
        return None
    location = finding.location
    write = _first_write(index, finding) if finding.code == "saved_modified" else None
    if write is not None:
        return TracePosition(step=write)
    inside = index.inside.get(finding.step)
    if inside is not None and location is not None:
        wanted = (location.path, location.line)
        for part in inside.parts:
            for at, line in enumerate(part.lines):
                if (line.location.path, line.location.line) == wanted:
                    return TracePosition(step=finding.step, stage=part.stage, line=at)
    return TracePosition(step=finding.step)


def _first_write(index: TraceIndex, finding: Finding) -> int | None:
    """The first step at the line of a finding after its node had saved; None if there is none."""
    saved_at = 0 if finding.node is None else index.made_at.get(finding.node, 0)
    for number in range(saved_at + 1, finding.step or 0) if saved_at else ():
        step = step_at(index, number)
        if isinstance(step, ForwardStep | OptimizerStep) and step.location == finding.location:
            return number
    return None


def ordered_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, most severe first; those about the recording come last."""
    found = tuple(findings)
    about_recording = {
        code for code in {each.code for each in found} if finding_kind(code).recording
    }
    return tuple(sorted(found, key=lambda each: (each.code in about_recording, *_rank(each))))


def grouped_findings(
    index: TraceIndex, findings: Iterable[Finding]
) -> tuple[tuple[Finding, ...], ...]:
    """Findings in that order, together those that tell the same of several steps, as of a loop."""
    groups: dict[tuple[Hashable, ...], list[Finding]] = {}
    in_step: Counter[tuple[Hashable, ...]] = Counter()
    for each in ordered_findings(findings):
        subject = _subject(index, each)
        # A step may tell it of several gradients.
        position = in_step[(*subject, each.step)]
        in_step[(*subject, each.step)] += 1
        groups.setdefault((*subject, position), []).append(each)
    return tuple([tuple(group) for group in groups.values()])


def _subject(index: TraceIndex, finding: Finding) -> tuple[Hashable, ...]:
    """What a finding is about; for a violation what it says, and unique outside of steps."""
    node = None if finding.node is None else index.node.get(finding.node)
    if finding.step is None or node is None:
        return (finding.id,)
    if finding.severity != "info":
        return (finding.code, finding.location, finding.message)
    if node.kind == "accumulate":
        # Torch makes a new node for a leaf when nothing refers to the last one, and code in a loop
        # may make a new leaf.
        return (finding.code, finding.location, base_name(node.variable_name) or node.id)
    made = step_at(index, index.made_at.get(node.id, 0))
    module = None if node.module_call is None else index.module[node.module_call].path
    line = made.location if isinstance(made, ForwardStep) else None
    return (finding.code, finding.location, node.name, module, line)


def _rank(finding: Finding) -> tuple[int, int, int]:
    return (_GRAVEST_FIRST.index(finding.severity), finding.step or 0, finding.id)
