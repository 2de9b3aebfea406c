"""Facts about gradients that are differentiated again: where their graph was cut off."""

from __future__ import annotations

from gradviz.model.cuts import missing_cuts
from gradviz.model.index import Index
from gradviz.model.step import PassEndStep
from gradviz.viewer.inspector.facts import Section, StepsRow, tr


def missing_sections(index: Index, step: PassEndStep) -> tuple[Section, ...]:
    """A section with the steps that cut the results of a pass off from the graph."""
    cuts = missing_cuts(index, step.pass_id)
    rows = tuple(
        StepsRow(text=tr("gradient for {name}").format(name=cut.gradient), numbers=(cut.step,))
        for cut in cuts
        if cut.step != step.number
    )
    return (Section(key="cut", title=tr("cut off before this step"), rows=rows),) if rows else ()
