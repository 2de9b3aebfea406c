"""How places of a run are called: a title each, and the way down to them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.inside import Line, Op, StageKind
from gradviz.model.place_names import subject_of_step
from gradviz.model.places import Place, depth_of, line_at, op_at, parent, part_at
from gradviz.model.query import step_at
from gradviz.model.source import Location
from gradviz.model.step import AccumulateStep, DispatchStep


@dataclass(frozen=True, slots=True)
class Crumb:
    """One level of the way down to a place.

    Attributes:
        text: What it is called there, short.
        place: Itself.
    """

    text: str
    place: Place


def title_of_place(index: Index, place: Place) -> str:
    """What a place inside of a step is about, as a title; empty for one that is not there."""
    op = op_at(index, place)
    if op is not None:
        return op_title(op)
    if place.stage is None:
        return ""
    stage = stage_title(index, place.step, place.stage)
    line = line_at(index, place)
    if line is None:
        return stage
    part = part_at(index, place)
    number = line.location.line
    if part is not None and depth_of(part, place.line) and line.location.function:
        text = _tr("{function}, line {number}")
        return text.format(function=_last_name(line.location.function), number=number)
    return _tr("{stage}, line {number}").format(stage=stage, number=number)


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


def _stage_word(index: Index, number: int, stage: StageKind) -> str:
    dispatched = isinstance(step_at(index, number), DispatchStep)
    return "__torch_function__" if dispatched else stage_text(stage)


def stage_title(index: Index, number: int, stage: StageKind) -> str:
    """Like ``forward of LinearFunction``."""
    subject = _subject(index, number)
    if isinstance(step_at(index, number), DispatchStep):
        return _tr("the answer to {subject}").format(subject=subject)
    texts: dict[StageKind, str] = {
        "forward": _tr("forward of {subject}"),
        "setup_context": _tr("setup_context of {subject}"),
        "save": _tr("what {subject} saves"),
        "backward": _tr("backward of {subject}"),
        "engine": _tr("the engine after {subject}"),
        "accumulate": _tr("accumulation into {subject}"),
    }
    return texts[stage].format(subject=subject)


def op_title(op: Op) -> str:
    """Like ``aten::mm``, or ``aten::add.Tensor`` where it is not the default overload."""
    if op.overload in ("", "default"):
        return op.name
    return f"{op.name}.{op.overload}"


def line_text(line: Line) -> str:
    """Like ``line 14``, or ``lines 14 to 16`` of a statement that spans several."""
    first, last = line.location.line, line.last_line
    if last > first:
        return _tr("lines {first} to {last}").format(first=first, last=last)
    return _tr("line {first}").format(first=first)


def location_title(location: Location) -> str:
    """Like ``line 14``, of a line by which no more than its number is known."""
    return _tr("line {first}").format(first=location.line)


def location_text(location: Location) -> str:
    """Like ``linear.py:14``."""
    return f"{PurePath(location.path).name or location.path}:{location.line}"


def words_of(index: Index, place: Place | None) -> tuple[str, ...]:
    """The way down to a place: stage, line, op; nothing for a step as a whole."""
    if place is None or place.stage is None:
        return ()
    line, op = line_at(index, place), op_at(index, place)
    words = [_stage_word(index, place.step, place.stage)]
    if line is not None:
        words.append(_tr("line {0}").format(line.location.line))
    if op is not None:
        words.append(op.name)
    return tuple(words)


def crumbs(index: Index, place: Place) -> tuple[Crumb, ...]:
    """The way from the step down to a place, the place itself last."""
    found: list[Crumb] = []
    here: Place | None = place
    while here is not None:
        found.append(crumb_of(index, here))
        here = parent(index, here)
    return tuple(reversed(found))


def crumb_of(index: Index, place: Place) -> Crumb:
    """A place with what it is called, short."""
    return Crumb(_short(index, place), place)


def _short(index: Index, place: Place) -> str:
    op = op_at(index, place)
    if op is not None:
        return op_title(op)
    line = line_at(index, place)
    if line is not None:
        return line_text(line)
    if place.stage is not None:
        return _stage_word(index, place.step, place.stage)
    return _tr("step {number:,}").format(number=place.step)


def _subject(index: Index, number: int) -> str:
    """What a stage belongs to: the Function by its name, else the op, the node or the gradient."""
    step = step_at(index, number)
    subject = subject_of_step(index, step)
    return f"{subject}.grad" if isinstance(step, AccumulateStep) else subject


def _last_name(function: str) -> str:
    """The name of a function without what it is defined in."""
    return function.rpartition("<locals>.")[2]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Places", text)
