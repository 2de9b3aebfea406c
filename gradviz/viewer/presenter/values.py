"""The values of the step in Presenter Mode: received, returned and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from gradviz.model.index import Index
from gradviz.model.places import Place
from gradviz.model.tensor import TensorValue
from gradviz.viewer.inspector.facts import ChangeRow, HiddenRow, Row, Section, TextRow, ValueRow
from gradviz.viewer.inspector.moment import facts_now
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.presenter.room_tensor import RoomTensor
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.flow_layout import FlowLayout

_LEFT_OUT = ("ctx", "how", "traceback", "steps", "code", "op-call", "inside", "locals", "cut")
"""Sections that are left out, as nobody reads them from the last row."""

_TITLE_PIXELS, _TEXT_PIXELS = 12, 12


class RoomValues(QScrollArea):
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
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._show()

    @property
    def tensors(self) -> tuple[RoomTensor, ...]:
        """The tensors shown, from top to bottom."""
        return tuple(self.findChildren(RoomTensor))

    def _show(self) -> None:
        state = self._state
        index = state.index
        facts = None
        if index is not None:
            concealed = state.concealed
            facts = facts_now(index, state.number, concealed=concealed, place=state.place)
        sections = () if facts is None else facts.sections
        wanted = (index, sections, state.theme)
        if wanted != self._shown or self.widget() is None:
            self._shown = wanted
            self.setWidget(_Page(sections, index, state.value, state.theme))

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self._show()

    @Slot(object)
    def _on_state_place_changed(self, place: Place | None) -> None:
        self._show()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._show()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._show()


class _Page(QWidget):
    """The value sections of one step."""

    def __init__(
        self,
        sections: tuple[Section, ...],
        index: Index | None,
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

    def _box(self, section: Section) -> QWidget:
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

    def _parts(self, row: Row) -> Iterator[QWidget]:
        match row:
            case ValueRow():
                yield self._tensor(row)
            case ChangeRow():
                yield self._tensor(_told_apart(row.before))
                yield self._label(row.change, _TEXT_PIXELS)
                yield self._tensor(_told_apart(row.after))
            case HiddenRow():
                hidden = RoomTensor(row.name, self._theme)
                hidden.hide_value()
                yield hidden
            case _:
                return

    def _tensor(self, row: ValueRow) -> RoomTensor:
        shown = RoomTensor(row.name, self._theme)
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


def _told_apart(row: ValueRow) -> ValueRow:
    """Return one of two values of the same name, with its tag added to the name."""
    tags = row.tags[:1]
    return replace(row, name=", ".join((row.name, *(tag.text for tag in tags))))
