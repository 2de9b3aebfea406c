"""The large tensor view: heatmap, table or histogram, any two dimensions, one cursor."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.drawing.cells.plane import Plane
from gradviz.viewer.background import Background
from gradviz.viewer.tensor_view.controls.tensor_menu import Copyable
from gradviz.viewer.tensor_view.large.large_parts import MODES, LargeParts, TensorViewMode
from gradviz.viewer.tensor_view.shown_tensor import (
    NonFiniteKind,
    PreparedTensor,
    ShownTensor,
    TensorViewRequest,
    prepare_tensor,
)
from gradviz.viewer.tensor_view.small.heatmap import HeatmapCell
from gradviz.viewer.tensor_view.tensor_text import (
    elements_text,
    sampling_line,
    summary,
    with_non_breaking_entries,
)
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import show_text
from gradviz.viewer.widgets.screen_reader import announce


class LargeTensorView(QWidget):
    """Shows one tensor in all of the available space.

    Args:
        theme: Colors and fonts to draw with.
        background: Prepares large tensors; without it they are prepared in the calling thread.

    Attributes:
        display: The tensor that is shown; None before the first one.
        parts: The widgets of the view.

    Signals:
        element_picked: Index of the element that was clicked or chosen with Enter; None for Escape.
        origin_requested: Index of a non-finite element whose origin was requested.
        copy_requested: Copying the tensor was requested.
        menu_requested: Global position at which the tensor's menu is to open.
    """

    element_picked = Signal(object)
    origin_requested = Signal(object)
    copy_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, theme: Theme, background: Background | None = None) -> None:
        super().__init__()
        self._background = background
        # Jobs in one lane replace each other, but several windows prepare tensors independently.
        self._lane = f"large tensor {id(self)}"
        self.display: ShownTensor | None = None
        self._prepared: PreparedTensor | None = None
        self._element: tuple[int, ...] | None = None
        self._value: float | None = None
        self._sought: tuple[int, ...] | None = None
        self.parts = LargeParts(theme, self)
        lay_out(QVBoxLayout(self), self.parts)
        self._connect()

    def _connect(self) -> None:
        self.parts.options.switch.mode_changed.connect(self._on_switch_mode_changed)
        self.parts.options.view_request_changed.connect(self._prepare)
        self.parts.slicer.cut_changed.connect(self._prepare)
        self.parts.heatmap.origin_requested.connect(self._on_heatmap_origin_requested)
        self.parts.non_finite.jump_requested.connect(self._on_non_finite_jump_requested)
        self.parts.non_finite.origin_requested.connect(self._on_non_finite_origin_requested)
        self.parts.bar_changed.connect(self._on_parts_bar_changed)
        self.parts.copy_requested.connect(self.copy_requested)
        for view in (self.parts.heatmap, self.parts.table):
            view.cursor_moved.connect(self._on_view_cursor_moved)
            view.picked.connect(self._on_view_picked)
            view.copy_requested.connect(self.copy_requested)

    @property
    def copyable(self) -> Copyable | None:
        """What can be copied; None before the first tensor."""
        if self.display is None:
            return None
        return Copyable(display=self.display, plane=self._plane(), cell=self._cell())

    def show_display(self, display: ShownTensor, note: str = "") -> None:
        """Show another tensor; keep the plane if the shape is the same.

        Args:
            display: The tensor.
            note: Text below the tensor, instead of the note derived from its record.
        """
        before = self.display.record if self.display is not None else None
        self.display = display
        record = display.record
        self.parts.summary.setText(with_non_breaking_entries(summary(record, display.mark)))
        self.parts.options.show_display(display)
        # The same slice of a tensor of the same shape makes the two easy to compare.
        same = before is not None and before.shape == record.shape
        if not same or before is None or before.kept_steps != record.kept_steps:
            self.parts.slicer.show_record(record)
        empty = "" if record.count else self.tr("Empty: no elements.")
        note_text = note or sampling_line(record) or empty
        show_text(self.parts.note, note_text)
        self.setAccessibleName(f"{display.name}: {summary(record, display.mark)}")
        self._prepare()

    def mark_element(self, index: tuple[int, ...] | None) -> None:
        """Mark the pinned element in heatmap and histogram; None removes the mark."""
        self._element = index
        plane = self._plane()
        cell = plane.cell_of(index) if plane is not None and index is not None else None
        self.parts.heatmap.mark(cell)
        self._value = float(plane.heat[cell]) if plane is not None and cell is not None else None
        if self.parts.options.mode == "histogram":
            self.parts.histogram.mark_value(self._value)
        self._show_readout()

    def focus_view(self) -> None:
        """Give keyboard focus to the visible heatmap, table or histogram."""
        view = self.parts.stack.currentWidget()
        if view is not None:
            view.setFocus()

    def _prepare(self) -> None:
        display = self.display
        if display is None:
            return
        options = self.parts.options
        request = TensorViewRequest(
            cut=self.parts.slicer.cut, part=options.part, reach=options.reach
        )
        if display.is_large and self._background is not None:
            # The heatmap of the previous tensor must not appear under the new name.
            self._prepared = None
            self.parts.show_picture(False)
            self.parts.readout.setText(self.tr("Preparing the heatmap…"))
            self._background.start(
                lambda _job: prepare_tensor(display, request), self._on_prepared, lane=self._lane
            )
        else:
            self._on_prepared(prepare_tensor(display, request))

    def _on_prepared(self, prepared: PreparedTensor) -> None:
        display = self.display
        if display is None:
            return
        self._prepared = prepared
        cells = prepared.cells
        self.parts.show_picture(cells is not None)
        if cells is not None:
            self.parts.heatmap.show_cells(cells, display.name)
            self.parts.table.show_plane(cells.plane, prepared.limit, display.name)
            self.parts.bar.set_limit(prepared.limit)
        self._show_histogram()
        self.parts.non_finite.show_counts(
            display.record.statistics,
            clipped=prepared.clipped,
            findable=cells is not None,
            is_harmful=display.is_harmful,
        )
        self.mark_element(self._element)
        if self._sought is not None:
            self._go_to(self._sought)

    def _show_histogram(self) -> None:
        """Draw the histogram if it is the chosen view; the others do not need pyqtgraph."""
        prepared, display = self._prepared, self.display
        if self.parts.options.mode != "histogram":
            return
        view = self.parts.histogram
        if prepared is not None and prepared.histogram is not None and display is not None:
            view.show_histogram(prepared.histogram, prepared.limit, display.name)
            view.mark_value(self._value)

    def _plane(self) -> Plane | None:
        cells = self._prepared.cells if self._prepared is not None else None
        return cells.plane if cells is not None else None

    def _cell(self) -> HeatmapCell | None:
        mode = self.parts.options.mode
        cursor = self.parts.heatmap.cursor_cell if mode == "heatmap" else None
        cursor = self.parts.table.cursor_cell if mode == "numbers" else cursor
        return cursor or self.parts.heatmap.marked_cell

    def _first_of(self, kind: NonFiniteKind) -> tuple[int, ...] | None:
        if self.display is None or self._prepared is None:
            return None
        return self.display.first_of(kind, self._prepared.limit, self.parts.options.part)

    def _show_readout(self) -> None:
        cell = self._cell()
        self.parts.readout.setText(
            self.parts.heatmap.element_text(cell) if cell is not None else self._idle()
        )

    def _idle(self) -> str:
        display, shown = self.display, self._prepared
        if display is None or shown is None or shown.cells is None:
            return ""
        if self.parts.options.mode == "histogram" and shown.histogram is not None:
            if display.record.content == "whole":
                text = self.tr("Histogram of all {elements}.")
                return text.format(elements=elements_text(display.record))
            text = self.tr("Histogram of the {kept} kept elements of {count}.")
            kept, count = format_count(shown.histogram.total), format_count(display.record.count)
            return text.format(kept=kept, count=count)
        return self.tr("Point at an element or press an arrow key. Press Enter or click to pin it.")

    def _go_to(self, index: tuple[int, ...]) -> None:
        """Move the cursor to an element, after switching to its plane if necessary."""
        display = self.display
        if display is None:
            return
        self._sought = None
        cut = self.parts.slicer.cut.through(index, display.record.kept_steps)
        at = {axis: cut.at[axis] for axis in cut.others}
        if any(self.parts.slicer.cut.at[axis] != place for axis, place in at.items()):
            # The new plane may be prepared in the background; `_on_prepared` then continues here.
            self._sought = index
            places = tuple(at.get(axis, 0) for axis in range(len(cut.at)))
            self.parts.slicer.go_to(replace(cut, at=places))
            return
        plane = self._plane()
        cell = plane.cell_of(index) if plane is not None else None
        view = self.parts.table if self.parts.options.mode == "numbers" else self.parts.heatmap
        if view is self.parts.heatmap:
            self.parts.options.switch.choose("heatmap")
        view.setFocus()
        view.move_cursor(cell)

    def _on_switch_mode_changed(self, mode: TensorViewMode) -> None:
        self._show_histogram()
        self.parts.stack.setCurrentIndex(MODES.index(mode))
        self._show_readout()

    def _on_view_cursor_moved(self, cell: HeatmapCell | None) -> None:
        self._show_readout()
        view = self.parts.stack.currentWidget()
        # Qt announces cells of a table itself, and the mouse must not make a screen reader talk.
        if cell is not None and view is self.parts.heatmap and view.hasFocus():
            announce(view, self.parts.readout.text())

    def _on_view_picked(self, cell: HeatmapCell | None) -> None:
        plane = self._plane()
        index = plane.index(*cell) if plane is not None and cell is not None else None
        self.element_picked.emit(index)

    def _on_heatmap_origin_requested(self, cell: HeatmapCell) -> None:
        plane = self._plane()
        if plane is not None:
            self.origin_requested.emit(plane.index(*cell))

    def _on_parts_bar_changed(self, bar: int | None) -> None:
        text = self.parts.histogram.bar_text(bar) if bar is not None else self._idle()
        self.parts.readout.setText(text)
        if bar is not None and self.parts.histogram.hasFocus():
            announce(self.parts.histogram, text)

    def _on_non_finite_jump_requested(self, kind: NonFiniteKind) -> None:
        index = self._first_of(kind)
        if index is not None:
            self._go_to(index)

    def _on_non_finite_origin_requested(self, kind: NonFiniteKind) -> None:
        index = self._first_of(kind)
        if index is not None:
            self.origin_requested.emit(index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the tensor."""
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.parts.stack.mapToGlobal(QPoint(self.parts.stack.width() // 2, 12))
        self.menu_requested.emit(place)
        event.accept()
