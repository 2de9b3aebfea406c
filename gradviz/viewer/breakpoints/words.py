"""Texts about breakpoints: titles, number of hits, and why there are none."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import QCoreApplication

from gradviz.model.breakpoints.found import Found, Why, hits_until
from gradviz.model.breakpoints.point import (
    AtFunction,
    AtLine,
    AtNode,
    Condition,
    Direction,
    Target,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.model.index import Index
from gradviz.model.places import Place


def title_of(target: Target, index: Index | None) -> str:
    """Return a short description of what a breakpoint stops at."""
    match target:
        case AtNode():
            return _directed(target.direction, _node_title(target, index))
        case AtFunction():
            text = _tr("Each {name}").format(name=target.name)
            return _directed(target.direction, text)
        case AtLine():
            name = PurePath(target.path).name or target.path
            if not target.text:
                return _tr("Line {line} of {file}").format(line=target.line, file=name)
            text = _tr("Line {line} of {file}: {text}")
            return text.format(line=target.line, file=name, text=target.text)
        case _:
            return _condition(target)


def _node_title(target: AtNode, index: Index | None) -> str:
    """Tell the node from others of the same name by its leaf, or the step that created it."""
    node = None if index is None else index.node.get(target.node)
    name = target.name.removeprefix("torch::autograd::")
    if index is None or node is None or node.name != target.name:
        return _tr("Node {name}").format(name=name)
    if node.variable_name:
        return _tr("Node {name} of {leaf}").format(name=name, leaf=node.variable_name)
    if node.id not in index.made_at:
        return _tr("Node {name}").format(name=name)
    return _tr("Node {name} (step {made:,})").format(name=name, made=index.made_at[node.id])


def _directed(direction: Direction, text: str) -> str:
    if direction == "both":
        return text
    if direction == "forward":
        return _tr("{what}, forward only").format(what=text)
    return _tr("{what}, backward only").format(what=text)


def _condition(target: Condition) -> str:
    match target:
        case WhenNotFinite():
            return {
                ("nan", True): _tr("A NaN appears"),
                ("nan", False): _tr("A NaN is present"),
                ("inf", True): _tr("An Inf appears"),
                ("inf", False): _tr("An Inf is present"),
            }[target.kind, target.appears]
        case WhenNorm():
            return {
                (True, True): _tr("The norm of a gradient rises above {limit:g}"),
                (True, False): _tr("The norm of a gradient is above {limit:g}"),
                (False, True): _tr("The norm of a tensor rises above {limit:g}"),
                (False, False): _tr("The norm of a tensor is above {limit:g}"),
            }[target.gradients, target.appears].format(limit=target.above)
        case WhenSign():
            name = f"{target.name}.grad" if target.gradient else target.name
            element = ", ".join(map(str, target.element))
            if not target.element:
                return _tr("{name} changes its sign").format(name=name)
            return _tr("{name}[{element}] changes its sign").format(name=name, element=element)
        case WhenShape():
            return _tr("A shape changes")
        case WhenDtype():
            return _tr("A dtype changes")
        case WhenPrinted():
            return _tr("Something is printed")
        case WhenRaised():
            return _tr("An exception is raised")


def hits_text(found: Found | None, place: Place | None) -> str:
    """Return the number of hits, and which of them the current position is at."""
    if found is None:
        return _tr("searching…")
    count = len(found.places)
    if not count or place is None:
        return _tr("none") if not count else _hits(count)
    passed = hits_until(found.places, place)
    if passed and found.places[passed - 1] == place:
        return _tr("hit {number:,} of {count:,}").format(number=passed, count=count)
    if not passed:
        return _tr("{hits} ahead").format(hits=_hits(count))
    return _tr("{hits}, {passed:,} behind").format(hits=_hits(count), passed=passed)


def _hits(count: int) -> str:
    return _tr("1 hit") if count == 1 else _tr("{0:,} hits").format(count)


def note_of(target: Target, found: Found | None) -> str:
    """Return why there are no hits and what was not searched; empty if nothing to say."""
    if found is None:
        return ""
    notes = [_why(target, found.why)] if found.why is not None else []
    if found.unseen.tensors == 1:
        notes.append(_tr("1 tensor was not stored, so it was not searched."))
    elif found.unseen.tensors:
        text = _tr("{0:,} tensors were not stored, so they were not searched.")
        notes.append(text.format(found.unseen.tensors))
    if found.unseen.lines:
        notes.append(_tr("Lines were not recorded, so variables were not searched."))
    return " ".join(notes)


def _why(target: Target, why: Why) -> str:
    texts: dict[Why, str] = {
        "no node": _tr("This run has no such node."),
        "other node": _tr("In this run, this number belongs to another node."),
        "node not run": _tr("No step creates or executes the node in this direction."),
        "no function": _tr("Nothing in this run has that name."),
        "function not run": _tr("No step creates or executes it in this direction."),
        "no file": _tr("This run did not use this file."),
        "line not run": _tr("No recorded code ran on this line."),
        "no lines": _tr("This run was recorded without lines."),
        "no name": _tr("Nothing with this name was recorded."),
        "no element": _tr("No tensor with this name has such an element."),
        "never": _never(target),
        "unreadable": _tr("The trace can no longer be read."),
    }
    return texts[why]


def _never(target: Target) -> str:
    match target:
        case WhenNotFinite(kind="nan"):
            return _tr("No searched tensor contains a NaN.")
        case WhenNotFinite():
            return _tr("No searched tensor contains an Inf.")
        case WhenNorm(gradients=True):
            return _tr("No searched gradient has such a large norm.")
        case WhenNorm():
            return _tr("No searched tensor has such a large norm.")
        case WhenPrinted():
            return _tr("No step printed anything.")
        case WhenRaised():
            return _tr("No exception was raised.")
        case _:
            return _tr("This never happens in this run.")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Breakpoints", text)
