"""Why there is no text, or are no local variables, and what the other half of a Function is."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.viewer.source.passages import Passage, Shown


def no_text(index: Index | None, shown: Shown) -> str:
    """The sentence of a pane without text."""
    if index is None:
        return _tr("Run a Function or open a trace to see its source here.")
    if shown.where is not None:
        text = _tr("The text of {path} was not recorded. {about}")
        return text.format(path=shown.where.path, about=shown.about)
    if shown.about:
        return _tr("No line of this step was recorded. {about}").format(about=shown.about)
    return _tr("This step has no source.")


def no_locals(index: Index, shown: Shown) -> str:
    """The sentence of a table without variables."""
    if is_shallow(index):
        return _tr("This run was recorded without lines: it tells no values of local variables.")
    if shown.stage in ("save", "engine"):
        return _tr("No line of yours runs in this stage.")
    return _tr("No lines were recorded in this stage.")


def is_shallow(index: Index) -> bool:
    """Whether a trace was recorded without source lines."""
    return index.trace.origin.level != "lines"


def concealed() -> str:
    """Of a step that a room has still to guess."""
    return _tr("Values are hidden until the room has guessed.")


def half(passage: Passage) -> tuple[str, str]:
    """What the other half of a Function is called, and what it is at this moment."""
    name = passage.definitions[0].function
    if passage.phase == "backward":
        return name, _tr("It has not run yet.")
    if not passage.reaches:
        return name, _tr("It ran in step {number:,}.").format(number=passage.step)
    return name, _tr("As it ran in step {number:,}.").format(number=passage.step)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Source", text)
