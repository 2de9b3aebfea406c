"""The header of an argument: its name and a summary; clicking it unfolds the fields."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import PurePath

from PySide6.QtCore import QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from gradviz.viewer.inputs.fields.field_reader import requires_grad
from gradviz.viewer.inputs.fields.parsing import shape_text
from gradviz.viewer.inputs.form_draft import ArgumentDraft, shape_of
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip

GAP = 8
"""Pixels between two columns at scale 1."""


def summary_pieces(draft: ArgumentDraft) -> tuple[str, ...]:
    """Shape, dtype, fill and gradient of a tensor; a single text for any other argument."""
    if draft.kind == "none":
        return ("None",)
    if draft.kind == "file":
        return (PurePath(draft.text).name,)
    if draft.kind in ("object", "words"):
        return (" ".join(draft.text.split()),)
    shape = shape_of(draft)
    fill = draft.fill
    parameters = ", ".join(draft.parameters)
    return (
        draft.shape if shape is None else shape_text(shape) or translate("Inputs", "scalar"),
        draft.dtype,
        f"{fill}({parameters})" if parameters else fill,
        translate("Inputs", "grad") if requires_grad(draft) else "",
    )


def sentence_of(draft: ArgumentDraft) -> str:
    """The summary as a sentence for screen readers."""
    pieces = summary_pieces(draft)
    if draft.kind != "tensor":
        return pieces[0]
    template = (
        translate("Inputs", "shape {0}, {1}, {2}, requires grad")
        if requires_grad(draft)
        else translate("Inputs", "shape {0}, {1}, {2}, does not require grad")
    )
    return template.format(*pieces[:3])


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryColumns:
    """Column layout of all summaries.

    Attributes:
        widths: Widths of the columns, in pixels.
        in_one_line: Whether the columns are beside the name, or else in a line below it.
    """

    widths: tuple[int, ...] = ()
    in_one_line: bool = True


def columns_for(
    rows: Sequence[tuple[str, ...]],
    names: Sequence[int],
    metrics: QFontMetricsF,
    space: int,
    gap: int,
) -> SummaryColumns:
    """Fit columns to all rows, beside the names if there is enough space.

    Args:
        rows: The summary of each row.
        names: Width of each name.
        metrics: Font metrics of the summaries.
        space: Available width for names and summaries.
        gap: Space between columns.
    """
    tensors = [row for row in rows if len(row) > 1]
    widths = tuple(
        ceil(max(metrics.horizontalAdvance(row[at]) for row in tensors))
        for at in range(len(tensors[0]) if tensors else 0)
    )
    needed = sum(widths) + gap * len(widths) + max(names, default=0)
    return SummaryColumns(widths=widths, in_one_line=needed <= space)


_MARGIN = 8
_ARROW = 12
_LINE = 28
_TWO_LINES = 46
_DOT = 5
_MOST_NAME = 84
_LEAST_PIECE = 60


class ArgumentHeader(QAbstractButton):
    """A button that folds and unfolds the fields of an argument.

    Args:
        name: Name of the argument.
        theme: Colors and fonts.
    """

    def __init__(self, name: str, theme: Theme) -> None:
        super().__init__()
        self._name = name
        self._theme = theme
        self._pieces: tuple[str, ...] = ()
        self._columns = SummaryColumns()
        self._wrong = False
        self._changed = False
        self.setCheckable(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        self.toggled.connect(self._on_toggled)

    @property
    def pieces(self) -> tuple[str, ...]:
        """The parts of the summary beside the name."""
        return self._pieces

    def show_draft(self, draft: ArgumentDraft, *, problem: str, changed: bool) -> None:
        """Show the summary of an argument.

        Args:
            draft: The fields of the argument.
            problem: A sentence on an invalid field; empty if all are valid.
            changed: Whether the argument differs from the original input.
        """
        self._pieces = summary_pieces(draft)
        self._wrong, self._changed = bool(problem), changed
        text = problem or sentence_of(draft)
        self.setAccessibleDescription(text)
        hint = self.tr("Click to edit.")
        own = self.tr("Differs from the original input.") if changed else ""
        self.setToolTip(plain_tooltip("\n".join(filter(None, (self._name, text, own, hint)))))
        self.update()

    def set_columns(self, columns: SummaryColumns) -> None:
        """Align the summary with those of the other arguments."""
        if columns != self._columns:
            self._columns = columns
            self.updateGeometry()
            self.update()

    @property
    def name_width(self) -> int:
        """Width in pixels for the name beside the summary; longer names are elided."""
        return min(self._full_name_width(), self._theme.px(_MOST_NAME))

    @property
    def margins(self) -> int:
        """Width in pixels that neither the name nor the summary can use."""
        return self._left() + self._theme.px(_MARGIN)

    def _is_in_one_line(self) -> bool:
        """Whether one line is enough; an unfolded header needs no summary."""
        return self._columns.in_one_line or len(self._pieces) < 2 or self.isChecked()

    def _full_name_width(self) -> int:
        metrics = QFontMetricsF(self._theme.font(UI_PIXELS, bold=True))
        return ceil(metrics.horizontalAdvance(self._name)) + 1 + self._theme.px(_DOT + 4)

    def _left(self) -> int:
        return self._theme.px(_MARGIN + _ARROW + 4)

    def _right(self) -> int:
        return self.width() - self._theme.px(_MARGIN)

    def _paint_arrow(self, painter: QPainter, line: int) -> None:
        theme = self._theme
        side = theme.px(_ARROW)
        box = QRect(theme.px(_MARGIN), (line - side) // 2, side, side)
        if self._wrong:
            icon("error", theme, "error").paint(painter, box)
        else:
            name = "collapse" if self.isChecked() else "expand"
            icon(name, theme, "text_muted").paint(painter, box)

    def _paint_name(self, painter: QPainter, line: int) -> int:
        """Paint the name; return the right edge of its space."""
        theme, gap = self._theme, self._theme.px(GAP)
        end = self._right()
        if self.isChecked():
            pass
        elif len(self._pieces) == 1:
            columns = sum(self._columns.widths) + gap * len(self._columns.widths)
            name = self._left() + self._full_name_width()
            aligned = max(name, end - columns) if self._columns.in_one_line else name
            end = min(aligned, end - theme.px(_LEAST_PIECE))
        elif self._columns.in_one_line:
            end -= sum(self._columns.widths) + gap * len(self._columns.widths)
        else:
            end -= self._columns.widths[-1] + gap
        font = theme.font(UI_PIXELS, bold=True)
        metrics = QFontMetrics(font)
        space = end - self._left() - theme.px(_DOT + 4)
        # Parts of one argument differ in their ends: batch['x'], batch['y'].
        is_part = not self._name.isidentifier()
        side = Qt.TextElideMode.ElideLeft if is_part else Qt.TextElideMode.ElideRight
        text = metrics.elidedText(self._name, side, space)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        box = QRect(self._left(), 0, end - self._left(), line)
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, text)
        if self._changed:
            dot = self._left() + metrics.horizontalAdvance(text) + theme.px(_DOT)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            radius = theme.px(_DOT) / 2
            painter.drawEllipse(QPointF(dot + radius, line / 2 - radius), radius, radius)
        return end

    def _paint_pieces(self, painter: QPainter, left: int, line: int) -> None:
        """Paint the summary: beside the name, or in a second line with ``grad`` in the first."""
        widths, gap = self._columns.widths, self._theme.px(GAP)
        painter.setFont(self._theme.font(SMALL_PIXELS))
        painter.setPen(self._theme.color("error" if self._wrong else "text_muted"))
        if len(self._pieces) == 1:
            widths = (self._right() - left - gap,)
        if self._is_in_one_line():
            self._paint_line(painter, self._pieces, widths, QPoint(left + gap, 0), line)
        else:
            second = QPoint(self._left(), self._theme.px(_TWO_LINES - _LINE) + 1)
            self._paint_line(painter, self._pieces[:-1], widths[:-1], second, line)
            self._paint_line(painter, self._pieces[-1:], widths[-1:], QPoint(left + gap, 0), line)

    def _paint_line(
        self,
        painter: QPainter,
        pieces: Sequence[str],
        widths: Sequence[int],
        at: QPoint,
        height: int,
    ) -> None:
        metrics = QFontMetricsF(painter.font())
        left = at.x()
        for piece, width in zip(pieces, widths, strict=False):
            space = max(0, min(width, self._right() - left))
            text = metrics.elidedText(piece, Qt.TextElideMode.ElideRight, space)
            place = QRect(left, at.y(), space, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
            left += width + self._theme.px(GAP)

    def _on_toggled(self) -> None:
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """One line, or two if the summary does not fit beside the name."""
        return QSize(120, self._theme.px(_LINE if self._is_in_one_line() else _TWO_LINES))

    def minimumSizeHint(self) -> QSize:
        """A small width at the preferred height."""
        return QSize(60, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrow, the name, the summary and the focus frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, line = self._theme, self._theme.px(_LINE)
        if self.underMouse() and self.isEnabled():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("raised"))
            painter.drawRoundedRect(self.rect().adjusted(4, 1, -4, -1), 4, 4)
        self._paint_arrow(painter, line)
        end = self._paint_name(painter, line)
        if not self.isChecked():
            self._paint_pieces(painter, end, line)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("focus"), 2))
            painter.drawRoundedRect(self.rect().adjusted(3, 1, -3, -1), 4, 4)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Make Enter do what Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)
