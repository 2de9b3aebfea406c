"""Facts about gradients that are differentiated again: where they lost their history."""

from __future__ import annotations

from gradviz.model.cuts import cuts_of, missing_cuts
from gradviz.model.index import Index
from gradviz.model.step import NodeStep, PassEndStep
from gradviz.viewer.inspector.facts import Section, StepsRow, TextRow, tr


def cut_sections(index: Index, step: NodeStep) -> tuple[Section, ...]:
    """What of the gradients that a step made has no history, and what helps."""
    messages = dict.fromkeys(cut.message for cut in cuts_of(index) if cut.step == step.number)
    rows = tuple(TextRow(text=each, tone="error") for each in messages)
    return _section(rows, tr("cut off from its history"))


def missing_sections(index: Index, step: PassEndStep) -> tuple[Section, ...]:
    """What is missing in the results of a pass."""
    cuts = missing_cuts(index, step.pass_id)
    rows = tuple(
        StepsRow(text=tr("gradient for {name}").format(name=cut.gradient), numbers=(cut.step,))
        for cut in cuts
        if cut.step != step.number
    )
    return _section(rows, tr("cut off on the way here"))


def _section(rows: tuple[TextRow | StepsRow, ...], title: str) -> tuple[Section, ...]:
    return (Section(key="cut", title=title, rows=rows),) if rows else ()
