"""Entries of menus: what can be changed, and texts from outside in one line."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.change_words import target_name
from gradviz.model.changes import InputTarget, ParameterTarget, Target

_MOST = 80


def entry_of(target: Target) -> str:
    """The entry of a menu for something that can be changed."""
    match target:
        case InputTarget(name=name):
            text = _tr("argument {0}").format(name)
        case ParameterTarget(name=name):
            text = _tr("parameter {0}").format(name)
        case _:
            text = target_name(target)
    return menu_text(text)


def menu_text(text: str) -> str:
    """One line in which an ampersand underlines no letter."""
    line = " ".join(text.split())
    cut = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    return cut.replace("&", "&&")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Changes", text)
