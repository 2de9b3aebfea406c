"""The pane beside the maps: element under the cursor, worst elements, and further pages."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gradviz.model.jacobian import JacobianReport
from gradviz.viewer.jacobians.element_card import ElementCard
from gradviz.viewer.jacobians.matrices import Matrices
from gradviz.viewer.jacobians.worst_list import WorstList
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.segment_switch import SegmentSwitch


class SidePane(QWidget):
    """A switch and its pages, of which one is visible.

    Args:
        theme: Colors and fonts.
        first: A page before the others, with its name and its tooltip.
        parent: The Qt parent.

    Signals:
        cell_sought: Row and column of the element that the user chose from the list.
        line_sought: The `Location` of a source line that the user asks for.
    """

    cell_sought = Signal(object)
    line_sought = Signal(object)

    def __init__(
        self,
        theme: Theme,
        first: tuple[QWidget, str, str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._element = ElementCard(theme)
        self._worst = WorstList(theme)
        self._pages = QStackedWidget()
        titles = [
            (self.tr("Element"), self.tr("How both values of this element were computed")),
            (
                self.tr("Worst"),
                self.tr("The elements with the largest errors relative to the tolerance"),
            ),
        ]
        if first is not None:
            self._pages.addWidget(first[0])
            titles.insert(0, first[1:])
        for page in (self._element, self._worst):
            self._pages.addWidget(page)
        self._switch = SegmentSwitch(theme, self.tr("Page beside the maps"), titles)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._switch)
        column.addWidget(self._pages, 1)
        self._switch.segment_chosen.connect(self._on_switch_segment_chosen)
        self._worst.cell_sought.connect(self.cell_sought)
        self._element.line_sought.connect(self.line_sought)

    @property
    def switch(self) -> SegmentSwitch:
        """Switch between the pages."""
        return self._switch

    @property
    def element(self) -> ElementCard:
        """Page on the element under the cursor."""
        return self._element

    @property
    def worst(self) -> WorstList:
        """Page with the worst elements."""
        return self._worst

    @property
    def page(self) -> QWidget | None:
        """Visible page."""
        return self._pages.currentWidget()

    def show_page(self, page: QWidget) -> None:
        """Show a page."""
        self._pages.setCurrentWidget(page)
        self._switch.segment(self._pages.indexOf(page)).setChecked(True)

    def show_matrices(self, matrices: Matrices | None) -> None:
        """List the worst elements of other matrices."""
        self._worst.show_matrices(matrices)

    def show_element(
        self,
        report: JacobianReport,
        matrices: Matrices,
        cell: tuple[int, int] | None,
        *,
        pinned: bool,
    ) -> None:
        """Explain another element."""
        self._element.show_element(report, matrices, cell)
        self._element.show_pinned(pinned)
        self._worst.mark(cell)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        for part in (self._switch, self._element, self._worst):
            part.set_theme(theme)

    @Slot(object)
    def _on_switch_segment_chosen(self, place: int) -> None:
        self._pages.setCurrentIndex(place)

    def sizeHint(self) -> QSize:
        """Small, because the pages scroll on their own and the panel should not."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())
