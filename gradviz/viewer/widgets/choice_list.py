"""A list of choices for a text field that keeps the focus: matches, commands, examples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme

CHOICE = Qt.ItemDataRole.UserRole
"""Role that returns the `ListChoice` itself."""

ChoiceModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChoice:
    """One row of a choice list.

    Attributes:
        title: The main text.
        note: A second, muted line; may be empty.
        end: Text at the right end, such as a key or a step; may be empty.
        sign: Color of the icon before the title; None for no icon.
        round_sign: Whether the icon is a disc rather than a square.
        usable: Whether it can be chosen now.
        spoken: Replaces title, note and end for screen readers; may be empty.
    """

    title: str
    note: str = ""
    end: str = ""
    sign: PaletteRole | None = None
    round_sign: bool = False
    usable: bool = True
    spoken: str = ""

    @property
    def sentence(self) -> str:
        """The accessible text of the row."""
        return self.spoken or ", ".join(text for text in (self.title, self.note, self.end) if text)


class ChoiceModel(QAbstractListModel):
    """A list of choices that are created on first use."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._count = 0
        self._make: Callable[[int], ListChoice] = _nothing
        self._made: dict[int, ListChoice] = {}

    def show(self, count: int, make: Callable[[int], ListChoice]) -> None:
        """Replace the rows.

        Args:
            count: Number of rows.
            make: Returns the row of a number, from 0.
        """
        self.beginResetModel()
        self._count, self._make, self._made = count, make, {}
        self.endResetModel()

    def choice(self, row: int) -> ListChoice:
        """Return the choice in a row."""
        if row not in self._made:
            self._made[row] = self._make(row)
        return self._made[row]

    def rowCount(self, parent: ChoiceModelIndex = _ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else self._count

    def data(self, index: ChoiceModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the title, the accessible text, or the `ListChoice` itself."""
        if not index.isValid():
            return None
        choice = self.choice(index.row())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return choice.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return choice.sentence
            case _:
                return choice if role == CHOICE else None


def _nothing(row: int) -> ListChoice:
    raise IndexError(row)


_SIDE, _GAP, _SIGN = 12, 10, 10


class ChoiceList(QListView):
    """Shows a `ChoiceModel` and never takes the focus."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = ChoiceModel(self)
        self._look = _ChoiceDelegate(theme, self)
        self.setModel(self._rows)
        self.setItemDelegate(self._look)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    @property
    def rows(self) -> ChoiceModel:
        """The model of the rows."""
        return self._rows

    @property
    def row(self) -> int:
        """Number of the current row, from 0; -1 for none."""
        return self.currentIndex().row()

    def go_to(self, row: int) -> None:
        """Make a row current and scroll to it; -1 clears the current row."""
        self.setCurrentIndex(self._rows.index(row, 0) if row >= 0 else QModelIndex())
        if row >= 0:
            self.scrollTo(self.currentIndex())

    def height_of(self, rows: int) -> int:
        """Return the height of a number of rows, in pixels."""
        return rows * self._look.height


class _ChoiceDelegate(QStyledItemDelegate):
    """Paints a row: icon, title and end text on one line, the note below."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = theme

    @property
    def height(self) -> int:
        """Height of a row, in pixels."""
        lines = QFontMetrics(self._title_font()).height() + QFontMetrics(self._note_font()).height()
        return lines + self.theme.px(12)

    def _title_font(self) -> QFont:
        return self.theme.font(UI_PIXELS)

    def _note_font(self) -> QFont:
        return self.theme.font(SMALL_PIXELS)

    def _paint_sign(self, painter: QPainter, left: int, middle: float, choice: ListChoice) -> None:
        if choice.sign is None:
            return
        size = self.theme.px(_SIGN)
        box = QRectF(left, middle - size / 2, size, size)
        painter.setPen(QPen(self.theme.color(choice.sign), 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        round_ = size / 2 if choice.round_sign else 2.5
        painter.drawRoundedRect(box, round_, round_)

    def _paint_words(self, painter: QPainter, box: QRect, choice: ListChoice, chosen: bool) -> None:
        title, note = self._title_font(), self._note_font()
        quiet: PaletteRole = "selection_text" if chosen else "text_muted"
        loud: PaletteRole = "text" if choice.usable and not chosen else quiet
        upper, lower = QRect(box), QRect(box)
        upper.setHeight(QFontMetrics(title).height())
        lower.setTop(upper.bottom() + 1)
        lower.setHeight(QFontMetrics(note).height())
        if not choice.note:
            upper.moveTop(box.center().y() - upper.height() // 2)
        painter.setFont(note)
        painter.setPen(self.theme.color(quiet))
        _write(painter, lower, choice.note)
        if choice.end:
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(upper, right, choice.end)
            taken = painter.fontMetrics().horizontalAdvance(choice.end)
            upper.setRight(upper.right() - taken - _GAP)
        painter.setFont(title)
        painter.setPen(self.theme.color(loud))
        _write(painter, upper, choice.title)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: ChoiceModelIndex
    ) -> None:
        """Paint one row."""
        choice = index.data(CHOICE)
        box, state = option.rect, option.state
        chosen = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.fillRect(box, self.theme.color("selection"))
            painter.fillRect(
                QRect(box.topLeft(), QSize(3, box.height())), self.theme.color("accent")
            )
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(box, self.theme.color("raised"))
        side = self.theme.px(_SIDE)
        inner = box.adjusted(side, self.theme.px(5), -side, -self.theme.px(5))
        self._paint_sign(painter, inner.left(), inner.center().y() + 1, choice)
        if choice.sign is not None:
            inner.setLeft(inner.left() + self.theme.px(_SIGN) + _GAP)
        self._paint_words(painter, inner, choice, chosen)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: ChoiceModelIndex) -> QSize:
        """Return the same size for every row."""
        return QSize(200, self.height)


def _write(painter: QPainter, line: QRect, text: str) -> None:
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, line.width())
    painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
