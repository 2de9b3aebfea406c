"""Lists all keys by where they work, from the menus and the table of local keys."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QMenuBar

from gradviz.viewer.commands.palette_commands import commands_of_menus
from gradviz.viewer.local_keys import KeyScope, keys_of, text_of, title_of
from gradviz.viewer.translation import translate
from gradviz.viewer.window.panel_registry import key_scopes


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
