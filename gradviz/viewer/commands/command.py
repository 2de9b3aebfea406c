"""The commands that there are, read from the menus themselves: so the list is never out of date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from gradviz.gallery.catalogue import SCENES, Scene

_MNEMONIC = re.compile(r"\(&\w\)|&(?!&)")
_ARROW = " > "


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """Something that can be done by name.

    Attributes:
        id: Stable within a language: it is remembered by this.
        title: What it does.
        path: Where it stands, like ``View > Theme``.
        keys: Its keys, as people of this platform write them.
        usable: Whether it can be done now.
        why_not: Why not, where that is known; else empty.
        state: Whether it is on, for what can be on or off; else empty.
        run: Does it.
    """

    id: str
    title: str
    path: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    usable: bool = True
    why_not: str = ""
    state: str = ""


def plain(text: str) -> str:
    """The text of an action or menu without the marks of its underlined letter."""
    return _MNEMONIC.sub("", text).replace("&&", "&")


def commands_of_menus(bar: QMenuBar, reasons: dict[QAction, str]) -> Iterator[Command]:
    """Every command of a menu bar, in the order of its menus.

    Args:
        bar: The menu bar.
        reasons: Why an action cannot be used whenever it cannot.
    """
    for entry in bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _commands(menu, (plain(entry.text()),), reasons)


def scene_commands(run: Callable[[Scene], object]) -> Iterator[Command]:
    """A command for each scene of the gallery."""
    for scene in SCENES:
        yield Command(
            id=f"scene:{scene.id}",
            title=_tr("Run scene: {0}").format(scene.title),
            path=_ARROW.join((_tr("Library"), scene.group)),
            run=partial(run, scene),
        )


def _commands(menu: QMenu, path: tuple[str, ...], reasons: dict[QAction, str]) -> Iterator[Command]:
    # Some menus are filled only when they open.
    menu.aboutToShow.emit()
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _commands(below, (*path, plain(action.text())), reasons)
        elif not action.isSeparator() and action.isVisible() and action.text():
            yield _command(action, path, reasons.get(action, ""))


def _command(action: QAction, path: tuple[str, ...], why_not: str) -> Command:
    native = QKeySequence.SequenceFormat.NativeText
    keys = dict.fromkeys(each.toString(native) for each in action.shortcuts())
    title, place = plain(action.text()), _ARROW.join(path)
    state = ""
    if action.isCheckable():
        state = _tr("on") if action.isChecked() else _tr("off")
    return Command(
        id=f"{place}{_ARROW}{title}",
        title=title,
        path=place,
        keys=tuple(keys),
        usable=action.isEnabled(),
        why_not="" if action.isEnabled() else why_not,
        state=state,
        run=action.trigger,
    )


def _tr(text: str) -> str:
    return QCoreApplication.translate("Commands", text)
