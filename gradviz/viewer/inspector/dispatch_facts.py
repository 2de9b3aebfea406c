"""Facts about a call that a type has overridden by ``__torch_function__``."""

from __future__ import annotations

from gradviz.model.step import DispatchStep
from gradviz.viewer.inspector.facts import Section, tr, values


def dispatch_sections(step: DispatchStep) -> tuple[Section, ...]:
    """What was called with what, and what came back."""
    return (
        Section(key="arguments", title=tr("inputs"), rows=values(step.inputs)),
        Section(key="outputs", title=tr("outputs"), rows=values(step.outputs)),
    )
