"""The large tensor view: heatmap, table or histogram, any two dimensions, one cursor."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QStackedWidget, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.drawing.cells.plane import PARTS, ComplexPart, Plane
from gradviz.viewer.background import Background
from gradviz.viewer.tensor_view.controls.non_finite_pills import NonFinitePills
from gradviz.viewer.tensor_view.controls.slicer import Slicer
from gradviz.viewer.tensor_view.controls.tensor_menu import Copyable
from gradviz.viewer.tensor_view.large.number_table import NumberTable
from gradviz.viewer.tensor_view.shown_tensor import (
    NonFiniteKind,
    PreparedTensor,
    ScaleRange,
    ShownTensor,
    TensorViewRequest,
    prepare_tensor,
)
from gradviz.viewer.tensor_view.small.heatmap import Heatmap, HeatmapCell
from gradviz.viewer.tensor_view.tensor_text import (
    elements_text,
    sampling_line,
    summary,
    with_non_breaking_entries,
)
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text
from gradviz.viewer.widgets.scale_bar import ScaleBar
from gradviz.viewer.widgets.screen_reader import announce
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

if TYPE_CHECKING:
    from gradviz.viewer.tensor_view.large.histogram_view import HistogramView


TensorViewMode = Literal["heatmap", "numbers", "histogram"]
MODES: tuple[TensorViewMode, ...] = get_args(TensorViewMode)


def _segments() -> tuple[tuple[str, str], ...]:
    """Text and tooltip of the button of each mode."""
    return (
        (
            translate("ModeSwitch", "Heatmap"),
            translate("ModeSwitch", "Show the values as colors (Space)"),
        ),
        (
            translate("ModeSwitch", "Numbers"),
            translate("ModeSwitch", "Show the values in a table (Space)"),
        ),
        (
            translate("ModeSwitch", "Histogram"),
            translate("ModeSwitch", "Show how often values occur (Space)"),
        ),
    )


class ViewOptions(QWidget):
    """A row of controls; those that do not apply to the tensor are hidden.

    Attributes:
        switch: The switch between the modes.
        parts: The combo box for the part of complex elements.
        reaches: The combo box for the range of the color scale.
        log: The check box for logarithmic counts.

    Signals:
        view_request_changed: Part or scale have changed.
        mode_changed: The mode has changed.
    """

    view_request_changed = Signal()
    mode_changed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.switch = SegmentSwitch(theme, translate("ModeSwitch", "View"), _segments())
        self.parts = QComboBox(self)
        self.reaches = QComboBox(self)
        self.log = QCheckBox(self.tr("log counts"), self)
        self._fill()
        row = FlowLayout(self, gap=10)
        for each in (self.switch, self.parts, self.reaches, self.log):
            row.addWidget(each)
        self.parts.hide()
        self.log.hide()
        self.switch.segment_chosen.connect(self._on_switch_segment_chosen)
        # `activated` is emitted only for choices of the user, not when code selects an entry.
        self.parts.activated.connect(self.view_request_changed)
        self.reaches.activated.connect(self.view_request_changed)
        for each in (self.parts, self.reaches, self.log):
            set_theme_font(each, theme, SMALL_PIXELS)

    def _fill(self) -> None:
        names = {
            "value": self.tr("both parts"),
            "real": self.tr("real part"),
            "imag": self.tr("imaginary part"),
            "abs": self.tr("magnitude"),
            "angle": self.tr("angle"),
        }
        for part in PARTS:
            self.parts.addItem(names[part], part)
        self.parts.setAccessibleName(self.tr("Part of the complex values"))
        self.parts.setToolTip(
            self.tr(
                "Part of the complex values to show (Up, Down); both parts are colored by magnitude"
            )
        )
        self.reaches.addItem(self.tr("colors for all values"), "all")
        self.reaches.addItem(self.tr("colors for 99% of the values"), "most")
        self.reaches.setAccessibleName(self.tr("Range of the color scale"))
        self.reaches.setToolTip(
            self.tr("Whether the color scale covers the largest values (Up, Down)")
        )
        self.log.setToolTip(self.tr("Draw the counts on a logarithmic scale (Space)"))
        self.log.setAccessibleName(self.tr("Logarithmic counts"))

    @property
    def mode(self) -> TensorViewMode:
        """The selected mode."""
        return MODES[self.switch.place]

    def choose(self, mode: TensorViewMode) -> None:
        """Select a mode."""
        if mode != self.mode:
            self.switch.segment(MODES.index(mode)).setChecked(True)
            self._on_switch_segment_chosen(self.switch.place)

    @property
    def part(self) -> ComplexPart:
        """The selected part of complex elements."""
        part: ComplexPart = self.parts.currentData()
        # A hidden box keeps the choice made for an earlier, complex tensor.
        return "value" if self.parts.isHidden() else part

    @property
    def reach(self) -> ScaleRange:
        """Which values the color scale covers."""
        reach: ScaleRange = self.reaches.currentData()
        return reach

    def _on_switch_segment_chosen(self, place: int) -> None:
        self.log.setVisible(self.mode == "histogram")
        self.mode_changed.emit()


class LargeTensorView(QWidget):
    """Shows one tensor in all of the available space.

    Args:
        theme: Colors and fonts to draw with.
        background: Prepares large tensors; without it they are prepared in the calling thread.

    Attributes:
        display: The tensor that is shown; None before the first one.
        summary: Summary of the tensor in one line.
        options: Controls for mode, part and color scale.
        slicer: Chooses the plane.
        heatmap: The plane as colors.
        table: The plane as numbers.
        stack: Holds heatmap, table and histogram, one of them visible.
        bar: The color scale.
        readout: The element under the cursor, or the pinned element.
        non_finite: Counts of values that the color scale cannot show.
        note: What is not shown, and why.

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
        self._theme = theme
        self.summary = PlainLabel()
        self.options = ViewOptions(theme)
        self.slicer = Slicer(theme, large=True)
        self.heatmap = Heatmap(theme, large=True)
        self.table = NumberTable(theme)
        self.stack = QStackedWidget()
        self.bar = ScaleBar(theme)
        self.readout = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.non_finite = NonFinitePills(theme)
        self.note = PlainLabel(muted=True)
        above, below = (self.summary, self.options, self.slicer), (self.bar, self.readout)
        column = QVBoxLayout(self)
        lay_out(column, *above, (self.stack, 1), *below, self.non_finite, self.note, gap=6)
        for view in (self.heatmap, self.table):
            self.stack.addWidget(view)
            view.cursor_moved.connect(self._on_view_cursor_moved)
            view.picked.connect(self.element_picked)
            view.copy_requested.connect(self.copy_requested)
        self.heatmap.origin_requested.connect(self.origin_requested)
        self.options.mode_changed.connect(self._on_options_mode_changed)
        self.options.view_request_changed.connect(self._prepare)
        self.slicer.cut_changed.connect(self._prepare)
        self.non_finite.jump_requested.connect(self._on_non_finite_jump_requested)
        self.non_finite.origin_requested.connect(self._on_non_finite_origin_requested)

    @cached_property
    def histogram(self) -> HistogramView:
        """Distribution of the whole tensor's values; made at the first access."""
        # Imported here because pyqtgraph takes longer to load than the window.
        from gradviz.viewer.tensor_view.large.histogram_view import HistogramView

        view = HistogramView(self._theme)
        view.set_logarithmic(self.options.log.isChecked())
        self.options.log.toggled.connect(view.set_logarithmic)
        view.bar_changed.connect(self._on_histogram_bar_changed)
        view.copy_requested.connect(self.copy_requested)
        self.stack.addWidget(view)
        return view

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
        self.summary.setText(with_non_breaking_entries(summary(record, display.mark)))
        self.options.parts.setVisible(display.complex)
        # The same slice of a tensor of the same shape makes the two easy to compare.
        same = before is not None and before.shape == record.shape
        if not same or before is None or before.kept_steps != record.kept_steps:
            self.slicer.show_record(record)
        empty = "" if record.count else self.tr("Empty: no elements.")
        note_text = note or sampling_line(record) or empty
        show_text(self.note, note_text)
        self.setAccessibleName(f"{display.name}: {summary(record, display.mark)}")
        self._prepare()

    def mark_element(self, index: tuple[int, ...] | None) -> None:
        """Mark the pinned element in heatmap and histogram; None removes the mark."""
        self._element = index
        plane = self._plane()
        cell = plane.cell_of(index) if plane is not None and index is not None else None
        self.heatmap.mark(cell)
        self._value = float(plane.heat[cell]) if plane is not None and cell is not None else None
        if self.options.mode == "histogram":
            self.histogram.mark_value(self._value)
        self._show_readout()

    def focus_view(self) -> None:
        """Give keyboard focus to the visible heatmap, table or histogram."""
        view = self.stack.currentWidget()
        if view is not None:
            view.setFocus()

    def _prepare(self) -> None:
        display = self.display
        if display is None:
            return
        options = self.options
        request = TensorViewRequest(cut=self.slicer.cut, part=options.part, reach=options.reach)
        if display.is_large and self._background is not None:
            # The heatmap of the previous tensor must not appear under the new name.
            self._prepared = None
            self._show_picture(False)
            self.readout.setText(self.tr("Preparing the heatmap…"))
            self._background.start(
                lambda _job: prepare_tensor(display, request), self._on_prepared, lane=self._lane
            )
        else:
            self._on_prepared(prepare_tensor(display, request))

    def _show_picture(self, shown: bool) -> None:
        """Show or hide everything that needs elements."""
        for part in (self.stack, self.options, self.bar):
            part.setVisible(shown)

    def _on_prepared(self, prepared: PreparedTensor) -> None:
        display = self.display
        if display is None:
            return
        self._prepared = prepared
        cells = prepared.cells
        self._show_picture(cells is not None)
        if cells is not None:
            self.heatmap.show_cells(cells, display.name)
            self.table.show_plane(cells.plane, prepared.limit, display.name)
            self.bar.set_limit(prepared.limit)
        self._show_histogram()
        self.non_finite.show_counts(
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
        if self.options.mode != "histogram":
            return
        view = self.histogram
        if prepared is not None and prepared.histogram is not None and display is not None:
            view.show_histogram(prepared.histogram, prepared.limit, display.name)
            view.mark_value(self._value)

    def _plane(self) -> Plane | None:
        cells = self._prepared.cells if self._prepared is not None else None
        return cells.plane if cells is not None else None

    def _cell(self) -> HeatmapCell | None:
        mode = self.options.mode
        cursor = self.heatmap.cursor_cell if mode == "heatmap" else None
        cursor = self.table.cursor_cell if mode == "numbers" else cursor
        return cursor or self.heatmap.marked_cell

    def _first_of(self, kind: NonFiniteKind) -> tuple[int, ...] | None:
        if self.display is None or self._prepared is None:
            return None
        return self.display.first_of(kind, self._prepared.limit, self.options.part)

    def _show_readout(self) -> None:
        cell = self._cell()
        self.readout.setText(self.heatmap.element_text(cell) if cell is not None else self._idle())

    def _idle(self) -> str:
        display, shown = self.display, self._prepared
        if display is None or shown is None or shown.cells is None:
            return ""
        if self.options.mode == "histogram" and shown.histogram is not None:
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
        cut = self.slicer.cut.through(index, display.record.kept_steps)
        at = {axis: cut.at[axis] for axis in cut.others}
        if any(self.slicer.cut.at[axis] != place for axis, place in at.items()):
            # The new plane may be prepared in the background; `_on_prepared` then continues here.
            self._sought = index
            places = tuple(at.get(axis, 0) for axis in range(len(cut.at)))
            self.slicer.go_to(replace(cut, at=places))
            return
        plane = self._plane()
        cell = plane.cell_of(index) if plane is not None else None
        view = self.table if self.options.mode == "numbers" else self.heatmap
        if view is self.heatmap:
            self.options.choose("heatmap")
        view.setFocus()
        view.move_cursor(cell)

    def _on_options_mode_changed(self) -> None:
        self._show_histogram()
        self.stack.setCurrentIndex(self.options.switch.place)
        self._show_readout()

    def _on_view_cursor_moved(self, cell: HeatmapCell | None) -> None:
        self._show_readout()
        view = self.stack.currentWidget()
        # Qt announces cells of a table itself, and the mouse must not make a screen reader talk.
        if cell is not None and view is self.heatmap and view.hasFocus():
            announce(view, self.readout.text())

    def _on_histogram_bar_changed(self, bar: int | None) -> None:
        text = self.histogram.bar_text(bar) if bar is not None else self._idle()
        self.readout.setText(text)
        if bar is not None and self.histogram.hasFocus():
            announce(self.histogram, text)

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
            place = self.stack.mapToGlobal(QPoint(self.stack.width() // 2, 12))
        self.menu_requested.emit(place)
        event.accept()
