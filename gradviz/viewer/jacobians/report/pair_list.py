"""The list of the report's pairs of output and input, each with its verdict."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QWidget

from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.diagnosis_titles import title_of
from gradviz.viewer.theme.dress import wear
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.row_list import RowList
from gradviz.viewer.widgets.row_model import Cell

_MOST_ROWS = 5
"""Maximum number of rows shown without scrolling."""


class PairList(RowList):
    """One entry for each pair.

    Signals:
        pair_chosen: Index of the pair among the report's blocks.
    """

    pair_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._report: JacobianReport | None = None
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(1)
        self.setAccessibleName(self.tr("Pairs of output and input"))
        self.row_changed.connect(self._on_row_changed)
        wear(self, theme)
        self.dress()

    def show_report(self, report: JacobianReport) -> None:
        """List the pairs of another report, and select the most informative one."""
        self._report = report
        self.show_rows(self._made_rows())
        self._fit()
        if report.blocks:
            self.go_to(most_telling_pair(report))
        elif report.unfinished:
            self.go_to(0)

    def dress(self) -> None:
        """Repaint in another theme."""
        self.setIconSize(QSize(self._theme.px(16), self._theme.px(16)))
        self.update_rows(self._made_rows())
        self._fit()

    def _fit(self) -> None:
        """Set the height to the number of rows, up to a limit."""
        rows = max(1, min(len(self.rows), _MOST_ROWS))
        row = 2 * QFontMetrics(self.font()).height() + self._theme.px(5)
        self.setFixedHeight(rows * row + self._theme.px(6))

    def _made_rows(self) -> Iterator[Cell]:
        report = self._report
        if report is None:
            return
        for block in report.blocks:
            text = f"{check_text.pair_name(block)}\n{check_text.block_short(block)}"
            found = [title_of(each.code) for each in report.diagnoses_of(block)]
            if found:
                text = f"{text} · {found[0]}"
            sign = icon("error", self._theme, "error")
            if not block.wrong:
                sign = icon("check", self._theme, "ok")
            yield Cell(text=text, tip=text, sign=sign)
        for pair in report.unfinished:
            text = f"{check_text.pair_name(pair)}\n{check_text.unfinished_short()}"
            yield Cell(text=text, tip=text, sign=icon("warning", self._theme, "warning"))

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        if row >= 0:
            self.pair_chosen.emit(row)


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
