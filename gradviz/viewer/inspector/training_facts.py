"""Facts about an optimizer's step."""

from __future__ import annotations

from gradviz.model.step import OptimizerStep
from gradviz.viewer.inspector.facts import Section, tr, values


def optimizer_sections(step: OptimizerStep) -> tuple[Section, ...]:
    """The parameters before and after, and the gradients that they were moved by."""
    return (
        Section(key="settings", title=tr("settings"), rows=values(step.settings)),
        Section(key="before", title=tr("parameters before"), rows=values(step.before)),
        Section(key="gradients", title=tr("gradients"), rows=values(step.gradients)),
        Section(key="after", title=tr("parameters after"), rows=values(step.after)),
    )
