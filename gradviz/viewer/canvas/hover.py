"""Shows the hover card: for the card under the mouse, or by key for the selected one."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QTimer, Slot
from PySide6.QtGui import QAction

from gradviz.viewer.canvas.card_facts import HIDDEN, CardFacts, facts_of
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.hover_card import HoverCard
from gradviz.viewer.canvas.stage import Stage
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState

DELAY_MS, NEXT_DELAY_MS = 450, 120
"""Delay before the first hover card, and before the next one while one is shown."""


class Hover(QObject):
    """Outlines the card under the mouse, and shows its hover card after a delay."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: Stage,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._box: int | None = None
        self._told: int | None = None
        self.card = HoverCard(state.theme, view)
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self._on_delay_timeout)
        view.card_hovered.connect(self._on_view_card_hovered)
        view.card_clicked.connect(self.hide)
        view.describe_pressed.connect(self.describe)
        view.moved.connect(self.hide)
        view.scene_shown.connect(self.hide)
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)
        action.triggered.connect(self.describe)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.concealment_changed.connect(self._on_state_step_changed)

    @Slot()
    def describe(self) -> None:
        """Show or hide the hover card of the selected card, else of the current one."""
        box = self._stage.current_box()
        if box is None or self._told == box:
            self.hide()
        else:
            self._view.keep_visible(box)
            self._tell(box)

    @Slot()
    def hide(self) -> None:
        """Hide the hover card."""
        self._delay.stop()
        self._told = None
        self.card.hide()

    def _tell(self, box: int) -> None:
        index, scene = self._state.index, self._stage.scene
        if index is None or scene is None:
            return
        drawn = scene.picture.nodes[box]
        problem = scene.troubles.words.get(box, "")
        state = self._state
        if box in scene.nodes.veiled:
            self.card.tell(CardFacts(title=HIDDEN, lines=()))
        else:
            facts = facts_of(index, drawn, state.number, state.told, problem)
            if box in scene.storages.signs:
                memory = self.tr("memory"), scene.storages.signs[box].tip
                facts = replace(facts, lines=(*facts.lines, memory))
            self.card.tell(facts)
        self.card.place_beside(self._on_screen(box), self._view.screen().availableGeometry())
        self._told = box
        self.card.show()

    def _on_screen(self, box: int) -> QRect:
        rect = self._view.card_rect(box).toAlignedRect().intersected(self._view.viewport().rect())
        return QRect(self._view.viewport().mapToGlobal(rect.topLeft()), rect.size())

    @Slot(object, object)
    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        scene = self._stage.scene
        if scene is None or box == self._box:
            return
        was_told = self._told is not None
        self._box = box
        scene.mark("hovered", box)
        self.hide()
        if box is not None:
            self._delay.start(NEXT_DELAY_MS if was_told else DELAY_MS)

    @Slot()
    def _on_delay_timeout(self) -> None:
        if self._box is not None and self._view.isVisible():
            self._tell(self._box)

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.hide()
        self.card.set_theme(theme)

    @Slot(object)
    def _on_state_step_changed(self, _: object) -> None:
        if self._told is not None:
            self._tell(self._told)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the hover card when the mouse, the focus or the view goes away."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide) and watched is not self._view:
            self._on_view_card_hovered(None, QPoint())
        elif event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide, QEvent.Type.Wheel):
            self.hide()
        return False
