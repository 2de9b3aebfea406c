"""The widgets of a section's rows, reused from step to step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QWidget

from gradviz.viewer.inspector.change_view import ChangeView
from gradviz.viewer.inspector.facts import (
    ChangeRow,
    HiddenRow,
    MoreRow,
    PlacesRow,
    Row,
    ScaleRow,
    StepsRow,
    TextRow,
    ValueRow,
)
from gradviz.viewer.inspector.more_button import MoreButton
from gradviz.viewer.inspector.scale_control import ScaleControl
from gradviz.viewer.inspector.source import Source, fill
from gradviz.viewer.inspector.step_links import StepLinks
from gradviz.viewer.inspector.tensor_desk import TensorDesk
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.hidden import HiddenTensor
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.widgets.column import Column
from gradviz.viewer.widgets.plain_text import PlainBlock, PlainLabel

RowWidget = (
    TensorView
    | ChangeView
    | StepLinks
    | ScaleControl
    | MoreButton
    | HiddenTensor
    | PlainBlock
    | PlainLabel
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scales:
    """The color scales of compared rows.

    Attributes:
        limits: End of each scale, by its key.
        same: Whether rows with the same key share their scale.
    """

    limits: Mapping[str, float]
    same: bool

    def limit(self, row: ValueRow) -> float | None:
        """End of the scale of a row; None if the row has its own scale."""
        return self.limits.get(row.scale) if self.same and row.scale else None


class RowShelf(QObject):
    """A pool of row widgets that reuses widgets of the right kind.

    Creating widgets at each step would take longer than a frame.

    Signals:
        height_changed: The preferred height of a widget has changed.
        more_requested: Key of a section that is to show more rows.
    """

    height_changed = Signal()
    more_requested = Signal(str)

    def __init__(self, desk: TensorDesk, parent: QObject | None = None) -> None:
        """Set the controller that new tensor views are connected to."""
        super().__init__(parent)
        self._desk = desk
        self._spare: dict[type[QWidget], list[RowWidget]] = defaultdict(list)

    def show(
        self, rows: Iterable[Row], at_hand: list[RowWidget], source: Source, scales: Scales
    ) -> list[RowWidget]:
        """Return the widgets of the rows, in order.

        Args:
            rows: The rows to show.
            at_hand: Current widgets of the section; those that are not reused go back to the pool.
            source: The data of the rows.
            scales: Color scales of compared rows.
        """
        left = list(at_hand)
        shown: list[RowWidget] = []
        for row in rows:
            widget = self._take(row, left, source.theme)
            self._fill(widget, row, source, scales)
            shown.append(widget)
        for widget in left:
            widget.hide()
            self._spare[type(widget)].append(widget)
        return shown

    def set_theme(self, theme: Theme) -> None:
        """Apply a theme to the widgets in the pool."""
        for group in self._spare.values():
            for widget in group:
                widget.set_theme(theme)

    def _take(self, row: Row, left: list[RowWidget], theme: Theme) -> RowWidget:
        kind = _kind_of(row)
        for widgets in (left, self._spare[kind]):
            found = next((widget for widget in widgets if type(widget) is kind), None)
            if found is not None:
                widgets.remove(found)
                return found
        widget = self._make(row, theme)
        if isinstance(widget, Column):
            widget.height_changed.connect(self.height_changed)
        return widget

    def _make(self, row: Row, theme: Theme) -> RowWidget:
        match row:
            case ValueRow():
                return self._view(theme)
            case ChangeRow():
                return ChangeView(self._view(theme), self._view(theme), theme)
            case StepsRow() | PlacesRow():
                links = StepLinks(theme)
                self._desk.adopt_links(links)
                return links
            case ScaleRow():
                control = ScaleControl(theme)
                self._desk.adopt_scale(control)
                return control
            case MoreRow():
                more = MoreButton(theme)
                more.more_requested.connect(self.more_requested)
                return more
            case HiddenRow():
                return HiddenTensor(theme)
            case TextRow(block=True):
                block = PlainBlock()
                block.set_theme(theme)
                return block
            case TextRow():
                label = PlainLabel()
                label.set_theme(theme)
                return label

    def _view(self, theme: Theme) -> TensorView:
        view = TensorView(theme)
        self._desk.adopt(view)
        return view

    def _fill(self, widget: QWidget, row: Row, source: Source, scales: Scales) -> None:
        match row, widget:
            case ValueRow(), TensorView():
                fill(widget, row, source, scales.limit(row))
            case ChangeRow(), ChangeView():
                fill(widget.views[0], row.before, source, scales.limit(row.before))
                fill(widget.views[1], row.after, source, scales.limit(row.after))
                widget.show_change(row)
            case StepsRow() | PlacesRow(), StepLinks():
                widget.show_row(row)
            case ScaleRow(), ScaleControl():
                widget.show_row(row, scales.limits.get(row.scale, 0.0), same=scales.same)
            case MoreRow(), MoreButton():
                widget.show_row(row)
            case HiddenRow(), HiddenTensor():
                widget.show_name(row.name)
            case TextRow(), PlainBlock():
                widget.show_text(row.text)
            case TextRow(), PlainLabel():
                muted = row.tone == "plain"
                role = QPalette.ColorRole
                widget.setForegroundRole(role.PlaceholderText if muted else role.WindowText)
                widget.setText(row.text)


def _kind_of(row: Row) -> type[QWidget]:
    """The class of the widget that shows a row."""
    match row:
        case ValueRow():
            return TensorView
        case ChangeRow():
            return ChangeView
        case StepsRow() | PlacesRow():
            return StepLinks
        case ScaleRow():
            return ScaleControl
        case TextRow(block=True):
            return PlainBlock
        case TextRow():
            return PlainLabel
        case MoreRow():
            return MoreButton
        case HiddenRow():
            return HiddenTensor


def scale_limits(rows: Iterable[Row], source: Source) -> dict[str, float]:
    """Largest magnitude among the values of each scale, by the key of the scale."""
    limits: dict[str, float] = {}
    for row in rows:
        compared = (row.before, row.after) if isinstance(row, ChangeRow) else (row,)
        for each in compared:
            if isinstance(each, ValueRow) and each.scale and each.item.tensor is not None:
                limit = source.limit(each.item.tensor)
                limits[each.scale] = max(limits.get(each.scale, 0.0), limit)
    return limits
