"""Chooses which two dimensions of a tensor are the rows and the columns of its picture."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QComboBox, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.tensor_view.plane import Cut
from gradviz.viewer.widgets.calm_wheel import CalmWheel
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.plain_text import PlainLabel


class AxisChoice(QWidget):
    """Two lists of dimensions; choosing the one that the other list has swaps the two.

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
        names = (self.tr("Dimension of the rows"), self.tr("Dimension of the columns"))
        for label, box, name in zip(self._labels, self._boxes, names, strict=True):
            label.show_short(label.text(), 120)
            CalmWheel(box)
            box.setAccessibleName(name)
            box.setToolTip(self.tr("{name} of the picture (Up, Down)").format(name=name))
            row.addWidget(label)
            row.addWidget(box)
            box.activated.connect(self._on_box_activated)
        self.set_theme(theme)

    @property
    def is_of_use(self) -> bool:
        """Whether there is more than one way to lay two dimensions out."""
        return self._boxes[0].count() >= 2

    @property
    def boxes(self) -> tuple[QComboBox, QComboBox]:
        """The lists for the rows and for the columns."""
        return self._boxes

    def show_shape(self, shape: tuple[int, ...], cut: Cut) -> None:
        """Offers the dimensions of another tensor."""
        for box in self._boxes:
            box.clear()
            for axis, size in enumerate(shape):
                box.addItem(self.tr("dim {axis} · size {size}").format(axis=axis, size=size), axis)
        self.setVisible(self.is_of_use)
        self.show_cut(cut)

    def show_cut(self, cut: Cut) -> None:
        """Shows which dimensions are chosen."""
        self._axes = cut.rows, cut.columns
        for box, axis in zip(self._boxes, self._axes, strict=True):
            if axis is not None:
                box.setCurrentIndex(axis)

    def set_theme(self, theme: Theme) -> None:
        """Takes the size of the theme's type."""
        for label, box in zip(self._labels, self._boxes, strict=True):
            label.set_theme(theme)
            box.setFont(theme.font(SMALL_PIXELS))

    @Slot(int)
    def _on_box_activated(self, place: int) -> None:
        rows, columns = (box.currentData() for box in self._boxes)
        if rows == columns:
            # The list that was not touched gets what the other one had.
            rows, columns = self._axes[1], self._axes[0]
        if (rows, columns) != self._axes:
            self._axes = rows, columns
            self.axes_changed.emit(self._axes)
