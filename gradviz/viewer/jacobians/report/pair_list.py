"""The list of the report's pairs of output and input, each with its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.document.document import Field, Row, document_of
from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.diagnosis_titles import title_of
from gradviz.viewer.rows.rows_delegate import ROW_PIXELS
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import Theme

_MOST_ROWS = 3
"""Maximum number of rows shown without scrolling."""


class PairList(RowsView):
    """One entry for each pair.

    Signals:
        pair_chosen: Index of the pair among the report's blocks.
    """

    pair_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent=parent)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Pairs of output and input"))
        self.current_changed.connect(self._on_self_current_changed)

    def show_report(self, report: JacobianReport) -> None:
        """List the pairs of another report, and select the most informative one."""
        rows = list(_rows_of(report))
        self.go_to(None)
        self.show_document(document_of(("",), rows))
        self._fit_height()
        if report.blocks:
            self.go_to(most_telling_pair(report))
        elif report.unfinished:
            self.go_to(0)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        super().update_theme()
        self._fit_height()

    def _fit_height(self) -> None:
        """Set the height to the number of rows, up to a limit."""
        rows = max(1, min(self.rows.rowCount(), _MOST_ROWS))
        self.setFixedHeight(rows * self._theme.px(ROW_PIXELS) + 6)

    @Slot(object)
    def _on_self_current_changed(self, key: object) -> None:
        if key is not None:
            self.pair_chosen.emit(key)


def _rows_of(report: JacobianReport) -> Iterator[Row]:
    for block in report.blocks:
        text = check_text.block_short(block)
        found = [title_of(each.code) for each in report.diagnoses_of(block)]
        if found:
            text = f"{text} · {found[0]}"
        name = Field(text=check_text.pair_name(block), icon="error" if block.wrong else "check")
        yield Row(fields=(name, Field(text=text)))
    for pair in report.unfinished:
        name = Field(text=check_text.pair_name(pair), icon="warning")
        yield Row(fields=(name, Field(text=check_text.unfinished_short())))


def most_telling_pair(report: JacobianReport) -> int:
    """Index of the block of the first diagnosis of a fault; else the worst block."""
    for each in report.diagnoses:
        for at, block in enumerate(report.blocks):
            place = (block.output, block.input, block.part)
            if not each.is_harmless and (each.output, each.input, each.part) == place:
                return at
    return worst_pair(report)


def worst_pair(report: JacobianReport) -> int:
    """Index of the block whose worst element has the largest error."""
    excesses = [block.worst.excess if block.worst else -1.0 for block in report.blocks]
    return max(range(len(excesses)), key=excesses.__getitem__)
