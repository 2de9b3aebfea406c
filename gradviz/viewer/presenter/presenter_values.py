"""The values of the step in Presenter Mode: received, returned and saved."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.inspector.facts.current_facts import current_facts
from gradviz.viewer.inspector.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    HiddenRow,
    TextRow,
    ValueRow,
)
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.hidden_tensor import paint_hidden
from gradviz.viewer.tensor_view.small.thumbnail import (
    NUMBER_PIXELS,
    paint_thumbnail,
    thumbnail_size,
)
from gradviz.viewer.tensor_view.tensor_text import sampling_line, spoken
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import plain_tooltip

NAME_PIXELS, KIND_PIXELS = 13, 12
CELL_PIXELS = 12
"""Height of the numbers in cells, before the theme's scale factor."""

_HIDDEN = (72, 52)
_GAP = 3
_WIDE, _LARGE = 200.0, 120.0
"""Maximum sides of cell grids with and without numbers, before the theme's scale factor."""

_NUMBERED = 64
"""Maximum number of elements for which numbers are shown."""


class PresenterTensor(QWidget):
    """Shows a tensor, a text for other values, or a question mark."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = " ".join(name.split())
        self._kind = ""
        self._value: TensorValue | None = None
        self._hidden = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self._name)

    @property
    def name(self) -> str:
        """The name of the value."""
        return self._name

    @property
    def hidden(self) -> bool:
        """Whether Quiz Mode hides the value."""
        return self._hidden

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines above the cells."""
        return tuple(text for text in (self._name, self._kind) if text)

    def show_tensor(self, record: TensorRecord, value: TensorValue | None) -> None:
        """Show a tensor of the trace, with its elements if they were stored."""
        parts = [record_shape_text(record), record.dtype]
        note = sampling_line(record)
        if record.content == "preview":
            parts.append(self.tr("sampled"))
        self._kind = " · ".join(parts)
        self._value = value if record.count else None
        self.setToolTip(plain_tooltip(note))
        self.setAccessibleName(spoken(self._name, record))

    def show_text(self, text: str) -> None:
        """Show a value that has no elements."""
        self._kind = " ".join(text.split())
        self.setAccessibleName(f"{self._name}: {self._kind}")

    def hide_value(self) -> None:
        """Show only the name."""
        self._hidden = True
        self.setAccessibleName(self.tr("{name}: hidden until revealed").format(name=self._name))

    def _lines(self) -> list[tuple[str, int, bool]]:
        lines = [(self._name, NAME_PIXELS, True)]
        return [*lines, (self._kind, KIND_PIXELS, False)] if self._kind else lines

    def _cells(self) -> QSizeF:
        """Return the size of the cells, in pixels."""
        if self._hidden:
            return QSizeF(*(self._theme.px(side) for side in _HIDDEN))
        if self._value is None:
            return QSizeF(0, 0)
        factor = self._factor()
        side = _WIDE if math.prod(self._value.shape) <= _NUMBERED else _LARGE
        most = self._theme.px(side) / factor
        return thumbnail_size(self._value, QSizeF(most, most)) * factor

    def _factor(self) -> float:
        return self._theme.px(CELL_PIXELS) / NUMBER_PIXELS

    def sizeHint(self) -> QSize:
        """Return the size of the lines and the cells."""
        width, height = 0, 0
        for text, pixels, bold in self._lines():
            metrics = QFontMetrics(self._theme.font(pixels, bold=bold))
            width = max(width, metrics.horizontalAdvance(text))
            height += metrics.height()
        cells = self._cells()
        gap = self._theme.px(_GAP) if cells.height() else 0
        width = max(min(width, self._theme.px(_WIDE)), round(cells.width())) + 2
        return QSize(width, height + gap + round(cells.height()) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint, as anything smaller is unreadable."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines and the cells below them."""
        theme, top = self._theme, 0.0
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for text, pixels, bold in self._lines():
            painter.setFont(theme.font(pixels, bold=bold))
            painter.setPen(theme.color("text" if bold else "text_muted"))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, self.width())
            painter.drawText(QRectF(0, top, self.width(), metrics.height()), shown)
            top += metrics.height()
        cells = QRectF(1, top + theme.px(_GAP), self._cells().width(), self._cells().height())
        if self._hidden:
            paint_hidden(painter, cells, theme)
        elif self._value is not None:
            self._paint_cells(painter, cells, self._value)
        painter.end()

    def _paint_cells(self, painter: QPainter, cells: QRectF, value: TensorValue) -> None:
        factor = self._factor()
        painter.translate(cells.topLeft())
        painter.scale(factor, factor)
        size = QSizeF(cells.width() / factor, cells.height() / factor)
        paint_thumbnail(painter, QRectF(0, 0, size.width(), size.height()), value, self._theme)


