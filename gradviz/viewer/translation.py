"""`translate`, for texts outside of QObject methods.

`pyside6-lupdate` recognizes the name: the context and the text must be literals at each call.
"""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QCoreApplication

translate: Final = QCoreApplication.translate
