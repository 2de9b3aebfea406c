"""The standard tensor view: name, dtype and shape, heatmap, statistics, marks, slices."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Signal
from PySide6.QtGui import QContextMenuEvent, QEnterEvent
from PySide6.QtWidgets import QWidget

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.document.tag import Tag
from gradviz.drawing.cells.cells import cells_of
from gradviz.drawing.cells.plane import Plane
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import equal_rows_text
from gradviz.viewer.tensor_view.controls.non_finite_pills import NonFinitePills
from gradviz.viewer.tensor_view.controls.slicer import Slicer
from gradviz.viewer.tensor_view.controls.tensor_menu import Copyable
from gradviz.viewer.tensor_view.shown_tensor import NonFiniteKind, ShownTensor
from gradviz.viewer.tensor_view.small.heatmap import Heatmap, HeatmapCell
from gradviz.viewer.tensor_view.small.tensor_head import HeadButtons, TensorHead
from gradviz.viewer.tensor_view.tensor_text import kind_line, sampling_line, spoken, statistics_line
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow, stack
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel, show_text

_GAP = 3


class TensorView(ColumnLayoutWidget):
    """Shows one tensor with its name, or None, as part of a panel.

    One view shows one tensor after another, because creating a view at each step would take longer
    than a frame.

    Attributes:
        display: The tensor that is shown; None if None or a plain object is shown.
        heatmap: The heatmap of the visible plane.
        limit: End of the color scale in use.

    Signals:
        cursor_moved: ``(row, column)`` of the cell under the cursor, or None.
        element_picked: Index of the element that was clicked or chosen with Enter; None for Escape.
        element_turned: Index of an element whose number is to change, or None for the one before,
            and by how many steps; 0 at the end of a drag.
        open_requested: The large view was requested.
        origin_requested: Index of a non-finite element whose origin was requested.
        copy_requested: Copying the tensor was requested.
        menu_requested: Global position at which the tensor's menu is to open.
        jump_requested: The `DocumentLink` of a tag that was clicked.
        storage_hovered: ID of the storage whose letter is under the mouse, or None.
    """

    cursor_moved = Signal(object)
    element_picked = Signal(object)
    element_turned = Signal(object, int)
    open_requested = Signal()
    origin_requested = Signal(object)
    copy_requested = Signal()
    menu_requested = Signal(object)
    jump_requested = Signal(object)
    storage_hovered = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.display: ShownTensor | None = None
        self.limit = 0.0
        self._statistics = ""
        self._framed: tuple[ElementMark, ...] = ()
        self._at: tuple[int, ...] | None = None
        self._equal_rows = 0
        self._head = TensorHead(theme, self)
        self._slicer: Slicer | None = None
        self.heatmap = Heatmap(theme, parent=self)
        self._readout = PlainLabel(muted=True, parent=self)
        self._odd: NonFinitePills | None = None
        self._note = PlainLabel(muted=True, parent=self)
        self._head.show()
        self._connect()
        self.update_theme()

    def _connect(self) -> None:
        self.heatmap.cursor_moved.connect(self._on_heatmap_cursor_moved)
        self.heatmap.picked.connect(self.element_picked)
        self.heatmap.open_requested.connect(self.open_requested)
        self.heatmap.origin_requested.connect(self.origin_requested)
        self.heatmap.copy_requested.connect(self.copy_requested)
        self.heatmap.turned.connect(self.element_turned)
        self._head.buttons.open_requested.connect(self.open_requested)
        self._head.buttons.menu_requested.connect(self.menu_requested)
        self._head.tags.jump_requested.connect(self.jump_requested)

    @property
    def slicer(self) -> Slicer:
        """The controls that choose the plane."""
        if self._slicer is None:
            self._slicer = Slicer(self._theme, parent=self)
            self._slicer.cut_changed.connect(self._show_plane)
        return self._slicer

    @property
    def copyable(self) -> Copyable | None:
        """What can be copied; None if no tensor is shown."""
        if self.display is None:
            return None
        cell = self.heatmap.cursor_cell or self.heatmap.marked_cell
        plane = self.heatmap.plane if self.has_cells else None
        return Copyable(display=self.display, plane=plane, cell=cell)

    @property
    def buttons(self) -> HeadButtons:
        """The buttons that open the large view and the menu."""
        return self._head.buttons

    @property
    def pills(self) -> tuple[Pill, ...]:
        """The tags after the name, then the counts of non-finite values."""
        special_pills = self._odd.pills if self._odd is not None else ()
        return (*self._head.pills, *special_pills)

    @property
    def has_cells(self) -> bool:
        """Whether there are elements to paint."""
        return self.display is not None and self.display.has_cells

    @property
    def natural_width(self) -> int:
        """Preferred width in pixels of the cells and the tags; small without elements."""
        cells = self.heatmap.sizeHint().width() if self.has_cells else self._theme.px(60)
        return max(cells, *(pill.sizeHint().width() for pill in self._head.pills), 0)

    @property
    def texts(self) -> tuple[str, ...]:
        """Every visible line of text, from the top."""
        labels = (self._readout, self._note)
        tags = tuple(pill.text() for pill in self.pills)
        shown = tuple(label.text() for label in labels if not label.isHidden())
        return (self._head.title, self._head.kind, *shown, *tags)

    def show_tensor(
        self,
        name: str,
        record: TensorRecord,
        value: TensorValue | None,
        *,
        tags: tuple[Tag, ...] = (),
        limit: float | None = None,
        note: str = "",
        is_harmful: bool = False,
        usual: tuple[str, str] = ("", ""),
    ) -> None:
        """Show a tensor of the trace.

        Args:
            name: Name in the source code.
            record: The record of the tensor.
            value: Its kept elements; None if none were kept.
            tags: Tags after the name: the letter of its storage, its role.
            limit: Colors go from ``-limit`` to ``limit``, to compare tensors on one scale; by
                default the largest magnitude in the whole tensor.
            note: Text below the tensor, instead of the note derived from its record.
            is_harmful: Whether its NaN and Inf reach what `NonFiniteReach` tells.
            usual: The dtype and the device that go without saying.
        """
        mark = next((tag.text for tag in tags if tag.storage is not None), "")
        self._framed, self._at = (), None
        self.display = display = ShownTensor(
            name=name, record=record, value=value, mark=mark, is_harmful=is_harmful
        )
        self.limit = display.own_limit() if limit is None else limit
        self._statistics = statistics_line(record)
        spoken_text = spoken(name, record, mark)
        self._head.show_head(name, kind_line(record, usual), tags, tip=spoken_text)
        # Most tensors have two dimensions at most, so the slicer's widgets are created on demand.
        if self._slicer is not None or len(record.kept_shape) > 2:
            self.slicer.show_record(record)
        show_text(self._note, note or sampling_line(record) or self._empty_line(record))
        self.setAccessibleName(spoken_text)
        self._show_plane()

    def show_none(self, name: str, text: str = "None", tags: tuple[Tag, ...] = ()) -> None:
        """Show something without elements: None, or a plain object as text."""
        self.display = None
        self._statistics, self._equal_rows = "", 0
        self._head.show_head(name, text, tags, tip="")
        for part in (self._slicer, self.heatmap, self._readout, self._odd, self._note):
            if part is not None:
                part.hide()
        self.setAccessibleName(f"{name}: {text}")
        self.refresh()

    def mark_element(self, index: tuple[int, ...] | None) -> None:
        """Mark the pinned element if the plane shows it; None removes the mark."""
        if (index is None) != (self._at is None) and self.has_cells:
            # An element that is looked at is not merely one of several equal ones.
            self._at = index
            self._show_plane()
        self._at = index
        plane = self.heatmap.plane if self.has_cells else None
        cell = plane.cell_of(index) if plane is not None and index is not None else None
        if cell != self.heatmap.marked_cell:
            self.heatmap.mark(cell)
            self._show_readout(self.heatmap.cursor_cell)
            self.refresh()

    def frame_elements(self, marks: tuple[ElementMark, ...]) -> None:
        """Frame the elements of this tensor that take part in an arithmetic, on every plane."""
        if bool(marks) != bool(self._framed) and self.has_cells:
            self._framed = marks
            self._show_plane()
        self._framed = marks
        self.heatmap.frame(marks if self.has_cells else ())

    def highlight_storage(self, storage: int | None) -> None:
        """Highlight the letter of a storage if this tensor has it."""
        self._head.highlight_storage(storage)

    def place(self, width: int, *, move: bool) -> int:
        """Lay out all parts in a column; return the height."""
        self._readout.setVisible(self._has_readout(width))
        if self._equal_rows:
            y = stack((self._head,), width, 0, move=move)
            return flow((self.heatmap, self._note), width, 2 * _GAP, move=move, top=y + 1)
        parts = (self._slicer, self.heatmap, self._readout, self._odd, self._note)
        y = stack((self._head,), width, 0, move=move)
        return stack([part for part in parts if part], width, _GAP, move=move, top=y + 1)

    def _show_plane(self) -> None:
        display = self.display
        self._equal_rows = 0
        cut = self._slicer.cut if self._slicer is not None else None
        self.heatmap.setVisible(self.has_cells)
        if display is not None and display.has_cells:
            plane = display.plane(cut or display.first_cut())
            if plane is not None:
                plane = self._shortened(display.record, plane)
                self.heatmap.show_cells(cells_of(plane, self.limit), self._head.title)
                self.heatmap.frame(self._framed)
        self._show_non_finite()
        self._on_heatmap_cursor_moved(None)
        self.refresh()

    def _shortened(self, record: TensorRecord, plane: Plane) -> Plane:
        """Return one element of equal ones, or one of equal rows, until one is looked at."""
        whole = record.content == "whole" and len(record.kept_shape) <= 2
        short = plane.without_repeats() if whole and not self._framed and not self._at else plane
        if short.rows < plane.rows and not short.is_all:
            self._equal_rows = plane.rows
            show_text(self._note, equal_rows_text(plane.rows))
        elif not self._equal_rows and whole:
            show_text(self._note, self._empty_line(record))
        return short

    def _show_non_finite(self) -> None:
        numbers = self.display.record.statistics if self.display is not None else None
        clipped = self.heatmap.cells.clipped.count if self.heatmap.cells and self.has_cells else 0
        bad = clipped > 0 or (numbers is not None and not numbers.all_finite)
        if self._odd is None and bad:
            self._odd = NonFinitePills(self._theme, self)
            self._odd.jump_requested.connect(self._on_odd_jump_requested)
            self._odd.origin_requested.connect(self._on_odd_origin_requested)
        if self._odd is not None:
            self._odd.show_counts(
                numbers,
                clipped=clipped,
                findable=self.has_cells,
                is_harmful=self.display is not None and self.display.is_harmful,
            )

    def _empty_line(self, record: TensorRecord) -> str:
        return "" if record.count else self.tr("Empty: no elements.")

    def _first_of(self, kind: NonFiniteKind) -> tuple[int, ...] | None:
        return None if self.display is None else self.display.first_of(kind, self.limit)

    def _has_readout(self, width: int) -> bool:
        """Whether there is a line below the cells: not if their numbers say it all."""
        # It must not depend on the mouse, which would make everything below it jump.
        is_whole = self.display is not None and len(self.display.record.kept_shape) <= 2
        all_readable = is_whole and self.has_cells and self.heatmap.has_numbers(width)
        is_marked = self.heatmap.marked_cell is not None and self.has_cells
        return bool(self._statistics) and (is_marked or not all_readable)

    def _show_readout(self, cell: HeatmapCell | None) -> None:
        cell = cell or self.heatmap.marked_cell
        text = self.heatmap.element_text(cell) if cell is not None else self._statistics
        self._readout.setText(text)

    def _on_heatmap_cursor_moved(self, cell: HeatmapCell | None) -> None:
        self._show_readout(cell)
        self.cursor_moved.emit(cell)

    def _on_odd_jump_requested(self, kind: NonFiniteKind) -> None:
        """Show the plane of the first element of a kind and move the cursor to it."""
        display, index, cut = self.display, self._first_of(kind), None
        if display is None or index is None:
            return
        if self._slicer is not None:
            cut = self._slicer.cut.through(index, display.record.kept_steps)
            self._slicer.go_to(cut)
        plane = self.heatmap.plane
        if plane is not None:
            self.heatmap.setFocus()
            self.heatmap.move_cursor(plane.cell_of(index))

    def _on_odd_origin_requested(self, kind: NonFiniteKind) -> None:
        index = self._first_of(kind)
        if index is not None:
            self.origin_requested.emit(index)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the buttons, and which other tensors share the memory."""
        super().enterEvent(event)
        self._head.buttons.reveal(True)
        storage = self._head.buttons.letter.tag.storage
        if storage is not None:
            self.storage_hovered.emit(storage)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide what the mouse has shown."""
        super().leaveEvent(event)
        self._head.buttons.reveal(False)
        if self._head.buttons.letter.tag.storage is not None:
            self.storage_hovered.emit(None)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Request the menu of the tensor."""
        place = event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            place = self.heatmap.mapToGlobal(QPoint(self.heatmap.width() // 2, 8))
        self.menu_requested.emit(place)
        event.accept()
