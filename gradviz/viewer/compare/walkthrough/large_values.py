"""One value of both runs and its difference, in cells as large as the space allows."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.viewer.compare.value_pairs import PairedValue, SideValue, difference_side
from gradviz.viewer.presenter.presenter_tensor import PresenterTensor
from gradviz.viewer.presenter.value_layout import CELLS, PartLook
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.scale_bar import ScaleBar

_SIZES = (44, 40, 36, 33, 30, 26, 23, *CELLS)
"""Font sizes of the numbers, from the preferred one, before the theme's scale factor."""


class LargeValues(QWidget):
    """Shows left, right and difference side by side, on one color scale."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pair: PairedValue | None = None
        self._largest: tuple[int, ...] | None = None
        self.tensors: tuple[PresenterTensor, ...] = ()
        self.scale = ScaleBar(theme, self)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self.setAccessibleName(self.tr("Value in both runs"))

    def show_pair(self, pair: PairedValue | None, largest: tuple[int, ...] | None = None) -> None:
        """Show another value.

        Args:
            pair: The value; None hides this widget.
            largest: Index of the element that differs most, which gets a frame; None for none.
        """
        self._pair, self._largest = pair, largest
        self.setVisible(pair is not None)
        for each in self.tensors:
            each.setParent(None)
            each.deleteLater()
        self.tensors = ()
        if pair is not None:
            self.scale.set_limit(pair.limit)
            sides = [
                (self.tr("{0}, left").format(pair.name), pair.left),
                (self.tr("{0}, right").format(pair.name), pair.right),
            ]
            change = difference_side(pair)
            if change is not None:
                sides.append((self.tr("right − left"), change))
            self.tensors = tuple(self._tensor(name, side, pair.limit) for name, side in sides)
        self._place()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self.show_pair(self._pair, self._largest)

    def _tensor(self, name: str, side: SideValue, limit: float) -> PresenterTensor:
        shown = PresenterTensor(name, self._theme, self)
        if side.record is None:
            shown.show_text(side.text)
        else:
            shown.show_tensor(side.record, side.value, side.record.dtype, limit=limit)
            # A frame around the only element says nothing.
            if self._largest and side.value is not None:
                shown.frame_elements([ElementMark(tensor=side.record.id, element=self._largest)])
        shown.show()
        return shown

    def _place(self) -> None:
        """Give all tensors the same font size, and show the scale of cells without numbers."""
        if not self.tensors:
            return
        gap = self._theme.px(16)
        most = QSize((self.width() - 2 * gap) // 3, self.height())
        self._choose_font(most)
        is_colored = any(each.is_only_colored for each in self.tensors)
        self.scale.setVisible(is_colored)
        if is_colored:
            high = self.scale.sizeHint().height()
            self.scale.setGeometry(0, self.height() - high, self.width(), high)
            most.setHeight(max(1, most.height() - high))
            self._choose_font(most)
        left = 0
        for each in self.tensors:
            each.setGeometry(left, 0, most.width(), min(each.sizeHint().height(), most.height()))
            left += most.width() + gap

    def _choose_font(self, most: QSize) -> None:
        """Choose the largest font with which the tensors fit into a space."""
        for cell in _SIZES:
            for each in self.tensors:
                each.set_look(PartLook(cell=cell, most=most))
            heights = [each.sizeHint().height() for each in self.tensors]
            if max(heights) <= most.height() and all(each.has_numbers for each in self.tensors):
                break

    def resizeEvent(self, event: object) -> None:
        """Fit the tensors to the new size."""
        self._place()
