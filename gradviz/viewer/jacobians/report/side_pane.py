"""The pane beside the maps: element under the cursor, worst elements, and further pages."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gradviz.document.document import Document, Field, Row
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.commands.context_menu import copy_text
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.jacobians.report.element_card import ElementCard
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

Cell = tuple[int, int]
"""Row and column of an element."""


class WorstList(RowsView):
    """One entry for each of the worst elements; Ctrl+C copies all of them.

    Signals:
        cell_requested: Row and column of the element that the user chose.
    """

    cell_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, wraps=True, parent=parent)
        self._matrices: PairMatrices | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(
            self.tr("Elements with the largest errors relative to the tolerance")
        )
        self.setToolTip(self.tr("Press Ctrl+C to copy the list with all digits"))
        self.current_changed.connect(self._request_element)
        # A click on the current row changes no row, but must still go to the element.
        self.chosen.connect(self._request_element)

    def show_matrices(self, matrices: PairMatrices | None) -> None:
        """List the worst elements of other matrices."""
        self._matrices = matrices
        worst = () if matrices is None else matrices.worst_elements
        lines = [element_text.bad_line(matrices, bad) for bad in worst if matrices is not None]
        icons = ["error" if bad.excess > 1 else "check" for bad in worst]
        rows = {
            (bad.row, bad.column): Row(fields=(Field(text=line, icon=name),))
            for bad, line, name in zip(worst, lines, icons, strict=True)
        }
        with QSignalBlocker(self):
            self.go_to(None)
        self.show_document(Document(keys=tuple(rows), row=lambda key: rows[cast("Cell", key)]))

    def mark(self, cell: Cell | None) -> None:
        """Select the entry of an element, or none."""
        # The mark follows the cursor, so it must not request to move it.
        with QSignalBlocker(self):
            self.go_to(cell)

    def copy_row(self) -> None:
        """Copy the list as a tab-separated table."""
        if self._matrices is not None:
            copy_text(element_text.bad_table(self._matrices))

    @Slot(object)
    def _request_element(self, cell: Cell | None) -> None:
        if cell is not None:
            self.cell_requested.emit(cell)


class SidePane(QWidget):
    """A switch and its pages, of which one is visible.

    Args:
        theme: Colors and fonts.
        first: A page before the others, with its name and its tooltip.
        parent: The Qt parent.

    Signals:
        cell_requested: Row and column of the element that the user chose from the list.
        line_requested: The `Location` of a source line that the user asks for.
    """

    cell_requested = Signal(object)
    line_requested = Signal(object)

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
        self._worst.cell_requested.connect(self.cell_requested)
        self._element.line_requested.connect(self.line_requested)

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

    def show_matrices(self, matrices: PairMatrices | None) -> None:
        """List the worst elements of other matrices."""
        self._worst.show_matrices(matrices)

    def show_element(
        self,
        report: JacobianReport,
        matrices: PairMatrices,
        cell: tuple[int, int] | None,
        *,
        pinned: bool,
    ) -> None:
        """Explain another element."""
        self._element.show_element(report, matrices, cell)
        self._element.show_pinned(pinned)
        self._worst.mark(cell)

    @Slot(object)
    def _on_switch_segment_chosen(self, place: int) -> None:
        self._pages.setCurrentIndex(place)

    def sizeHint(self) -> QSize:
        """Small, because the pages scroll on their own and the panel should not."""
        return QSize(super().sizeHint().width(), self.minimumSizeHint().height())
