"""The controls that choose the plane of a tensor with more than two dimensions."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QSlider, QSpinBox, QVBoxLayout, QWidget

from gradviz.drawing.cells.plane import PlaneCut, first_cut
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.wheel_guard import WheelGuard


class AxisChoice(QWidget):
    """Two combo boxes of dimensions; choosing the other box's dimension swaps the two.

    Attributes:
        boxes: The combo boxes for the row dimension and the column dimension.

    Signals:
        axes_changed: The dimensions of the rows and of the columns.
    """

    axes_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = (PlainLabel(self.tr("rows"), muted=True), PlainLabel(muted=True))
        self._labels[1].setText(self.tr("columns"))
        self.boxes = (QComboBox(self), QComboBox(self))
        self._axes: tuple[int | None, int | None] = (None, None)
        row = FlowLayout(self)
        names = (self.tr("Row dimension"), self.tr("Column dimension"))
        for label, box, name in zip(self._labels, self.boxes, names, strict=True):
            label.show_short(label.text(), 120)
            # Otherwise scrolling a panel would change the value of a box under the mouse.
            WheelGuard(box)
            box.setAccessibleName(name)
            box.setToolTip(self.tr("{name} of the heatmap (Up, Down)").format(name=name))
            row.addWidget(label)
            row.addWidget(box)
            # Unlike `currentIndexChanged`, it is emitted only for the user's own choice.
            box.activated.connect(self._on_box_activated)
        for box in self.boxes:
            set_theme_font(box, theme, SMALL_PIXELS)

    @property
    def has_choice(self) -> bool:
        """Whether the tensor has more than one way to choose two dimensions."""
        return self.boxes[0].count() >= 2

    def show_shape(self, shape: tuple[int, ...], cut: PlaneCut) -> None:
        """Offer the dimensions of another tensor."""
        for box in self.boxes:
            box.clear()
            for axis, size in enumerate(shape):
                box.addItem(self.tr("dim {axis} · size {size}").format(axis=axis, size=size), axis)
        self.setVisible(self.has_choice)
        self.show_cut(cut)

    def show_cut(self, cut: PlaneCut) -> None:
        """Select the dimensions of a cut."""
        self._axes = cut.rows, cut.columns
        for box, axis in zip(self.boxes, self._axes, strict=True):
            if axis is not None:
                box.setCurrentIndex(axis)

    def _on_box_activated(self, place: int) -> None:
        rows, columns = (box.currentData() for box in self.boxes)
        if rows == columns:
            # The other list gets the dimension that this one had.
            rows, columns = self._axes[1], self._axes[0]
        if (rows, columns) != self._axes:
            self._axes = rows, columns
            self.axes_changed.emit(self._axes)


class AxisRow(QWidget):
    """One sliced dimension: its index as a number and, in the large view, as a slider.

    The number is an index of the whole tensor, and steps through the kept ones.

    Signals:
        moved: The index has changed.
    """

    moved = Signal()

    def __init__(self, theme: Theme, *, large: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.box = QSpinBox(self)
        WheelGuard(self.box)
        self.slider = QSlider(Qt.Orientation.Horizontal, self) if large else None
        self._shown = (0, 0, 0, 0)
        row = FlowLayout(self)
        row.addWidget(self.box)
        if self.slider is not None:
            self.slider.setMinimumWidth(theme.px(180))
            row.addWidget(self.slider)
            self.slider.valueChanged.connect(self._on_slider_value_changed)
        set_theme_font(self.box, theme, SMALL_PIXELS)
        self.box.valueChanged.connect(self._on_box_value_changed)

    def show_axis(self, axis: int, size: int, step: int, kept: int, position: int) -> None:
        """Show a dimension.

        Args:
            axis: The dimension.
            size: Length of the dimension in the whole tensor.
            step: Distance between kept indices.
            kept: Number of kept indices.
            position: Position among the kept indices.
        """
        # From step to step, most tensors have the same shape.
        if (axis, size, step, kept) != self._shown:
            self._shown = axis, size, step, kept
            self._show_range(axis, size, step, kept)
        self.box.setValue(position * step)

    def _show_range(self, axis: int, size: int, step: int, kept: int) -> None:
        box, slider = self.box, self.slider
        box.setPrefix(translate("IndexBox", "dim {axis}: ").format(axis=axis))
        box.setSuffix(translate("IndexBox", " of {size}").format(size=size))
        box.setRange(0, max(0, (kept - 1) * step))
        box.setSingleStep(step)
        box.setAccessibleName(translate("IndexBox", "Index in dimension {axis}").format(axis=axis))
        tip = translate("IndexBox", "Slice of dimension {axis} to show (Up, Down)")
        box.setToolTip(tip.format(axis=axis))
        if slider is not None:
            slider.setRange(0, max(0, kept - 1))
            slider.setAccessibleName(self.tr("Slider of dimension {axis}").format(axis=axis))
            tip = self.tr("Move through dimension {axis} (arrow keys)")
            slider.setToolTip(tip.format(axis=axis))

    @property
    def position(self) -> int:
        """Position among the kept indices."""
        # A typed number can be between two kept indices.
        return self.box.value() // self.box.singleStep()

    def _on_box_value_changed(self, value: int) -> None:
        if self.slider is not None:
            self.slider.setValue(self.position)
        self.moved.emit()

    def _on_slider_value_changed(self, position: int) -> None:
        # The box moves the slider in turn; equal positions end the exchange.
        if position != self.position:
            self.box.setValue(position * self.box.singleStep())


class Slicer(QWidget):
    """One row per sliced dimension; hidden if there are none.

    Args:
        theme: The font size to draw with.
        large: Whether to add sliders and a choice of the two visible dimensions.
        parent: Parent widget.

    Attributes:
        axes: The controls that choose the two visible dimensions; None unless it is large.
        cut: The selected plane.

    Signals:
        cut_changed: The new `PlaneCut`.
    """

    cut_changed = Signal(object)

    def __init__(self, theme: Theme, *, large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._large = large
        self._record: TensorRecord | None = None
        self.cut = first_cut(0)
        self._rows: list[AxisRow] = []
        self.axes = AxisChoice(theme, self) if large else None
        if self.axes is not None:
            self.axes.axes_changed.connect(self._on_axes_axes_changed)
            column = lay_out(QVBoxLayout(self), self.axes)
            self._line: QVBoxLayout | FlowLayout = column
        else:
            self._line = FlowLayout(self)
        self.hide()

    @property
    def boxes(self) -> tuple[QSpinBox, ...]:
        """The spin boxes, one per sliced dimension."""
        return tuple(row.box for row in self._shown())

    def show_record(self, record: TensorRecord) -> None:
        """Show the first plane of another tensor."""
        self._record = record
        dimensions = len(record.kept_shape) if record.kept_bytes else 0
        self.cut = first_cut(dimensions)
        if self.axes is not None:
            self.axes.show_shape(record.shape if dimensions else (), self.cut)
        self._show_rows()

    def go_to(self, cut: PlaneCut) -> None:
        """Show another plane."""
        if cut == self.cut:
            return
        self.cut = cut
        if self.axes is not None:
            self.axes.show_cut(cut)
        self._show_rows()
        self.cut_changed.emit(cut)

    def _shown(self) -> list[AxisRow]:
        return self._rows[: len(self.cut.others)]

    def _show_rows(self) -> None:
        others, record = self.cut.others, self._record
        # Rows are reused, because creating widgets at each step would take too long.
        while len(self._rows) < len(others):
            row = AxisRow(self._theme, large=self._large, parent=self)
            row.moved.connect(self._on_row_moved)
            self._line.addWidget(row)
            self._rows.append(row)
        for row, axis in zip(self._rows, others, strict=False):
            if record is not None:
                kept, step = record.kept_shape[axis], record.kept_steps[axis]
                # Only a change by the user must select another plane.
                with QSignalBlocker(row):
                    row.show_axis(axis, record.shape[axis], step, kept, self.cut.at[axis])
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(others))
        self.setVisible(bool(others) or (self.axes is not None and self.axes.has_choice))

    def _on_row_moved(self) -> None:
        at = list(self.cut.at)
        for row, axis in zip(self._rows, self.cut.others, strict=False):
            at[axis] = row.position
        self.cut = replace(self.cut, at=tuple(at))
        self.cut_changed.emit(self.cut)

    def _on_axes_axes_changed(self, axes: tuple[int | None, int | None]) -> None:
        self.go_to(replace(self.cut, rows=axes[0], columns=axes[1]))
