"""The dialog that asks for the file to save something to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.store.errors import TraceError
from gradviz.store.header import refuse_special
from gradviz.viewer.questions import Questions
from gradviz.viewer.translation import translate


def ask_save_path(
    parent: QWidget, title: str, suggestion: str, kinds: str, refuse: Callable[[str], object]
) -> Path | None:
    """Ask for a file; return None if the user cancels or the file is refused.

    Args:
        parent: The widget that asks.
        title: Title of the dialog.
        suggestion: Suggested name, without the suffix.
        kinds: Kinds of files, in Qt's notation. A name without a suffix gets that of the chosen
            kind.
        refuse: Receives the sentence about why the file is refused.
    """
    name = f"{suggestion}{_suffix_of(kinds)}"
    chosen, kind = QFileDialog.getSaveFileName(parent, title, name, kinds)
    return _accepted(chosen, _suffix_of(kind) or _suffix_of(kinds), refuse)


def save_questions(
    dialog: QFileDialog, refuse: Callable[[str], object], save: Callable[[Path], bool]
) -> Questions:
    """Ask for a file of the dialog's kind, and save it; return whether that was done.

    Args:
        dialog: Asks for the file.
        refuse: Receives the sentence about why the file is refused.
        save: Saves the file; returns whether that was done.
    """
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    yield dialog
    if dialog.result() != QFileDialog.DialogCode.Accepted:
        return False
    path = _accepted(dialog.selectedFiles()[0], _suffix_of(dialog.nameFilters()[0]), refuse)
    return path is not None and save(path)


def _accepted(chosen: str, suffix: str, refuse: Callable[[str], object]) -> Path | None:
    """The path for the name that a dialog returned; None if that is empty or refused."""
    if not chosen:
        return None
    path = Path(chosen)
    if not path.suffix:
        path = path.with_suffix(suffix)
        # The dialog has asked only about the name without the suffix.
        if path.exists():
            text = translate(
                "SaveDialog", "{0} exists. To replace it, type its name with the suffix."
            )
            refuse(text.format(path))
            return None
    try:
        # Opening a pipe would wait until something reads from it.
        refuse_special(path)
    except TraceError as error:
        refuse(str(error))
        return None
    return path


def _suffix_of(kinds: str) -> str:
    """The suffix of the first kind, such as ``.svg``."""
    found = re.search(r"\*(\.\w+)", kinds)
    return found[1] if found else ""
