"""`translate`, for texts outside of QObject methods.

`pyside6-lupdate` recognizes the names: the context and the text must be literals at each call.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication

translate: Final = QCoreApplication.translate


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Mark a text of a table for `pyside6-lupdate`; `translate` translates it where it is shown.

    Qt's own function of this name returns `object`.
    """
    return text
