"""Lists all keys by where they work, from the menus and the table of local keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QMenuBar

from gradviz.viewer.commands.palette_commands import commands_of_menus
from gradviz.viewer.local_keys import LOCAL_KEYS, KeyScope, keys_of, text_of
from gradviz.viewer.translation import translate


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
        KeyGroup(translate("Keys", "Anywhere"), tuple(window)),
        *(KeyGroup(titles[place], _rows(place)) for place in LOCAL_KEYS),
    )


def _rows(place: KeyScope) -> tuple[KeyRow, ...]:
    keys = LOCAL_KEYS[place]
    return tuple(KeyRow(keys_of(place, each.command), text_of(each)) for each in keys)


def _titles() -> dict[KeyScope, str]:
    return {
        "timeline": translate("Keys", "In the timeline"),
        "graph": translate("Keys", "In the graph"),
        "presenter": translate("Keys", "In Presenter Mode"),
        "inspector": translate("Keys", "In the inspector"),
        "source": translate("Keys", "In the source"),
        "tensor": translate("Keys", "On a tensor in the inspector"),
        "large": translate("Keys", "On a tensor in its own window"),
        "library": translate("Keys", "In the library"),
        "console": translate("Keys", "In the console"),
        "ops": translate("Keys", "In the op table"),
        "doctor": translate("Keys", "In the list of findings"),
        "breakpoints": translate("Keys", "In the list of breakpoints"),
        "changes": translate("Keys", "In the What If list"),
        "outline": translate("Keys", "In the outline"),
        "elements": translate("Keys", "In a grid of input elements"),
        "find": translate("Keys", "In the search field"),
        "palette": translate("Keys", "In the command palette"),
    }
