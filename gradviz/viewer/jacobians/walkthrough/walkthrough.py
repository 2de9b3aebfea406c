"""Steps through the ideas of a check in Presenter Mode."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QWidget

from gradviz.model.jacobian_report import JacobianReport
from gradviz.viewer.background import Background
from gradviz.viewer.jacobians.map.matrix_loader import MatrixLoader
from gradviz.viewer.jacobians.pair_matrices import MatrixChoice, MatrixSource, PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.jacobians.walkthrough.code_passage import CodePassage, PassageView, passage_of
from gradviz.viewer.jacobians.walkthrough.ideas import (
    CheckIdea,
    IdeaKind,
    axes_text,
    check_name,
    headline,
    ideas_of,
    sentences_of,
    title,
)
from gradviz.viewer.jacobians.walkthrough.large_matrix import LargeMatrix, MatrixEmphasis
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences
from gradviz.viewer.walkthrough.idea_page import LEAST_PIXELS, TEXT_PIXELS, IdeaPage, IdeaView

_ABOVE, _BELOW = 66, 34
"""Shares of the height for the matrices and for what is below them."""


class WalkthroughView(IdeaView):
    """Shows three matrices above, and sentences and code below."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.matrices = tuple(LargeMatrix(theme) for _ in range(3))
        self.axes = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.axes.setTextFormat(Qt.TextFormat.PlainText)
        self.axes.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.sentences = FittedSentences(theme, pixels=TEXT_PIXELS, least=LEAST_PIXELS)
        self.code, self.message_code = PassageView(theme), PassageView(theme)
        self.progress = QProgressBar()
        self.progress.setAccessibleName(self.tr("Progress of the check"))
        above, below = QHBoxLayout(), QHBoxLayout()
        for shown in self.matrices:
            above.addWidget(shown, 1)
        below.addWidget(self.sentences, 5)
        below.addWidget(self.code, 6)
        self.evidence.addLayout(above, _ABOVE)
        self.evidence.addWidget(self.axes)
        self.evidence.addLayout(below, _BELOW)
        self.text.addWidget(self.progress)
        self.text.addWidget(self.message_code, 1)
        set_theme_font(self.axes, theme, LEAST_PIXELS)
        set_theme_font(self.progress, theme, TEXT_PIXELS)

    def show_pair(
        self,
        kind: IdeaKind,
        matrices: PairMatrices,
        repaired: PairMatrices | None,
        cell: tuple[int, int],
    ) -> None:
        """Show the matrices as far as an idea has come.

        Args:
            kind: What the idea is about.
            matrices: Numerical, analytical, and difference.
            repaired: Numerical and repaired, for the idea ``repair``.
            cell: Row and column of the element that serves as the example.
        """
        self.show_evidence()
        names = [element_text.source_name(matrices.choice.base)]
        names.append(element_text.source_name(matrices.choice.other))
        names.append(element_text.third_name("difference"))
        count = {"numerical": 1, "analytical": 2}.get(kind, 3)
        for which, (shown, name) in enumerate(zip(self.matrices, names, strict=True)):
            if which >= count:
                shown.clear()
            elif which == 2 and repaired is not None:
                name = element_text.source_name("repaired")
                shown.show_matrix(name, repaired, 1, MatrixEmphasis(cell=cell, marks=True))
            else:
                # A pair whose elements all agree has no element to point at.
                own = "verdict" if kind == "pair" and matrices.worst is None else kind
                shown.show_matrix(name, matrices, which, _emphasis(own, which, cell))
        self.axes.setText(axes_text(matrices.block))

    def show_text(
        self,
        sentences: tuple[str, ...],
        passage: CodePassage | None = None,
        progress: tuple[int, int] | None = None,
    ) -> None:
        """Show only text.

        Args:
            sentences: The text.
            passage: Code below it, or None.
            progress: What is done, of how much, of a running check; None if none is running.
        """
        self.show_message(sentences)
        self.message_code.show_passage(passage)
        self.progress.setVisible(progress is not None)
        if progress is not None:
            # Qt shows the range from 0 to 0 as a busy bar.
            self.progress.setRange(0, max(0, progress[1]))
            self.progress.setValue(progress[0])


def _emphasis(kind: IdeaKind, which: int, cell: tuple[int, int]) -> MatrixEmphasis:
    match kind:
        case "numerical":
            return MatrixEmphasis(cell=cell, band="row")
        case "analytical":
            return MatrixEmphasis(cell=cell, band="column") if which == 1 else MatrixEmphasis()
        case "difference":
            return MatrixEmphasis(marks=True)
        case "worst":
            return MatrixEmphasis(cell=cell, marks=True, alone=True)
        case "verdict":
            return MatrixEmphasis()
        case _:
            return MatrixEmphasis(cell=cell, marks=True)


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
        return self._ideas[self.at] if self._ideas else None

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
            self._report, self.at = report, 0
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
        shown = PresentedIdea(title=check_name(self._order), sentence="")
        idea, report = self.idea, self._report
        if self._progress is not None:
            text = self.tr("The check is running: numerical and analytical Jacobians are computed.")
            self.view.show_text((self._progress_text(*self._progress),), progress=self._progress)
            return replace(shown, sentence=text)
        if self.is_hidden:
            self.view.show_text(())
            text = self.tr("Hidden until the gradient of this step is revealed.")
            return replace(shown, sentence=text)
        if report is None or idea is None:
            first, *rest = (line for line in self._hint.splitlines() if line)
            if not self._reason:
                rest.append(self.tr("The next click starts the check."))
            elif self._reason not in (first, *rest):
                rest.append(self._reason)
            self.view.show_text(tuple(rest))
            return replace(shown, sentence=first)
        self._show_idea(report, idea)
        return PresentedIdea(
            title=title(report, idea),
            sentence=headline(report, idea),
            at=self.at,
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
        sentences = sentences_of(report, idea, matrices, cell)
        passage = self._passage(report, idea, sentences)
        if matrices is None or cell is None:
            self.view.show_text(sentences, passage)
            return
        self.view.show_pair(idea.kind, matrices, _on_scale_of(repaired, matrices), cell)
        self.view.sentences.show_sentences(sentences)
        self.view.code.show_passage(passage)

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
