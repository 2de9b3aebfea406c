"""The list of keyboard shortcuts, opened by the question mark."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.viewer.commands.command_list import KeyGroup, KeyRow
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

_COLUMNS, _COLUMN_WIDTH = 4, 300
_HEADING_ROWS = 2
"""Height of a heading, in rows."""


class KeySheet(QDialog):
    """Shows key groups in columns; Escape or the question mark closes it."""

    def __init__(self, groups: Sequence[KeyGroup], theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keyboard Shortcuts"))
        self._theme = theme
        space = parent.size()
        columns = max(1, min(_COLUMNS, space.width() // theme.px(_COLUMN_WIDTH)))
        body = QWidget()
        across = lay_out(QHBoxLayout(body), margins=(20, 12, 20, 12), gap=28)
        for part in _in_columns(groups, columns):
            column = QVBoxLayout()
            column.setSpacing(3)
            for group in part:
                self._add_group(column, group)
            column.addStretch(1)
            across.addLayout(column, 1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(body)
        scroll.setAccessibleName(self.tr("Keyboard shortcuts"))
        FocusRing(scroll)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        foot = lay_out(QHBoxLayout(), buttons, margins=(20, 0, 20, 0))
        lay_out(QVBoxLayout(self), (scroll, 1), foot, margins=(0, 0, 0, 12))
        width = min(columns * theme.px(_COLUMN_WIDTH), round(space.width() * 0.95))
        height = across.heightForWidth(width) + buttons.sizeHint().height() + 32
        self.resize(width, min(height, round(space.height() * 0.95)))

    def _add_group(self, column: QVBoxLayout, group: KeyGroup) -> None:
        title = PlainLabel(group.title, pixels=UI_PIXELS, bold=True)
        title.setContentsMargins(0, 8, 0, 2)
        column.addWidget(title)
        for row in group.rows:
            column.addWidget(_KeyRow(row, self._theme))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the dialog with the key that opens it."""
        if event.text() == "?":
            self.reject()
        else:
            super().keyPressEvent(event)


class _KeyRow(QWidget):
    """One line: the effect and its keys."""

    def __init__(self, row: KeyRow, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName(f"{row.text}: {', '.join(row.keys)}")
        text = PlainLabel(row.text, pixels=SMALL_PIXELS)
        keys = QHBoxLayout()
        keys.setSpacing(4)
        for key in row.keys:
            keys.addWidget(_Cap(key, theme))
        line = QGridLayout(self)
        line.setContentsMargins(0, 1, 0, 1)
        line.addWidget(text, 0, 0)
        line.addLayout(keys, 0, 1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        line.setColumnStretch(0, 1)


class _Cap(QLabel):
    """A key drawn as a keycap."""

    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__(text)
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.PlainText)
        set_theme_font(self, theme, SMALL_PIXELS)
        self.setContentsMargins(7, 2, 7, 4)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(self._theme.color("border_strong"), 1))
        painter.setBrush(self._theme.color("border"))
        painter.drawRoundedRect(box, 4, 4)
        painter.setBrush(self._theme.color("panel"))
        painter.drawRoundedRect(box.adjusted(0, 0, 0, -2), 4, 4)
        painter.end()
        super().paintEvent(event)


def _in_columns(groups: Sequence[KeyGroup], columns: int) -> list[list[KeyGroup]]:
    """Distribute the groups in order over columns of similar height."""
    heights = [len(group.rows) + _HEADING_ROWS for group in groups]
    total, before = sum(heights), 0
    parts: list[list[KeyGroup]] = [[] for _ in range(columns)]
    for group, height in zip(groups, heights, strict=True):
        middle = before + height / 2
        parts[min(columns - 1, int(columns * middle / total))].append(group)
        before += height
    return [part for part in parts if part]
