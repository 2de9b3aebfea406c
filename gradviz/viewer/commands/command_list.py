"""Reads commands and keys from menus and local keys, so that the lists are always up to date."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar

from gradviz.gallery.registry import GROUPS, Scene
from gradviz.viewer.actions import without_mnemonic
from gradviz.viewer.local_keys import KeyScope, keys_of, text_of, title_of
from gradviz.viewer.translation import translate
from gradviz.viewer.window.panel_registry import key_scopes

_ARROW = " > "


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteCommand:
    """An entry of the command palette.

    Attributes:
        id: Identifies the command in the list of recent ones; depends on the language.
        title: The menu text.
        path: The menus that contain it, such as ``View > Theme``.
        keys: Its shortcuts, in the platform's notation.
        usable: Whether it is enabled.
        why_not: Why it is disabled, if known; otherwise empty.
        state: Whether it is on or off; empty if it cannot be toggled.
        run: Triggers it.
    """

    id: str
    title: str
    path: str
    run: Callable[[], object]
    keys: tuple[str, ...] = ()
    usable: bool = True
    why_not: str = ""
    state: str = ""


def commands_of_menus(bar: QMenuBar, reasons: dict[QAction, str]) -> Iterator[PaletteCommand]:
    """Yield every command of a menu bar, in menu order.

    Args:
        bar: The menu bar.
        reasons: Why each action is disabled, for the times when it is.
    """
    for entry in bar.actions():
        menu = entry.menu()
        if isinstance(menu, QMenu):
            yield from _commands(menu, (without_mnemonic(entry.text()),), reasons)


def scene_commands(run: Callable[[Scene], object]) -> Iterator[PaletteCommand]:
    """Yield a command for each scene of the gallery."""
    for group in GROUPS:
        path = _ARROW.join((translate("Commands", "Library"), group.display_title))
        for scene in group.scenes:
            title = translate("Commands", "Run scene: {0}").format(scene.display_title)
            yield PaletteCommand(
                id=f"scene:{scene.id}", title=title, path=path, run=partial(run, scene)
            )


def _commands(
    menu: QMenu, path: tuple[str, ...], reasons: dict[QAction, str]
) -> Iterator[PaletteCommand]:
    # Some menus are filled only when they open.
    menu.aboutToShow.emit()
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _commands(below, (*path, without_mnemonic(action.text())), reasons)
        elif not action.isSeparator() and action.isVisible() and action.text():
            yield _command(action, path, reasons.get(action, ""))


def _command(action: QAction, path: tuple[str, ...], why_not: str) -> PaletteCommand:
    native = QKeySequence.SequenceFormat.NativeText
    keys = dict.fromkeys(each.toString(native) for each in action.shortcuts())
    title, place = without_mnemonic(action.text()), _ARROW.join(path)
    state = ""
    if action.isCheckable():
        state = translate("Commands", "on") if action.isChecked() else translate("Commands", "off")
    return PaletteCommand(
        id=f"{place}{_ARROW}{title}",
        title=title,
        path=place,
        keys=tuple(keys),
        usable=action.isEnabled(),
        why_not="" if action.isEnabled() else why_not,
        state=state,
        run=action.trigger,
    )


@dataclass(frozen=True, slots=True)
class KeyRow:
    """One line of the list.

    Attributes:
        keys: Alternative keys with the same effect.
        text: What they do.
    """

    keys: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class KeyGroup:
    """The keys that work in one place.

    Attributes:
        title: Name of the place.
        rows: The keys and what they do.
    """

    title: str
    rows: tuple[KeyRow, ...]


def key_groups(bar: QMenuBar) -> tuple[KeyGroup, ...]:
    """Return the keys of the whole window in menu order, then those of each place."""
    window = [
        KeyRow(command.keys, command.title.removesuffix("…"))
        for command in commands_of_menus(bar, {})
        if command.keys
    ]
    return (
        KeyGroup(translate("Keys", "Anywhere"), tuple(window)),
        *(KeyGroup(title_of(scope), _rows(scope)) for scope in key_scopes()),
    )


def _rows(scope: KeyScope) -> tuple[KeyRow, ...]:
    return tuple(KeyRow(keys_of(scope, each.command), text_of(each)) for each in scope.keys)
