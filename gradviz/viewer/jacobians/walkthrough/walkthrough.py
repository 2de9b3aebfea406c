"""Steps through the ideas of a check in Presenter Mode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.background import Background
from gradviz.viewer.jacobians.map.matrix_loader import MatrixLoader
from gradviz.viewer.jacobians.matrix_choice import MatrixChoice, MatrixSource
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.walkthrough import idea_text
from gradviz.viewer.jacobians.walkthrough.code_passage import CodePassage, passage_of
from gradviz.viewer.jacobians.walkthrough.ideas import CheckIdea, ideas_of
from gradviz.viewer.jacobians.walkthrough.walkthrough_view import WalkthroughView
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.walkthrough.idea_page import IdeaPage

MatrixKey = tuple[int, int, str, MatrixSource]
"""Output, input and part of a pair, and the second matrix."""


class CheckWalkthrough(IdeaPage):
    """Explains the latest check one idea at a time; without one, the next click starts it.

    Signals:
        check_wanted: The next click asks for a check.
    """

    check_wanted = Signal()

    def __init__(
        self,
        state: ViewerState,
        background: Background | None = None,
        parent: QWidget | None = None,
    ) -> None:
        self.view = WalkthroughView(state.theme)
        super().__init__(state, self.view, parent)
        self._loader = MatrixLoader(state, background, "walkthrough")
        self._loaded: dict[MatrixKey, PairMatrices | None] = {}
        self._report: JacobianReport | None = None
        self._ideas: tuple[CheckIdea, ...] = ()
        self._is_loading = False
        self._order = 1
        self._hint, self._reason = "", ""
        self._progress: tuple[int, int] | None = None
        self.setAccessibleName(self.tr("Walkthrough of the check"))

    @property
    def idea(self) -> CheckIdea | None:
        """The current idea; None without a check."""
        return self._ideas[self._at] if self._ideas else None

    @property
    def count(self) -> int:
        """Number of ideas; 0 without a check."""
        return len(self._ideas)

    @property
    def is_hidden(self) -> bool:
        """Whether Quiz Mode hides the check."""
        return self._state.revealed.hides_answer and self._report is not None

    @property
    def has_next(self) -> bool:
        """Whether another click shows the next idea, or starts the check."""
        if not self.isVisible() or self._progress is not None:
            return False
        return super().has_next or (self._report is None and not self._reason)

    def show_next(self) -> None:
        """Show the next idea, or request the check."""
        if self._report is None:
            self.check_wanted.emit()
        else:
            super().show_next()

    def show_report(self, report: JacobianReport | None, order: int, hint: str) -> None:
        """Explain another report from its first idea; the same one stays where it is.

        Args:
            report: The report; None if there is none of this order.
            order: 1 for gradcheck, 2 for gradgradcheck.
            hint: What a check would do, shown if there is no report.
        """
        self._order, self._hint = order, hint
        if report != self._report:
            self._loader.cancel()
            self._loaded = {}
            self._report, self._at = report, 0
            self._ideas = () if report is None else ideas_of(report)
        self.refresh()

    def show_progress(self, progress: tuple[int, int] | None) -> None:
        """Show what is done, of how much; None if no check is running."""
        self._progress = progress
        self.refresh()

    def set_reason(self, reason: str) -> None:
        """Set why no check can start; empty if one can."""
        self._reason = reason
        self.refresh()

    def show_current(self) -> PresentedIdea:
        """Show the current idea, and return its headline."""
        shown = PresentedIdea(title=idea_text.check_name(self._order), sentence="")
        idea, report = self.idea, self._report
        if self._progress is not None:
            text = self.tr("The check is running: numerical and analytical Jacobians are computed.")
            self.view.show_message((self._progress_text(*self._progress),), progress=self._progress)
            return replace(shown, sentence=text)
        if self.is_hidden:
            self.view.show_message(())
            text = self.tr("Hidden until the gradient of this step is revealed.")
            return replace(shown, sentence=text)
        if report is None or idea is None:
            first, *rest = (line for line in self._hint.splitlines() if line)
            if not self._reason:
                rest.append(self.tr("The next click starts the check."))
            elif self._reason not in (first, *rest):
                rest.append(self._reason)
            self.view.show_message(tuple(rest))
            return replace(shown, sentence=first)
        self._show_idea(report, idea)
        return PresentedIdea(
            title=idea_text.title(report, idea),
            sentence=idea_text.headline(report, idea),
            at=self._at,
            count=len(self._ideas),
        )

    def _progress_text(self, done: int, total: int) -> str:
        if not done:
            return ""
        if not total:
            return self.tr("{done} evaluations so far").format(done=done)
        text = self.tr("{done} of {total} evaluations")
        return text.format(done=done, total=total)

    def _show_idea(self, report: JacobianReport, idea: CheckIdea) -> None:
        matrices = self._matrices(report, idea, "analytical")
        repaired = None
        if idea.kind == "repair" and matrices is not None:
            repaired = self._matrices(report, idea, "repaired")
        cell = None if matrices is None else _example(matrices)
        sentences = idea_text.sentences(report, idea, matrices, cell)
        passage = self._passage(report, idea, sentences)
        if matrices is None or cell is None:
            self.view.show_message(sentences, passage)
            return
        self.view.show_pair(idea.kind, matrices, _on_scale_of(repaired, matrices), cell)
        self.view.show_explanation(sentences, passage)

    def _passage(
        self, report: JacobianReport, idea: CheckIdea, sentences: tuple[str, ...]
    ) -> CodePassage | None:
        """Code of an idea that is about why something is wrong."""
        index = self._state.index
        about_code = idea.kind in ("diagnosis", "repair", "pair") or idea.block is None
        if index is None or not about_code:
            return None
        repair = None if idea.diagnosis is None else idea.diagnosis.repair
        return passage_of(index, idea, (*sentences, "" if repair is None else repair.message))

    def _matrices(
        self, report: JacobianReport, idea: CheckIdea, other: MatrixSource
    ) -> PairMatrices | None:
        """Matrices of the idea's pair; None if there are none, or none yet."""
        block = idea.block
        if block is None:
            return None
        key = (block.output, block.input, block.part, other)
        if key not in self._loaded:
            self._is_loading = True
            done = partial(self._on_matrices_loaded, key)
            self._loader.load(report, block, MatrixChoice(other=other), done)
            self._is_loading = False
        return self._loaded.get(key)

    def _on_matrices_loaded(self, key: MatrixKey, matrices: PairMatrices | None) -> None:
        self._loaded[key] = matrices
        if not self._is_loading:
            self.refresh()


def _example(matrices: PairMatrices) -> tuple[int, int] | None:
    """The worst element; the largest one if all are within the tolerance."""
    heat = matrices.layers[0].heat
    if not heat.size:
        return None
    if matrices.worst is not None:
        return matrices.worst
    largest = np.argmax(np.nan_to_num(np.abs(heat), posinf=0.0))
    row, column = np.unravel_index(int(largest), heat.shape)
    return int(row), int(column)


def _on_scale_of(repaired: PairMatrices | None, matrices: PairMatrices) -> PairMatrices | None:
    """Give the repaired matrix the colors of the others, so that equal values look equal."""
    if repaired is None:
        return None
    layers = (matrices.layers[0], replace(repaired.layers[1], colors=matrices.layers[1].colors))
    return replace(repaired, layers=(*layers, repaired.layers[2]))
