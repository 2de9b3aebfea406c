"""Widgets for the rows of a section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from gradviz.model.index import Index
from gradviz.model.tensor import TensorValue
from gradviz.viewer.flow_layout import FlowLayout
from gradviz.viewer.inspector.change_view import ChangeView
from gradviz.viewer.inspector.facts import (
    ChangeRow,
    HiddenRow,
    Row,
    StepsRow,
    TextRow,
    ValueRow,
)
from gradviz.viewer.pill import Pill, Tag
from gradviz.viewer.plain_text import PlainBlock, PlainLabel
from gradviz.viewer.tensor_view.hidden import HiddenTensor
from gradviz.viewer.tensor_view.storage_mark import storage_tag
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.theme import Theme

NARROW = 126
"""Pixels up to which a heatmap leaves room for another one beside it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """What rows are filled from.

    Attributes:
        index: The trace.
        letters: Of `storage_letters`.
        value: Gives the kept elements of a tensor.
        theme: Colours to draw with.
    """

    index: Index
    letters: dict[int, str]
    value: Callable[[int], TensorValue | None]
    theme: Theme


class StepLinks(QWidget):
    """Steps to go to, each as a sign that can be pressed.

    Signals:
        step_requested: Number of the step.
    """

    step_requested = Signal(object)

    def __init__(self, row: StepsRow, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        line = FlowLayout(self)
        label = PlainLabel(muted=True)
        label.show_short(row.text, 200)
        line.addWidget(label)
        for number in row.numbers:
            tip = self.tr("Goes to step {number}").format(number=number)
            text = self.tr("step {number}").format(number=number)
            pill = Pill(Tag(text, "plain", tip), theme, pressable=True)
            pill.setProperty("step", number)
            pill.clicked.connect(self._on_pill_clicked)
            line.addWidget(pill)

    @Slot()
    def _on_pill_clicked(self) -> None:
        sender = self.sender()
        if isinstance(sender, QObject):
            self.step_requested.emit(sender.property("step"))


def widgets_of(rows: Iterable[Row], source: Source) -> list[QWidget]:
    """One widget for each row; narrow tensors that follow each other share one."""
    made: list[QWidget] = []
    narrow: list[TensorView] = []
    for row in rows:
        widget = _widget(row, source)
        if isinstance(widget, TensorView) and widget.natural_width <= NARROW:
            narrow.append(widget)
            continue
        made += _side_by_side(narrow)
        narrow = []
        made.append(widget)
    return made + _side_by_side(narrow)


def fill(view: TensorView, row: ValueRow, source: Source, limit: float | None = None) -> None:
    """Shows the value of a row in a tensor view."""
    item = row.item
    record = source.index.tensor.get(item.tensor) if item.tensor is not None else None
    if item.tensor is None or record is None:
        view.show_none(row.name, item.text or "None", row.tags)
        return
    mark = storage_tag(record, source.letters)
    tags = (*row.tags, mark) if mark is not None else row.tags
    view.show_tensor(row.name, record, source.value(item.tensor), tags=tags, limit=limit)


def _widget(row: Row, source: Source) -> QWidget:
    match row:
        case ValueRow():
            view = TensorView(source.theme)
            fill(view, row, source)
            return view
        case ChangeRow():
            views = TensorView(source.theme), TensorView(source.theme)
            fill(views[0], row.before, source)
            fill(views[1], row.after, source)
            return ChangeView(row, *views, source.theme)
        case HiddenRow():
            return HiddenTensor(row.name, source.theme)
        case StepsRow():
            return StepLinks(row, source.theme)
        case TextRow(block=True):
            return PlainBlock(row.text)
        case TextRow():
            return PlainLabel(row.text, muted=row.tone == "plain")


def _side_by_side(views: Sequence[TensorView]) -> list[QWidget]:
    """Two in a line; a lone one stays as it is."""
    if len(views) < 2:
        return list(views)
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(10)
    grid.setVerticalSpacing(10)
    for place, view in enumerate(views):
        view.set_compact(True)
        cell = QVBoxLayout()
        cell.addWidget(view)
        cell.addStretch(1)
        grid.addLayout(cell, place // 2, place % 2)
    for column in (0, 1):
        grid.setColumnStretch(column, 1)
    return [box]
