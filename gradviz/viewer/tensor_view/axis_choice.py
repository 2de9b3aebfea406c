"""The controls that choose which two dimensions are the rows and columns of the heatmap."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.plane import Cut
from gradviz.viewer.widgets.calm_wheel import CalmWheel
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel


class AxisChoice(QWidget):
    """Two combo boxes of dimensions; choosing the other box's dimension swaps the two.

    Signals:
        axes_changed: The dimensions of the rows and of the columns.
    """

    axes_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = (PlainLabel(self.tr("rows"), muted=True), PlainLabel(muted=True))
        self._labels[1].setText(self.tr("columns"))
        self._boxes = (QComboBox(self), QComboBox(self))
        self._axes: tuple[int | None, int | None] = (None, None)
        row = FlowLayout(self)
        names = (self.tr("Row dimension"), self.tr("Column dimension"))
        for label, box, name in zip(self._labels, self._boxes, names, strict=True):
            label.show_short(label.text(), 120)
            CalmWheel(box)
            box.setAccessibleName(name)
            box.setToolTip(self.tr("{name} of the heatmap (Up, Down)").format(name=name))
            row.addWidget(label)
            row.addWidget(box)
            box.activated.connect(self._on_box_activated)
        self.set_theme(theme)

    @property
    def is_of_use(self) -> bool:
        """Whether the tensor has more than one way to choose two dimensions."""
        return self._boxes[0].count() >= 2

    @property
    def boxes(self) -> tuple[QComboBox, QComboBox]:
        """The combo boxes for the row dimension and the column dimension."""
        return self._boxes

    def show_shape(self, shape: tuple[int, ...], cut: Cut) -> None:
        """Offer the dimensions of another tensor."""
        for box in self._boxes:
            box.clear()
            for axis, size in enumerate(shape):
                box.addItem(self.tr("dim {axis} · size {size}").format(axis=axis, size=size), axis)
        self.setVisible(self.is_of_use)
        self.show_cut(cut)

    def show_cut(self, cut: Cut) -> None:
        """Select the dimensions of a cut."""
        self._axes = cut.rows, cut.columns
        for box, axis in zip(self._boxes, self._axes, strict=True):
            if axis is not None:
                box.setCurrentIndex(axis)

    def set_theme(self, theme: Theme) -> None:
        """Apply the theme's font size."""
        for label, box in zip(self._labels, self._boxes, strict=True):
            label.set_theme(theme)
            box.setFont(theme.font(SMALL_PIXELS))

    @Slot(int)
    def _on_box_activated(self, place: int) -> None:
        rows, columns = (box.currentData() for box in self._boxes)
        if rows == columns:
            # The other list gets the dimension that this one had.
            rows, columns = self._axes[1], self._axes[0]
        if (rows, columns) != self._axes:
            self._axes = rows, columns
            self.axes_changed.emit(self._axes)
