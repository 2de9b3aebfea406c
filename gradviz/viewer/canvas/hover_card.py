"""The hover card: a popup with facts about a card, placed beside it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLayout, QSizePolicy, QWidget

from gradviz.viewer.canvas.card_facts import CardFacts
from gradviz.viewer.look.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel

WIDTH = 330
"""Width in pixels at font scale 1."""

GAP = 12
"""Gap between the hover card and the card, in pixels."""

_PAD = 12


class HoverCard(QWidget):
    """Frameless tooltip window that never takes the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = theme
        self._labels: list[PlainLabel] = []
        self._rows = QGridLayout(self)
        self._rows.setContentsMargins(_PAD, _PAD - 2, _PAD, _PAD)
        self._rows.setHorizontalSpacing(10)
        self._rows.setVerticalSpacing(3)
        self._rows.setColumnStretch(1, 1)
        self._rows.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)

    @property
    def texts(self) -> list[str]:
        """Texts of all labels, in order."""
        return [label.text() for label in self._labels]

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        for label in self._labels:
            label.set_theme(theme)
        self._fit()

    def tell(self, facts: CardFacts) -> None:
        """Show other facts."""
        for label in self._labels:
            self._rows.removeWidget(label)
            label.hide()
            label.deleteLater()
        self._labels = []
        self._add(facts.title, 0, wide=True, pixels=UI_PIXELS, bold=True)
        for row, (name, text) in enumerate(facts.lines, 1):
            if name:
                self._add(name, row, muted=True)
            self._add(text, row, column=1 if name else 0, wide=not name)
        if facts.problem:
            problem = self._add(facts.problem, len(facts.lines) + 1, wide=True, bold=True)
            palette = problem.palette()
            palette.setColor(problem.foregroundRole(), self._theme.colour("error"))
            problem.setPalette(palette)
        self.setAccessibleName(facts.title)
        self.setAccessibleDescription(facts.text)
        self._fit()

    def _add(
        self,
        text: str,
        row: int,
        column: int = 0,
        *,
        wide: bool = False,
        pixels: int = SMALL_PIXELS,
        bold: bool = False,
        muted: bool = False,
    ) -> PlainLabel:
        label = PlainLabel(text, pixels=pixels, bold=bold, muted=muted, parent=self)
        label.set_theme(self._theme)
        if muted:
            label.setWordWrap(False)
            label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._rows.addWidget(label, row, column, 1, 2 if wide else 1)
        label.show()
        self._labels.append(label)
        return label

    def _fit(self) -> None:
        width = self._theme.px(WIDTH)
        self.resize(width, self._rows.heightForWidth(width))
        self.update()

    def place_beside(self, card: QRect, screen: QRect) -> None:
        """Move beside a card, preferably to its right or left.

        Args:
            card: The card in screen coordinates, in pixels.
            screen: Available area of the screen.
        """
        self.move(beside(card, self.size(), screen))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("panel"))
        painter.setPen(self._theme.colour("border_strong"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


def beside(card: QRect, size: QSize, screen: QRect) -> QPoint:
    """Find a position beside a card: on the first side that fits, else on the roomiest side.

    Args:
        card: Rectangle to keep uncovered.
        size: Size of the popup.
        screen: Area to stay inside, as far as possible.
    """
    left, top = card.left(), card.top()
    places = [
        QPoint(card.right() + GAP, top),
        QPoint(left - GAP - size.width(), top),
        QPoint(left, card.bottom() + GAP),
        QPoint(left, top - GAP - size.height()),
    ]
    rooms = (
        (screen.right() - card.right() - GAP, size.width()),
        (left - GAP - screen.left(), size.width()),
        (screen.bottom() - card.bottom() - GAP, size.height()),
        (top - GAP - screen.top(), size.height()),
    )
    spare = [room - needed for room, needed in rooms]
    best = next((at for at, each in enumerate(spare) if each >= 0), spare.index(max(spare)))
    place = places[best]
    if best < 2:
        low = max(screen.top(), screen.bottom() + 1 - size.height())
        place.setY(max(screen.top(), min(place.y(), low)))
    else:
        low = max(screen.left(), screen.right() + 1 - size.width())
        place.setX(max(screen.left(), min(place.x(), low)))
    return place
