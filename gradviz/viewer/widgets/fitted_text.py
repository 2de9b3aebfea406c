"""A text of a few lines, set as large as its room allows; where it is cut, between two words."""

from __future__ import annotations

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

from gradviz.model.palette import Role
from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip


class FittedText(QWidget):
    """As high as its lines, whatever it says; what had to be cut is whole on hover.

    Args:
        theme: Colours and fonts to draw with.
        pixels: Height of the type.
        least: Height down to which the type may shrink to fit; the same by default.
        lines: How many lines of the larger type it is high; smaller type may have more.
        bold: Whether it is semi-bold.
        at_right: Whether lines end at the right, instead of beginning at the left.
        parent: The widget around it.
    """

    def __init__(
        self,
        theme: Theme,
        *,
        pixels: int = UI_PIXELS,
        least: int | None = None,
        lines: float = 2,
        bold: bool = False,
        at_right: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._text = ""
        self._role: Role = "text"
        self._known: tuple[object, tuple[tuple[str, ...], QFont]] | None = None
        self._pixels, self._least = pixels, pixels if least is None else least
        self._lines, self._bold, self._at_right = lines, bold, at_right
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def text(self) -> str:
        """The whole text, shown or not."""
        return self._text

    @property
    def shown(self) -> tuple[str, ...]:
        """The lines as they are shown now."""
        return self._laid()[0]

    @property
    def pixels(self) -> int:
        """Height of the type in which the text is set now."""
        return self._laid()[1].pixelSize()

    def show_text(self, text: str, role: Role = "text") -> None:
        """Shows another text, its line ends as spaces, in the colour of a role."""
        self._text, self._role = " ".join(text.split()), role
        self.setAccessibleName(self._text)
        self._note_cut()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._theme = theme
        self._note_cut()
        self.updateGeometry()
        self.update()

    def _note_cut(self) -> None:
        whole = " ".join("".join(self.shown).split()) == self._text
        self.setToolTip("" if whole else plain_tooltip(self._text))

    def _laid(self) -> tuple[tuple[str, ...], QFont]:
        """The lines and their font; measured once for each text and size."""
        key = (self._text, self._theme, self.size().toTuple())
        if self._known is None or self._known[0] != key:
            self._known = (key, self._measured())
        return self._known[1]

    def _measured(self) -> tuple[tuple[str, ...], QFont]:
        """The lines, and the largest font in which they fit."""
        for pixels in range(self._pixels, self._least - 1, -1):
            font = self._theme.font(pixels, bold=self._bold)
            lines = _broken(self._text, font, self.width())
            height = QFontMetricsF(font).height()
            if len(lines) * height <= self.height() + 0.5:
                return lines, font
        most = max(1, int((self.height() + 0.5) / height))
        return (*lines[: most - 1], self._cut("".join(lines[most - 1 :]), font)), font

    def _cut(self, text: str, font: QFont) -> str:
        """What of a text fits into one line, up to the end of a word, and a sign for the rest."""
        metrics = QFontMetricsF(font)
        words = text.split()
        while words and metrics.horizontalAdvance(f"{' '.join(words)} …") > self.width():
            words.pop()
        return f"{' '.join(words)} …" if words else "…"

    def sizeHint(self) -> QSize:
        """All lines of the larger type."""
        line = QFontMetricsF(self._theme.font(self._pixels, bold=self._bold)).height()
        return QSize(self._theme.px(200), round(self._lines * line) + 1)

    def minimumSizeHint(self) -> QSize:
        """Narrow is fine; lower is not."""
        return QSize(self._theme.px(60), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may cut the text, or not any more."""
        super().resizeEvent(event)
        self._note_cut()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the lines from the top."""
        lines, font = self._laid()
        metrics = QFontMetricsF(font)
        painter = QPainter(self)
        painter.setFont(font)
        painter.setPen(self._theme.colour(self._role))
        for row, line in enumerate(lines):
            line = line.rstrip()
            left = self.width() - metrics.horizontalAdvance(line) if self._at_right else 0
            painter.drawText(QPointF(left, row * metrics.height() + metrics.ascent()), line)
        painter.end()


def _broken(text: str, font: QFont, width: int) -> tuple[str, ...]:
    """The lines of a text at a width; a word that is wider is broken too."""
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
    """Some of a text by Qt's count, which has two for a character beyond the first 65,536."""
    return units[2 * start : 2 * (start + length)].decode("utf-16-le", "surrogatepass")
