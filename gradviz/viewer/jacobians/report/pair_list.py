"""The list of the report's pairs of output and input, each with its verdict."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.diagnosis_titles import title_of
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

_MOST_ROWS = 5
"""Maximum number of rows shown without scrolling."""


class PairList(QListWidget):
    """One entry for each pair.

    Signals:
        pair_chosen: Index of the pair among the report's blocks.
    """

    pair_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._blocks: tuple[JacobianBlock, ...] = ()
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSpacing(1)
        self.setAccessibleName(self.tr("Pairs of output and input"))
        self.currentRowChanged.connect(self._on_row_changed)
        self.set_theme(theme)

    def show_report(self, report: JacobianReport) -> None:
        """List the pairs of another report, and select the most informative one."""
        # Filling the list changes the current row; only the final choice is reported.
        self.blockSignals(True)
        self.clear()
        self._blocks = report.blocks
        for block in report.blocks:
            text = f"{check_text.pair_name(block)}\n{check_text.block_short(block)}"
            found = [title_of(each.code) for each in report.diagnoses_of(block)]
            if found:
                text = f"{text} · {found[0]}"
            item = QListWidgetItem(text)
            item.setToolTip(plain_tooltip(text))
            self.addItem(item)
        for block in report.unfinished:
            item = QListWidgetItem(
                f"{check_text.pair_name(block)}\n{check_text.unfinished_short()}"
            )
            item.setToolTip(plain_tooltip(item.text()))
            self.addItem(item)
        self._show_signs()
        self._fit()
        self.blockSignals(False)
        if report.blocks:
            self.setCurrentRow(most_telling_pair(report))
        elif report.unfinished:
            self.setCurrentRow(0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.setFont(theme.font())
        self.setIconSize(QSize(theme.px(16), theme.px(16)))
        self._show_signs()
        self._fit()

    def _fit(self) -> None:
        """Set the height to the number of rows, up to a limit."""
        rows = max(1, min(self.count(), _MOST_ROWS))
        row = 2 * QFontMetrics(self.font()).height() + self._theme.px(5)
        self.setFixedHeight(rows * row + self._theme.px(6))

    def _show_signs(self) -> None:
        for row, block in enumerate(self._blocks):
            sign = icon("error", self._theme, "error")
            if not block.wrong:
                sign = icon("check", self._theme, "ok")
            self.item(row).setIcon(sign)
        for row in range(len(self._blocks), self.count()):
            self.item(row).setIcon(icon("warning", self._theme, "warning"))

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
