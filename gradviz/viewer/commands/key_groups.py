"""Lists all keys by where they work, from the menus and the table of local keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QMenuBar

from gradviz.viewer.commands.palette_commands import commands_of_menus
from gradviz.viewer.local_keys import LOCAL_KEYS, KeyScope, keys_of, text_of


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
    titles = _titles()
    window = [
        KeyRow(command.keys, command.title.removesuffix("…"))
        for command in commands_of_menus(bar, {})
        if command.keys
    ]
    return (
        KeyGroup(_tr("Anywhere"), tuple(window)),
        *(KeyGroup(titles[place], _rows(place)) for place in LOCAL_KEYS),
    )


def _rows(place: KeyScope) -> tuple[KeyRow, ...]:
    keys = LOCAL_KEYS[place]
    return tuple(KeyRow(keys_of(place, each.command), text_of(each)) for each in keys)


def _titles() -> dict[KeyScope, str]:
    return {
        "timeline": _tr("In the timeline"),
        "graph": _tr("In the graph"),
        "presenter": _tr("In Presenter Mode"),
        "inspector": _tr("In the inspector"),
        "source": _tr("In the source"),
        "tensor": _tr("On a tensor in the inspector"),
        "large": _tr("On a tensor in its own window"),
        "library": _tr("In the library"),
        "console": _tr("In the console"),
        "ops": _tr("In the op table"),
        "doctor": _tr("In the list of findings"),
        "breakpoints": _tr("In the list of breakpoints"),
        "changes": _tr("In the What If list"),
        "outline": _tr("In the outline"),
        "elements": _tr("In a grid of input elements"),
        "find": _tr("In the search field"),
        "palette": _tr("In the command palette"),
    }


def _tr(text: str) -> str:
    return QCoreApplication.translate("Keys", text)
