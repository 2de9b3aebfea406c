"""The page of a walkthrough: three matrices above, sentences and code below; or only text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.jacobians.walkthrough import idea_text
from gradviz.viewer.jacobians.walkthrough.code_passage import CodePassage
from gradviz.viewer.jacobians.walkthrough.ideas import IdeaKind
from gradviz.viewer.jacobians.walkthrough.large_matrix import LargeMatrix, MatrixEmphasis
from gradviz.viewer.jacobians.walkthrough.passage_view import PassageView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.walkthrough.fitted_sentences import FittedSentences

_TEXT_PIXELS, _LEAST_PIXELS = 18, 10
_ABOVE, _BELOW = 66, 34
"""Shares of the height for the matrices and for what is below them."""

_EDGE = 12


class WalkthroughView(QWidget):
    """Shows one idea; each matrix has a fixed place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.matrices = tuple(LargeMatrix(theme) for _ in range(3))
        self.axes = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self.axes.setTextFormat(Qt.TextFormat.PlainText)
        self.axes.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.sentences = FittedSentences(theme, pixels=_TEXT_PIXELS, least=_LEAST_PIXELS)
        self.code = PassageView(theme)
        self.message = FittedSentences(theme, pixels=_TEXT_PIXELS, least=_LEAST_PIXELS)
        self.message_code = PassageView(theme)
        self.progress = QProgressBar()
        self.progress.setAccessibleName(self.tr("Progress of the check"))
        self._pages = QStackedLayout(self)
        self._columns = [self._lay_out_matrices(), self._lay_out_message()]
        self._theme = theme
        set_theme_font(self.axes, theme, _LEAST_PIXELS)
        set_theme_font(self.progress, theme, _TEXT_PIXELS)
        self.update_theme()

    @property
    def shows_matrices(self) -> bool:
        """Whether matrices are shown, not only text."""
        return self._pages.currentIndex() == 0

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
        self._pages.setCurrentIndex(0)
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
        self.axes.setText(idea_text.axes_text(matrices.block))

    def show_explanation(self, sentences: tuple[str, ...], passage: CodePassage | None) -> None:
        """Show what is below the matrices."""
        self.sentences.show_sentences(sentences)
        self.code.show_passage(passage)

    def show_message(
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
        self._pages.setCurrentIndex(1)
        self.message.show_sentences(sentences)
        self.message_code.show_passage(passage)
        self.progress.setVisible(progress is not None)
        if progress is not None:
            # Qt shows the range from 0 to 0 as a busy bar.
            self.progress.setRange(0, max(0, progress[1]))
            self.progress.setValue(progress[0])

    def update_theme(self) -> None:
        """Repaint in another theme."""
        edge = self._theme.px(_EDGE)
        for column in self._columns:
            column.setContentsMargins(edge, 0, edge, self._theme.px(4))
            column.setSpacing(self._theme.px(6))

    def _lay_out_matrices(self) -> QVBoxLayout:
        page = QWidget()
        above, below = QHBoxLayout(), QHBoxLayout()
        for shown in self.matrices:
            above.addWidget(shown, 1)
        below.addWidget(self.sentences, 5)
        below.addWidget(self.code, 6)
        column = QVBoxLayout(page)
        column.addLayout(above, _ABOVE)
        column.addWidget(self.axes)
        column.addLayout(below, _BELOW)
        self._pages.addWidget(page)
        return column

    def _lay_out_message(self) -> QVBoxLayout:
        page = QWidget()
        column = QVBoxLayout(page)
        column.addWidget(self.message, 1)
        column.addWidget(self.progress)
        column.addWidget(self.message_code, 1)
        self._pages.addWidget(page)
        return column


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
