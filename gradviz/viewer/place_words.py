"""What the stages of a step are called, and where inside a step a place is, in few words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.inside import StageKind
from gradviz.model.levels import Place, line_at, op_at


def stage_text(stage: StageKind) -> str:
    """What a stage is called."""
    return {
        "forward": _tr("forward"),
        "setup_context": _tr("setup_context"),
        "save": _tr("save for backward"),
        "backward": _tr("backward"),
        "engine": _tr("engine check"),
        "accumulate": _tr("accumulate"),
    }[stage]


def words_of(index: Index, place: Place | None) -> tuple[str, ...]:
    """The way down to a place: stage, line, op; nothing for a step as a whole."""
    if place is None or place.stage is None:
        return ()
    line, op = line_at(index, place), op_at(index, place)
    words = [stage_text(place.stage)]
    if line is not None:
        words.append(_tr("line {0}").format(line.location.line))
    if op is not None:
        words.append(op.name)
    return tuple(words)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Places", text)
