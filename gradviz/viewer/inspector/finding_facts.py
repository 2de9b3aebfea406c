"""The section with the findings of a step."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.viewer.inspector.facts import Section, TextRow, tr
from gradviz.viewer.widgets.pill import Tone

_TONES: dict[str, Tone] = {"error": "error", "warning": "warning"}


def finding_section(index: Index, number: int, said: str) -> tuple[Section, ...]:
    """The findings of a step, without those that its sentence already contains.

    Args:
        index: The trace.
        number: Number of the step.
        said: The sentence of the step.

    Returns:
        A section with the findings; empty if there are none.
    """
    rows = tuple(
        TextRow(text=each.message, tone=_TONES.get(each.severity, "plain"))
        for each in index.trace.findings
        if each.step == number and each.message not in said
    )
    return (Section(key="findings", title=tr("found here"), rows=rows),) if rows else ()
