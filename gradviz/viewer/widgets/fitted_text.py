"""A text of a few lines whose font shrinks to fit; longer text is cut between words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.text.line_breaks import unbreakable_parts
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip


class FittedText(QWidget):
    """Two lines, or more in a smaller font; if the text is cut, the tooltip shows all of it.

    Attributes:
        text: The whole text, even if it is cut.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.text = ""
        self._parts: tuple[tuple[str, PaletteRole], ...] = ()
        self._known: tuple[object, tuple[tuple[str, ...], QFont]] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def shown(self) -> tuple[str, ...]:
        """The visible lines."""
        return self._laid()[0]

    @property
    def pixels(self) -> int:
        """The current font size, in pixels."""
        return self._laid()[1].pixelSize()

    def show_text(self, text: str, role: PaletteRole = "text") -> None:
        """Replace the text, with line breaks as spaces, in the color of a role."""
        self.show_parts([(" ".join(text.split()), role)])

    def show_parts(self, parts: Iterable[tuple[str, PaletteRole]]) -> None:
        """Replace the text by parts without line breaks, each in the color of its role."""
        self._parts = tuple(parts)
        self.text = "".join(text for text, _ in self._parts)
        self.setAccessibleName(self.text)
        self._note_cut()
        self.update()

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._note_cut()

    @property
    def is_cut(self) -> bool:
        """Whether not all of the text fits."""
        return "".join("".join(self.shown).split()) != "".join(self.text.split())

    def _note_cut(self) -> None:
        self.setToolTip(plain_tooltip(self.text) if self.is_cut else "")

    def _laid(self) -> tuple[tuple[str, ...], QFont]:
        """Return the lines and their font, cached per text, theme and size."""
        key = (self.text, self._theme.scale, self.size().toTuple())
        if self._known is None or self._known[0] != key:
            self._known = (key, self._measured())
        return self._known[1]

    def _measured(self) -> tuple[tuple[str, ...], QFont]:
        """Return the lines and the largest font in which they fit."""
        for pixels in range(UI_PIXELS, SMALL_PIXELS - 1, -1):
            font = self._theme.font(pixels)
            lines = broken_lines(self.text, font, self.width())
            height = QFontMetricsF(font).height()
            if len(lines) * height <= self.height() + 0.5:
                return lines, font
        most = max(1, int((self.height() + 0.5) / height))
        return (*lines[: most - 1], self._cut("".join(lines[most - 1 :]), font)), font

    def _cut(self, text: str, font: QFont) -> str:
        """Cut text to one line where it may break, followed by an ellipsis."""
        metrics = QFontMetricsF(font)
        parts = unbreakable_parts(" ".join(text.split()))
        while parts and metrics.horizontalAdvance(f"{''.join(parts).rstrip()} …") > self.width():
            parts.pop()
        return f"{''.join(parts).rstrip()} …" if parts else "…"

    def sizeHint(self) -> QSize:
        """Return the size for two lines in the preferred font."""
        line = QFontMetricsF(self._theme.font(UI_PIXELS)).height()
        return QSize(self._theme.px(200), round(2 * line) + 1)

    def minimumSizeHint(self) -> QSize:
        """Return a small width and the full height."""
        return QSize(self._theme.px(60), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Update the tooltip, as a new width may cut the text differently."""
        super().resizeEvent(event)
        self._note_cut()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines from the top."""
        lines, font = self._laid()
        metrics = QFontMetricsF(font)
        painter = QPainter(self)
        painter.setFont(font)
        at = 0
        for row, line in enumerate(lines):
            place = QPointF(0, row * metrics.height() + metrics.ascent())
            for text, role in self._colored(line, at):
                painter.setPen(self._theme.color(role))
                painter.drawText(place, text)
                place.setX(place.x() + metrics.horizontalAdvance(text))
            at += len(line)
        painter.end()

    def _colored(self, line: str, start: int) -> Iterator[tuple[str, PaletteRole]]:
        """Yield the parts of a visible line, which starts at a position of the whole text."""
        at = 0
        for text, role in self._parts:
            first, at = at, at + len(text)
            shown = line[max(first, start) - start : max(at, start) - start]
            if shown:
                yield shown, role


def broken_lines(text: str, font: QFont, width: int) -> tuple[str, ...]:
    """Break text into lines for a width, splitting words that are too long."""
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    units = text.encode("utf-16-le", "surrogatepass")
    layout.beginLayout()
    lines: list[str] = []
    while (line := layout.createLine()).isValid():
        line.setLineWidth(max(1, width))
        lines.append(_part(units, line.textStart(), line.textLength()))
    layout.endLayout()
    return tuple(lines)


def _part(units: bytes, start: int, length: int) -> str:
    """Return a slice of UTF-16 code units, which Qt's positions count, as a string."""
    return units[2 * start : 2 * (start + length)].decode("utf-16-le", "surrogatepass")
