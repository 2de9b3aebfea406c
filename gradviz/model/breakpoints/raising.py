"""Find where a run raised: the innermost unfinished line or op, even if it was caught."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.model.breakpoints.changing import parts_of
from gradviz.model.breakpoints.facts import Facts
from gradviz.model.breakpoints.traffic import callers
from gradviz.model.inside import Part
from gradviz.model.places import Place
from gradviz.model.step import ErrorStep


def raised(facts: Facts) -> Iterator[Place]:
    """Places that raised, and the error's step if nothing finer is recorded for it."""
    trace = facts.index.trace
    # If the process died, its last step is unfinished too, but nothing was raised in it.
    died = len(trace.steps) if trace.outcome is None else None
    raising: set[int] = set()
    for stage, part in parts_of(facts):
        if stage.step != died:
            found = list(_innermost(stage, part))
            raising.update(place.step for place in found)
            yield from found
    for step in trace.steps[-1:]:
        # The step that raised comes right before the step of the error.
        if isinstance(step, ErrorStep) and step.number - 1 not in raising:
            yield Place(step=step.number)


def _innermost(stage: Place, part: Part) -> Iterator[Place]:
    around: set[int | None] = set()
    for at, op in enumerate(part.ops):
        if not op.finished:
            around.update(callers(part, op.line))
            yield Place(step=stage.step, stage=stage.stage, line=op.line, op=at)
    for at in reversed(range(len(part.lines))):
        if not part.lines[at].finished:
            if at not in around:
                yield Place(step=stage.step, stage=stage.stage, line=at)
            around.update(callers(part, at))
