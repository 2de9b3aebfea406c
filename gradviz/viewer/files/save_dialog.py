"""The dialog that asks for the file to save something to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.store.errors import TraceError
from gradviz.store.header import refuse_special


def ask_save_path(
    parent: QWidget, title: str, suggestion: str, kinds: str, refuse: Callable[[str], object]
) -> Path | None:
    """Ask for a file; return None if the user cancels or it cannot be a file.

    Args:
        parent: The widget that asks.
        title: Title of the dialog.
        suggestion: Suggested name, without the suffix.
        kinds: Kinds of files, in Qt's notation. A name without a suffix gets that of the chosen
            kind.
        refuse: Receives the sentence about a pipe, a device or a folder.
    """
    first = _suffix_of(kinds)
    chosen, kind = QFileDialog.getSaveFileName(parent, title, f"{suggestion}{first}", kinds)
    if not chosen:
        return None
    path = Path(chosen)
    path = path if path.suffix else path.with_suffix(_suffix_of(kind) or first)
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
