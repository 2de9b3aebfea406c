"""The controls that choose the plane of a tensor with more than two dimensions."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QSlider, QSpinBox, QVBoxLayout, QWidget

from gradviz.model.tensor import TensorRecord
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.axis_choice import AxisChoice
from gradviz.viewer.tensor_view.plane import Cut, first_cut
from gradviz.viewer.widgets.calm_wheel import CalmWheel
from gradviz.viewer.widgets.flow_layout import FlowLayout


class IndexBox(QSpinBox):
    """A spin box for the index in one dimension; it steps through the kept indices."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        CalmWheel(self)

    def show_axis(self, axis: int, size: int, step: int, kept: int) -> None:
        """Show the first index of a dimension.

        Args:
            axis: The dimension.
            size: Length of the dimension in the whole tensor.
            step: Distance between kept indices.
            kept: Number of kept indices.
        """
        self.setPrefix(self.tr("dim {axis}: ").format(axis=axis))
        self.setSuffix(self.tr(" of {size}").format(size=size))
        self.setRange(0, max(0, (kept - 1) * step))
        self.setSingleStep(step)
        self.setValue(0)
        self.setAccessibleName(self.tr("Index in dimension {axis}").format(axis=axis))
        self.setToolTip(self.tr("Slice of dimension {axis} to show (Up, Down)").format(axis=axis))

    @property
    def position(self) -> int:
        """Position among the kept indices."""
        return self.value() // self.singleStep()


class AxisRow(QWidget):
    """One sliced dimension: its index as a number and, in the large view, as a slider.

    Signals:
        moved: The index has changed.
    """

    moved = Signal()

    def __init__(self, theme: Theme, *, large: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self.box = IndexBox(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self) if large else None
        row = FlowLayout(self)
        row.addWidget(self.box)
        if self.slider is not None:
            self.slider.setMinimumWidth(theme.px(180))
            row.addWidget(self.slider)
            self.slider.valueChanged.connect(self._on_slider_value_changed)
        self.set_theme(theme)
        self.box.valueChanged.connect(self._on_box_value_changed)

    def show_axis(self, axis: int, size: int, step: int, kept: int) -> None:
        """Show the first index of a dimension; see `IndexBox.show_axis`."""
        self.box.blockSignals(True)
        self.box.show_axis(axis, size, step, kept)
        self.box.blockSignals(False)
        if self.slider is not None:
            self.slider.setRange(0, max(0, kept - 1))
            self.slider.setAccessibleName(self.tr("Slider of dimension {axis}").format(axis=axis))
            self.slider.setToolTip(
                self.tr("Move through dimension {axis} (arrow keys)").format(axis=axis)
            )
            self.slider.setValue(0)

    @property
    def position(self) -> int:
        """Position among the kept indices."""
        return self.box.position

    def go_to(self, position: int) -> None:
        """Show another position among the kept indices."""
        self.box.setValue(position * self.box.singleStep())

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme's font size."""
        self.box.setFont(theme.font(SMALL_PIXELS))

    @Slot(int)
    def _on_box_value_changed(self, value: int) -> None:
        if self.slider is not None:
            self.slider.setValue(self.box.position)
        self.moved.emit()

    @Slot(int)
    def _on_slider_value_changed(self, position: int) -> None:
        if position != self.box.position:
            self.go_to(position)


class Slicer(QWidget):
    """One row per sliced dimension; hidden if there are none.

    Args:
        theme: The font size to draw with.
        large: Whether to add sliders and a choice of the two visible dimensions.
        parent: Parent widget.

    Signals:
        cut_changed: The new `Cut`.
    """

    cut_changed = Signal(object)

    def __init__(self, theme: Theme, *, large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._large = large
        self._record: TensorRecord | None = None
        self._cut = first_cut(0)
        self._rows: list[AxisRow] = []
        self._axes = AxisChoice(theme, self) if large else None
        if self._axes is not None:
            self._axes.axes_changed.connect(self._on_axes_axes_changed)
            column = QVBoxLayout(self)
            column.setContentsMargins(0, 0, 0, 0)
            column.addWidget(self._axes)
            self._line: QVBoxLayout | FlowLayout = column
        else:
            self._line = FlowLayout(self)
        self.hide()

    @property
    def boxes(self) -> tuple[IndexBox, ...]:
        """The spin boxes, one per sliced dimension."""
        return tuple(row.box for row in self._shown())

    @property
    def sliders(self) -> tuple[QSlider, ...]:
        """The sliders, one per sliced dimension; empty unless it is large."""
        return tuple(row.slider for row in self._shown() if row.slider is not None)

    @property
    def axes(self) -> AxisChoice | None:
        """The controls that choose the two visible dimensions; None unless it is large."""
        return self._axes

    @property
    def cut(self) -> Cut:
        """The selected plane."""
        return self._cut

    def show_record(self, record: TensorRecord) -> None:
        """Show the first plane of another tensor."""
        self._record = record
        dimensions = len(record.kept_shape) if record.kept_bytes else 0
        self._cut = first_cut(dimensions)
        if self._axes is not None:
            self._axes.show_shape(record.shape if dimensions else (), self._cut)
        self._show_rows()

    def go_to(self, cut: Cut) -> None:
        """Show another plane."""
        if cut == self._cut:
            return
        self._cut = cut
        if self._axes is not None:
            self._axes.show_cut(cut)
        self._show_rows()
        self.cut_changed.emit(cut)

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme's font size."""
        self._theme = theme
        for row in self._rows:
            row.set_theme(theme)
        if self._axes is not None:
            self._axes.set_theme(theme)

    def _shown(self) -> list[AxisRow]:
        return self._rows[: len(self._cut.others)]

    def _show_rows(self) -> None:
        others, record = self._cut.others, self._record
        while len(self._rows) < len(others):
            row = AxisRow(self._theme, large=self._large, parent=self)
            row.moved.connect(self._on_row_moved)
            self._line.addWidget(row)
            self._rows.append(row)
        for row, axis in zip(self._rows, others, strict=False):
            if record is not None:
                kept, step = record.kept_shape[axis], record.kept_steps[axis]
                row.blockSignals(True)
                row.show_axis(axis, record.shape[axis], step, kept)
                row.go_to(self._cut.at[axis])
                row.blockSignals(False)
        for place, row in enumerate(self._rows):
            row.setVisible(place < len(others))
        self.setVisible(bool(others) or (self._axes is not None and self._axes.is_of_use))

    @Slot()
    def _on_row_moved(self) -> None:
        at = list(self._cut.at)
        for row, axis in zip(self._rows, self._cut.others, strict=False):
            at[axis] = row.position
        self._cut = replace(self._cut, at=tuple(at))
        self.cut_changed.emit(self._cut)

    @Slot(object)
    def _on_axes_axes_changed(self, axes: tuple[int | None, int | None]) -> None:
        self.go_to(replace(self._cut, rows=axes[0], columns=axes[1]))