_LEFT_OUT = ("ctx", "how", "traceback", "steps", "op-call", "inside", "locals", "cut", "scale")
"""Sections that are left out, as nobody reads them from the last row."""

_TITLE_PIXELS, _TEXT_PIXELS = 12, 12


class PresenterValues(QScrollArea):
    """Shows the tensors of the current step in large cells."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._shown: tuple[object, ...] = ()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Values of the step"))
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._show()

    @property
    def tensors(self) -> tuple[PresenterTensor, ...]:
        """The tensors shown, from top to bottom."""
        return tuple(self.findChildren(PresenterTensor))

    def _show(self) -> None:
        state = self._state
        index = state.index
        facts = current_facts(state.revealed, state.number, place=state.place)
        sections = () if facts is None else facts.sections
        wanted = (index, sections, state.theme)
        if wanted != self._shown or self.widget() is None:
            self._shown = wanted
            self.setWidget(_Page(sections, index, state.value, state.theme))

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._show()

    @Slot(object)
    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self._show()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._show()


class _Page(QWidget):
    """The value sections of one step."""

    def __init__(
        self,
        sections: tuple[FactSection, ...],
        index: TraceIndex | None,
        value: Callable[[int], TensorValue | None],
        theme: Theme,
    ) -> None:
        super().__init__()
        self._index, self._value, self._theme = index, value, theme
        self.setBackgroundRole(QPalette.ColorRole.Base)
        column = QVBoxLayout(self)
        edge = theme.px(8)
        column.setContentsMargins(edge, edge, edge, edge)
        column.setSpacing(theme.px(10))
        for section in sections:
            if section.key not in _LEFT_OUT and section.rows:
                column.addWidget(self._box(section))
        column.addStretch(1)

    def _box(self, section: FactSection) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(self._theme.px(2))
        # A single value may have the same name as its section; the hint then says more.
        named = [getattr(row, "name", "") for row in section.rows] == [section.title]
        title = section.hint if named and section.hint else section.title
        column.addWidget(self._label(title, _TITLE_PIXELS, muted=True))
        flow = FlowLayout(gap=self._theme.px(9), at_top=True)
        for row in section.rows:
            if isinstance(row, TextRow):
                # Not in the flow layout, which does not pass on height for width.
                column.addWidget(self._label(row.text, _TEXT_PIXELS))
            for part in self._parts(row):
                flow.addWidget(part)
        column.addLayout(flow)
        return box

    def _parts(self, row: FactRow) -> Iterator[QWidget]:
        match row:
            case ValueRow():
                yield self._tensor(row)
            case ChangeRow():
                yield self._tensor(_with_distinct_name(row.before))
                yield self._label(row.change, _TEXT_PIXELS)
                yield self._tensor(_with_distinct_name(row.after))
            case HiddenRow():
                hidden = PresenterTensor(row.name, self._theme)
                hidden.hide_value()
                yield hidden
            case _:
                return

    def _tensor(self, row: ValueRow) -> PresenterTensor:
        shown = PresenterTensor(row.name, self._theme)
        item = row.item
        record = None
        if self._index is not None and item.tensor is not None:
            record = self._index.tensor.get(item.tensor)
        if record is None:
            shown.show_text(item.text or "None")
        else:
            shown.show_tensor(record, self._value(record.id))
        return shown

    def _label(self, text: str, pixels: int, *, muted: bool = False) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(not muted)
        label.setFont(self._theme.font(pixels, bold=muted))
        if muted:
            label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        return label


def _with_distinct_name(row: ValueRow) -> ValueRow:
    """Return one of two values of the same name, with its tag added to the name."""
    tags = row.tags[:1]
    return replace(row, name=", ".join((row.name, *(tag.text for tag in tags))))
