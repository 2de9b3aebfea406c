"""The maps of one pair, or why there are none."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

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
from gradviz.viewer.jacobians.code_passage import CodePassage, PassageView
from gradviz.viewer.jacobians.map.jacobian_view import JacobianView
from gradviz.viewer.jacobians.partial_maps import PartialMapView, PartialPair, partial_pairs
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_AT_ONCE = 100_000
"""Maximum number of elements of a matrix that is prepared without a background job."""

_LANE = "jacobian"
"""Lane of the background, in which a new job replaces an earlier one."""

OnMatricesLoaded = Callable[[PairMatrices | None], None]
"""Callback with the matrices; None if they were not kept or cannot be read."""


class MatrixLoader:
    """Prepares the most recently requested matrices.

    Args:
        state: Holds the trace.
        background: Runs jobs for large matrices; if None, these block as well.
    """

    def __init__(self, state: ViewerState, background: Background | None) -> None:
        self._state = state
        self._background = background

    def load(
        self,
        report: JacobianReport,
        block: JacobianBlock,
        choice: MatrixChoice,
        done: OnMatricesLoaded,
        before: PairMatrices | None = None,
    ) -> bool:
        """Load the chosen matrices of a pair.

        Args:
            report: Report with the pair.
            block: The pair.
            choice: Which matrices.
            done: Called with the matrices, immediately or later.
            before: Matrices of the same pair that are shown; those still needed are not read again.

        Returns:
            Whether `done` was called immediately.
        """
        self.cancel()
        read = self._state.value
        if self._background is not None and block.count > MOST_AT_ONCE:
            if self._state.reader is None:
                done(None)
                return True
            # A thread must not use the state's cache, which belongs to the GUI thread.
            read = self._state.reader.value
        work = partial(_prepared, partial(read_matrices, report, block, read, choice), before)
        if self._background is None or block.count <= MOST_AT_ONCE:
            done(work(choice))
            return True

        def prepare(job: BackgroundJob) -> PairMatrices | None:
            return work(choice)

        self._background.start(
            prepare, done, lambda _: done(None), lane=_LANE, expected=(TraceError,)
        )
        return False

    def cancel(self) -> None:
        """Cancel the running job."""
        if self._background is not None:
            self._background.cancel(_LANE)


def _prepared(
    read: Callable[[], PairMatrices | None], before: PairMatrices | None, choice: MatrixChoice
) -> PairMatrices | None:
    found = None if before is None else choose_matrices(before, choice)
    return read() if found is None else found


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
        self._state = state
        self._loader = MatrixLoader(state, background)
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
        self.update_theme()

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
        before = None if self.view is None else self.view.matrices
        done = self._loader.load(report, block, self.choice, self._show_matrices, before)
        if not done and self.view is None:
            text = self.tr("Preparing {count} elements…")
            self.show_text(text.format(count=format_count(block.count)))

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

    def choose(self, choice: MatrixChoice) -> None:
        """Show other matrices of the pair."""
        self.choice = choice
        if self.view is not None and self._report is not None:
            self.show_pair(self._report, self.view.matrices.block)

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
        self._loader.cancel()
        self.growing.hide()
        if self.view is not None:
            # The next pair keeps the choice, of which the view changes the zeros itself.
            self.choice = self.view.matrices.choice
            self._row.removeWidget(self.view)
            self.view.hide()
            self.view.deleteLater()
            self.view = None

    def update_theme(self) -> None:
        """Repaint in another theme."""

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
