"""Menu entries for values that can be changed, and one-line menu texts."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gradviz.model.change_words import target_name
from gradviz.model.changes import InputTarget, ParameterTarget, Target

_MOST = 80


def entry_of(target: Target) -> str:
    """Return the menu entry for something that can be changed."""
    match target:
        case InputTarget(name=name):
            text = _tr("argument {0}").format(name)
        case ParameterTarget(name=name):
            text = _tr("parameter {0}").format(name)
        case _:
            text = target_name(target)
    return menu_text(text)


def menu_text(text: str) -> str:
    """Shorten a text to one line and escape its ampersands for a menu."""
    line = " ".join(text.split())
    cut = line if len(line) <= _MOST else f"{line[: _MOST - 1]}…"
    return cut.replace("&", "&&")


def _tr(text: str) -> str:
    return QCoreApplication.translate("Changes", text)
