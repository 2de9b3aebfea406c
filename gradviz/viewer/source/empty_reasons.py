"""Texts for an empty pane or an empty variable table, and for a Function's other half."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.model.inside import records_lines
from gradviz.viewer.source.source_passages import SourceContent, SourcePassage
from gradviz.viewer.translation import translate


def no_source_text(index: TraceIndex | None, shown: SourceContent) -> str:
    """Return the sentence for a pane without source."""
    if index is None:
        return translate("Source", "The source of each step appears here.")
    if shown.where is not None:
        text = translate("Source", "The source of {path} was not recorded. {about}")
        return text.format(path=shown.where.path, about=shown.about).rstrip()
    if shown.about:
        return translate("Source", "No lines were recorded for this step. {about}").format(
            about=shown.about
        )
    return translate("Source", "This step has no source.")


def no_locals_text(index: TraceIndex, shown: SourceContent) -> str:
    """Return the sentence for a table without variables."""
    if shown.hidden:
        return translate("Source", "Values are hidden until the answer is revealed.")
    if shown.active is not None and shown.active.phase == "other":
        return translate("Source", "Local variables are recorded only inside of custom Functions.")
    if _is_shallow(index):
        return translate(
            "Source", "This run was recorded without source lines, so local variables are unknown."
        )
    if shown.stage in ("save", "engine"):
        return translate("Source", "None of your lines run in this stage.")
    return translate("Source", "No lines were recorded in this stage.")


def needs_lines(index: TraceIndex, shown: SourceContent) -> bool:
    """Return whether a recording with source lines would show variables."""
    inside = shown.active is None or shown.active.phase != "other"
    return inside and _is_shallow(index) and not shown.hidden


def _is_shallow(index: TraceIndex) -> bool:
    return not records_lines(index.trace.origin.level)


def other_half_text(passage: SourcePassage) -> tuple[str, str]:
    """Return the name of a Function's other half, and whether and when it ran."""
    name = passage.definitions[0].function
    if passage.phase == "backward":
        return name, translate("Source", "It has not run yet.")
    if not passage.reaches:
        return name, translate("Source", "It ran in step {number}.").format(
            number=format_count(passage.step)
        )
    return name, translate("Source", "Shown as it ran in step {number}.").format(
        number=format_count(passage.step)
    )
