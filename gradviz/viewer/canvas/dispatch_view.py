"""The picture of a call that types override, for runs that have such calls but no graph."""

from __future__ import annotations

from PySide6.QtCore import QSizeF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from gradviz.model.narrate import sentence
from gradviz.model.query import step_at
from gradviz.model.step import DispatchStep
from gradviz.viewer.canvas.dispatch_cards import Cards, cards_of
from gradviz.viewer.canvas.dispatch_paint import paint_plan
from gradviz.viewer.canvas.dispatch_plan import Plan, Planner
from gradviz.viewer.look.theme import UI_PIXELS
from gradviz.viewer.state import ViewerState


class DispatchView(QScrollArea):
    """Shows the call of the current step, or a hint if the step has none."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._sheet = _Sheet(state)
        self.setWidget(self._sheet)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Picture of the call"))
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self.refresh()

    @property
    def cards(self) -> Cards | None:
        """Cards that are shown; None if the step has no such call."""
        return self._sheet.cards

    def refresh(self) -> None:
        """Show the current step."""
        index, step = self._state.index, None
        if index is not None:
            step = step_at(index, self._state.number)
        cards, said = None, self.tr("No type is asked in this step.")
        if index is not None and isinstance(step, DispatchStep):
            cards = cards_of(index, step, concealed=self._state.concealed)
            said = "" if self._state.concealed else sentence(index, step)
        self.setAccessibleDescription(said)
        self._sheet.show_cards(cards)

    @Slot()
    def _on_state_trace_changed(self) -> None:
        self.refresh()

    @Slot()
    def _on_state_place_changed(self) -> None:
        self.refresh()

    @Slot()
    def _on_state_concealment_changed(self) -> None:
        self.refresh()

    @Slot()
    def _on_state_theme_changed(self) -> None:
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the cards for the new size."""
        super().resizeEvent(event)
        self._sheet.fit(QSizeF(self.viewport().size()))


class _Sheet(QWidget):
    """The painted cards, at least as high as their layout."""

    def __init__(self, state: ViewerState) -> None:
        super().__init__()
        self._state = state
        self._room = QSizeF()
        self.cards: Cards | None = None

    def show_cards(self, cards: Cards | None) -> None:
        """Show other cards, or the hint if None."""
        self.cards = cards
        self.fit(self._room)
        self.update()

    def fit(self, room: QSizeF) -> None:
        """Lay out for a viewport size, and grow as high as the cards need."""
        self._room = room
        plan = self._plan()
        self.setMinimumHeight(0 if plan is None else round(plan.size.height()))

    def _plan(self) -> Plan | None:
        if self.cards is None:
            return None
        return Planner(self._state.theme, self._state.value).plan(self.cards, self._room)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cards on the canvas background."""
        theme, plan = self._state.theme, self._plan()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), theme.colour("canvas"))
        if plan is not None:
            paint_plan(painter, plan)
        else:
            painter.setPen(theme.colour("text_muted"))
            painter.setFont(theme.font(UI_PIXELS))
            said = self.tr("No type is asked in this step.")
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), said)
        painter.end()
