"""The dialog that asks for the file to save something to."""

from __future__ import annotations

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
        suggestion: Suggested name; a name without a suffix gets its suffix.
        kinds: Kinds of files, in Qt's notation.
        refuse: Receives the sentence about a pipe, a device or a folder.
    """
    chosen, _ = QFileDialog.getSaveFileName(parent, title, suggestion, kinds)
    if not chosen:
        return None
    path = Path(chosen)
    path = path if path.suffix else path.with_suffix(Path(suggestion).suffix)
    try:
        # Opening a pipe would wait until something reads from it.
        refuse_special(path)
    except TraceError as error:
        refuse(str(error))
        return None
    return path
