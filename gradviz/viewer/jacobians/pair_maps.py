"""The maps of one pair, or why there are none."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.drawing.cells.pair_matrices import (
    MatrixChoice,
    PairMatrices,
    choose_matrices,
    read_matrices,
)
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.map.jacobian_view import JacobianView
from gradviz.viewer.jacobians.partial_maps import PartialMapView, PartialPair, partial_pairs
from gradviz.viewer.jacobians.pictures import CodePassage, PassageView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_AT_ONCE = 100_000
"""Maximum number of elements of a matrix that is prepared without a background job."""

_LANE = "jacobian"
"""Lane of the background, in which a new job replaces an earlier one."""


class PairMaps(QWidget):
    """Shows three maps, maps that are still growing, or a text with the code it is about.

    Args:
        state: The state shared by all panels.
        background: Runs jobs for large matrices; if None, these block.

    Signals:
        matrices_changed: The `PairMatrices` about to be shown.
        cell_changed: Row and column under the cursor, or None.
    """

    matrices_changed = Signal(object)
    cell_changed = Signal(object)

    def __init__(self, state: ViewerState, background: Background | None = None) -> None:
        super().__init__()
        self._state, self._background = state, background
        self._report: JacobianReport | None = None
        self.choice = MatrixChoice()
        self.view: JacobianView | None = None
        self.growing = PartialMapView(state.theme)
        self.growing.hide()
        self._text = PlainLabel(pixels=UI_PIXELS + 1, muted=True)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.code = PassageView(state)
        self.code.hide()
        self._hint = QWidget()
        lay_out(QVBoxLayout(self._hint), 1, self._text, self.code, 2, gap=12)
        self._row = lay_out(QHBoxLayout(self), (self._hint, 1), (self.growing, 1))

    @property
    def hint(self) -> str:
        """Text shown instead of maps; empty if there are maps."""
        return "" if self._hint.isHidden() else self._text.text()

    def show_text(self, text: str, passage: CodePassage | None = None) -> None:
        """Show a text in front of everything else, with the code that it is about."""
        self._text.setText(text)
        self.code.show_passage(passage)
        self._hint.show()

    def show_pair(self, report: JacobianReport, block: JacobianBlock) -> None:
        """Show the maps of a pair of a report, as soon as they are loaded."""
        self._report = report
        self._cancel()
        before = None if self.view is None else self.view.matrices
        choice, background = self.choice, self._background
        is_large = background is not None and block.count > MOST_AT_ONCE
        # A thread must not use the state's cache, which belongs to the GUI thread.
        reader = self._state.reader if is_large else self._state
        if reader is None:
            self._show_matrices(None)
            return

        def prepare(_: BackgroundJob | None) -> PairMatrices | None:
            # Of the same pair, those that are shown are not read again.
            found = None if before is None else choose_matrices(before, choice)
            return found or read_matrices(report, block, reader.value, choice)

        if background is None or not is_large:
            self._show_matrices(prepare(None))
            return
        if self.view is None:
            text = self.tr("Preparing {count} elements…")
            self.show_text(text.format(count=format_count(block.count)))
        background.start(
            prepare,
            self._show_matrices,
            lambda _: self._show_matrices(None),
            lane=_LANE,
            expected=(TraceError,),
        )

    def _cancel(self) -> None:
        if self._background is not None:
            self._background.cancel(_LANE)

    def show_unfinished(self, block: JacobianBlock) -> None:
        """Show what was computed of a pair before the check was canceled."""
        read = {each: self._state.value(each) for each in (block.numerical, block.analytical)}
        values = {number: value for number, value in read.items() if value is not None}
        self.show_growing(partial_pairs((block,), values), check_text.unfinished_text())

    def show_growing(self, pairs: tuple[PartialPair, ...], text: str) -> None:
        """Show the finished parts of unfinished pairs, with a text."""
        self._hint.hide()
        self.growing.show_pairs(pairs, text)
        self.growing.show()

    def show_caption(self, text: str) -> None:
        """Show another text in place of the maps, or above those that are growing."""
        self._text.setText(text)
        self.growing.show_caption(text)

    def choose(self, choice: MatrixChoice) -> None:
        """Show other matrices of the pair."""
        self.choice = choice
        if self.view is not None and self._report is not None:
            self.show_pair(self._report, self.view.matrices.block)

    def request_cell(self, cell: tuple[int, int]) -> None:
        """Pin an element, if there are maps."""
        if self.view is not None:
            self.view.request_cell(cell)

    def hide_maps(self) -> None:
        """Show a text instead of the maps, which contain the answer."""
        if self.view is not None:
            self.view.hide()
        self.growing.hide()
        self.show_text(self.tr("Hidden until the gradient of this step is revealed."))

    def reveal_maps(self) -> bool:
        """Show hidden maps again, and return whether there are any."""
        if self.view is None:
            return False
        self.view.show()
        self._hint.hide()
        return True

    def clear(self) -> None:
        """Remove the maps."""
        # A running job must not deliver the matrices of the old pair into the next view.
        self._cancel()
        self.growing.hide()
        if self.view is not None:
            # The next pair keeps the choice, of which the view changes the zeros itself.
            self.choice = self.view.matrices.choice
            self._row.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
            self.view = None

    def _show_matrices(self, matrices: PairMatrices | None) -> None:
        if matrices is None or self._report is None:
            self.clear()
            self.show_text(self.tr("The trace does not contain the matrices of this pair."))
            return
        self.matrices_changed.emit(matrices)
        if self.view is not None:
            self.view.show_matrices(matrices)
            return
        view = self.view = JacobianView(self._report, matrices, self._state.theme)
        view.cell_changed.connect(self.cell_changed)
        view.choice_changed.connect(self.choose)
        self._hint.hide()
        self._row.addWidget(view, 1)
        self.cell_changed.emit(view.cursor_cell)
        if self._state.revealed.hides_answer:
            self.hide_maps()
