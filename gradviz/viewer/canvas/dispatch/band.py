"""A line above the graph that shows a `__torch_function__` call: types, answers, result."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.columns import DISPATCH
from gradviz.model.step import DispatchStep
from gradviz.viewer.canvas.dispatch.cards import CardRole, DispatchCards, cards_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS

_ARROW = "\N{RIGHTWARDS ARROW}"

_TEXTS: dict[CardRole, PaletteRole] = {
    "call": "text",
    "answer": "custom_text",
    "passed": "text_muted",
    "waiting": "text_muted",
    "result": "output_text",
    "failed": "failing_text",
}


class DispatchBand(QWidget):
    """Follows the current step; visible in all steps of a run with such calls.

    The constant height keeps the graph from jumping.
    """

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        # A long call must not widen the window; its text is elided instead.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Call that types override"))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_trace_changed()

    @property
    def text(self) -> str:
        """The text of the line."""
        return "  ".join(text for text, _ in self._words())

    def _words(self) -> list[tuple[str, PaletteRole]]:
        index = self._state.index
        step = None if index is None else step_at(index, self._state.number)
        if index is None or not isinstance(step, DispatchStep):
            return []
        return _texts(cards_of(index, step))

    def _on_state_trace_changed(self) -> None:
        index = self._state.index
        graph = index is not None and bool(index.trace.nodes)
        asks = index is not None and bool((index.steps.kinds == DISPATCH).any())
        self.setVisible(graph and asks)
        self._on_state_place_changed()

    def _on_state_place_changed(self) -> None:
        self.setAccessibleDescription(self.text)
        self.update()

    def _on_state_theme_changed(self) -> None:
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Height of one padded line of text."""
        return QSize(200, self._state.theme.px(30))

    def _fitting(self, words: list[tuple[str, PaletteRole]]) -> list[tuple[str, PaletteRole]]:
        """Leave out the answers of the types if they would push out the result.

        In Presenter Mode, where the header tells the same, nothing is cut: the last types go, too.
        """
        if self._is_fitting(words):
            return words
        words = [each for each in words if each[1] != "text_muted" or each[0] == _ARROW]
        while (
            self._state.presentation.presenting and len(words) > 2 and not self._is_fitting(words)
        ):
            words = words[:-2]
        return words

    def _is_fitting(self, words: list[tuple[str, PaletteRole]]) -> bool:
        theme = self._state.theme
        metrics = QFontMetrics(theme.font(SMALL_PIXELS, bold=True))
        needed = sum(metrics.horizontalAdvance(text) + theme.px(10) for text, _ in words)
        return needed <= self.width() - theme.px(24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint as much text as fits."""
        theme = self._state.theme
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.color("canvas"))
        left = float(theme.px(12))
        for text, role in self._fitting(self._words()):
            painter.setFont(theme.font(SMALL_PIXELS, bold=role not in ("text_muted", "text")))
            painter.setPen(theme.color(role))
            space = self.width() - left - theme.px(12)
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(space))
            rect = QRectF(left, 0, space, self.height())
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), shown)
            left += painter.fontMetrics().horizontalAdvance(shown) + theme.px(10)
        painter.end()


def _texts(cards: DispatchCards) -> list[tuple[str, PaletteRole]]:
    words: list[tuple[str, PaletteRole]] = [(cards.call.title, "text")]
    for card in (*cards.types, cards.result):
        words.append((_ARROW, "text_muted"))
        words.append((card.title, _TEXTS[card.look]))
        answer = card.lines[0].text if card.lines and card.look != "result" else ""
        if answer:
            words.append((answer, "text_muted"))
    return words
