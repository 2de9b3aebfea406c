"""Chooses which plane of a tensor with more than two dimensions is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSpinBox, QWidget

from gradviz.model.tensor import TensorRecord
from gradviz.viewer.flow_layout import FlowLayout

_PLANE = 2


class IndexBox(QSpinBox):
    """The index in one leading dimension, in steps of the kept ones.

    Args:
        axis: Which dimension.
        size: Length of that dimension in the whole tensor.
        step: Distance of the kept indices.
        kept: How many of them were kept.
        parent: The widget around it.
    """

    def __init__(self, axis: int, size: int, step: int, kept: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._step = step
        self.setPrefix(self.tr("dim {axis}: ").format(axis=axis))
        self.setSuffix(self.tr(" of {size}").format(size=size))
        self.setRange(0, max(0, (kept - 1) * step))
        self.setSingleStep(step)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(self.tr("Index in dimension {axis}").format(axis=axis))
        self.setToolTip(self.tr("Which part of dimension {axis} is shown").format(axis=axis))

    @property
    def position(self) -> int:
        """Position among the kept indices."""
        return self.value() // self._step

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls only where it has the focus."""
        # Scrolling a panel must not change what happens to pass under the mouse.
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class Slicer(QWidget):
    """One `IndexBox` for each dimension but the last two; empty for fewer.

    Signals:
        leading_changed: The tuple of positions among the kept indices.
    """

    leading_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._boxes: list[IndexBox] = []
        self._row = FlowLayout(self)
        self.hide()

    @property
    def boxes(self) -> tuple[IndexBox, ...]:
        """One for each leading dimension."""
        return tuple(self._boxes)

    @property
    def leading(self) -> tuple[int, ...]:
        """Positions among the kept indices, one for each leading dimension."""
        return tuple(box.position for box in self._boxes)

    def show_record(self, record: TensorRecord) -> None:
        """Begins at the first plane of another tensor."""
        for box in self._boxes:
            self._row.removeWidget(box)
            box.deleteLater()
        leading = max(0, len(record.kept_shape) - _PLANE)
        self._boxes = []
        for axis in range(leading if record.kept_bytes else 0):
            size, step, kept = record.shape[axis], record.kept_steps[axis], record.kept_shape[axis]
            box = IndexBox(axis, size, step, kept, self)
            box.valueChanged.connect(self._on_box_changed)
            self._row.addWidget(box)
            self._boxes.append(box)
        self.setVisible(bool(self._boxes))

    def go_to(self, leading: tuple[int, ...]) -> None:
        """Shows another plane, given as positions among the kept indices."""
        for box, position in zip(self._boxes, leading, strict=True):
            box.setValue(position * box.singleStep())

    @Slot(int)
    def _on_box_changed(self, value: int) -> None:
        self.leading_changed.emit(self.leading)
