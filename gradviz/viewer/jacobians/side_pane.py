"""Beside the maps: what is known of the element under the cursor, and the worst elements."""

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
    """Pages of which one is seen.

    Args:
        theme: Colours and type.
        first: A page that stands before the others, with its name and its tooltip.
        parent: The widget around it.

    Signals:
        cell_sought: Row and column of an element that was chosen from the list.
        line_sought: The `Location` of a line that somebody wants to see.
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
            (self.tr("Element"), self.tr("What was done for this element, and what came of it")),
            (self.tr("Worst"), self.tr("The elements that are furthest from the tolerance")),
        ]
        if first is not None:
            self._pages.addWidget(first[0])
            titles.insert(0, first[1:])
        for page in (self._element, self._worst):
            self._pages.addWidget(page)
        self._switch = SegmentSwitch(theme, self.tr("What stands beside the maps"), titles)
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
        """Chooses the page."""
        return self._switch

    @property
    def element(self) -> ElementCard:
        """The element under the cursor."""
        return self._element

    @property
    def worst(self) -> WorstList:
        """The worst elements."""
        return self._worst

    @property
    def page(self) -> QWidget | None:
        """Which one is seen."""
        return self._pages.currentWidget()

    def show_page(self, page: QWidget) -> None:
        """Shows one of the pages."""
        self._pages.setCurrentWidget(page)
        self._switch.segment(self._pages.indexOf(page)).setChecked(True)

    def show_matrices(self, matrices: Matrices | None) -> None:
        """Lists the worst of other matrices."""
        self._worst.show_matrices(matrices)

    def show_element(
        self,
        report: JacobianReport,
        matrices: Matrices,
        cell: tuple[int, int] | None,
        *,
        pinned: bool,
    ) -> None:
        """Explains another element."""
        self._element.show_element(report, matrices, cell)
        self._element.show_pinned(pinned)
        self._worst.mark(cell)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for part in (self._switch, self._element, self._worst):
            part.set_theme(theme)

    @Slot(object)
    def _on_switch_segment_chosen(self, place: int) -> None:
        self._pages.setCurrentIndex(place)

    def sizeHint(self) -> QSize:
        """Low: its pages scroll, and must not make the whole panel scroll."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())
