"""The inspector: the sentence of the step, then every value that belongs to it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLayoutItem,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from gradviz.model.index import Index
from gradviz.viewer.flow_layout import FlowLayout
from gradviz.viewer.focus_ring import FocusRing, order_tabs
from gradviz.viewer.icons import icon
from gradviz.viewer.inspector.change_view import ChangeView
from gradviz.viewer.inspector.facts import Facts, Section
from gradviz.viewer.inspector.moment import facts_now, facts_of_node, shows_selection
from gradviz.viewer.inspector.rows import Source, StepLinks, widgets_of
from gradviz.viewer.pill import Pill, Tag
from gradviz.viewer.plain_text import PlainLabel
from gradviz.viewer.section import SectionBox
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_view.hidden import HiddenTensor
from gradviz.viewer.tensor_view.storage_mark import storage_letters
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.theme import TITLE_PIXELS, UI_PIXELS, Theme

_TITLE_WIDTH = 250


class _Scroll(QScrollArea):
    """Scrolls up and down; Left, Right, Home and End go on to the panel, which steps with them."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Takes only the keys for up and down."""
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End):
            event.ignore()
        else:
            super().keyPressEvent(event)


class Inspector(QWidget):
    """Shows the current step, or the selected node with a way back."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._letters: dict[int, str] = {}
        self._folded: dict[str, bool] = {}
        self._sections: list[SectionBox] = []
        self._tags: list[Pill] = []
        self._shown_tags: tuple[Tag, ...] = ()
        self._facts: Facts | None = None
        self._shown: Index | None = None
        self._make_parts()
        self._lay_out()
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.selection_changed.connect(self._on_state_selection_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_trace_changed(state.index)
        self._show()

    def _make_parts(self) -> None:
        self._title = PlainLabel(pixels=TITLE_PIXELS, bold=True)
        self._place = PlainLabel(muted=True)
        self._sentence = PlainLabel(pixels=UI_PIXELS + 1)
        self._back = QPushButton(self.tr("Back to now"))
        self._back.setToolTip(self.tr("Shows the node of the current step again"))
        self._back.clicked.connect(self._on_back_clicked)
        self._hint = PlainLabel(self.tr("Run a Function or open a trace to see its steps here."))
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._hint.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._scroll = _Scroll()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setAccessibleName(self.tr("Values of the step"))
        FocusRing(self._scroll)

    def _lay_out(self) -> None:
        self._head = FlowLayout(gap=8)
        self._head.addWidget(self._title)
        place = QHBoxLayout()
        place.addWidget(self._place, 1)
        place.addWidget(self._back)
        content = self._body = QWidget()
        self._content = QVBoxLayout(content)
        self._content.setContentsMargins(8, 2, 8, 8)
        self._content.setSpacing(4)
        self._content.addStretch(1)
        self._scroll.setWidget(content)
        top = QVBoxLayout()
        top.setContentsMargins(12, 10, 12, 4)
        top.setSpacing(4)
        top.addLayout(self._head)
        top.addLayout(place)
        top.addWidget(self._sentence)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self._hint, 1)
        column.addWidget(self._scroll, 1)
        self.setMinimumWidth(280)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        content.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Inspector"))

    @property
    def facts(self) -> Facts | None:
        """What is shown."""
        return self._facts

    @property
    def sections(self) -> tuple[SectionBox, ...]:
        """The parts that are shown, from the top."""
        return tuple(self._sections)

    def _show(self) -> None:
        index, number = self._state.index, self._state.number
        selection = self._state.selection
        elsewhere = index is not None and shows_selection(index, number, selection)
        facts = None
        if index is not None:
            concealed = self._state.concealed
            facts = facts_now(index, number, concealed=concealed)
            if elsewhere and selection is not None:
                facts = facts_of_node(index, selection, number, concealed=concealed)
        self._back.setVisible(elsewhere)
        if facts is None or facts != self._facts or index is not self._shown:
            self._facts, self._shown = facts, index
            self._show_head(facts)
            self._show_sections(facts, index)

    def _show_tags(self, tags: tuple[Tag, ...]) -> None:
        # Most steps have the signs of the step before, and making them takes a while.
        if tags == self._shown_tags:
            return
        self._shown_tags = tags
        for pill in self._tags:
            self._head.removeWidget(pill)
            pill.hide()
            pill.deleteLater()
        self._tags = [Pill(tag, self._state.theme, parent=self) for tag in tags]
        for pill in self._tags:
            self._head.addWidget(pill)
            pill.show()

    def _show_head(self, facts: Facts | None) -> None:
        self._show_tags(() if facts is None else facts.tags)
        for part in (self._title, self._place, self._sentence, self._scroll):
            part.setVisible(facts is not None)
        self._hint.setVisible(facts is None)
        if facts is None:
            return
        self._title.show_short(facts.title, _TITLE_WIDTH)
        self._place.setText(facts.place)
        self._sentence.setText(facts.sentence)
        self.setAccessibleDescription(f"{facts.place}: {facts.sentence}")

    def _show_sections(self, facts: Facts | None, index: Index | None) -> None:
        while self._content.count() > 1:
            _drop(self._content.takeAt(0))
        self._sections = []
        if facts is None or index is None:
            return
        source = Source(
            index=index, letters=self._letters, value=self._state.value, theme=self._state.theme
        )
        for section in facts.sections:
            box = self._box(section)
            for widget in widgets_of(section.rows, source):
                box.body.addWidget(widget)
                if isinstance(widget, StepLinks):
                    widget.step_requested.connect(self._on_links_step_requested)
            self._content.insertWidget(self._content.count() - 1, box)
            box.show()
            self._sections.append(box)
        order_tabs(self._scroll, self._body.findChildren(QWidget))
        # Without this the sections are squeezed into the visible part for one frame.
        QApplication.sendEvent(self._body, QEvent(QEvent.Type.LayoutRequest))

    def _box(self, section: Section) -> SectionBox:
        box = SectionBox(section.key, section.title, section.hint, self._state.theme)
        box.fold(self._folded.get(section.key, section.folded))
        box.folded_changed.connect(self._on_box_folded_changed)
        return box

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        self._letters = {} if index is None else storage_letters(index)
        if index is None:
            self._show()

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        self._show()
        self._scroll.verticalScrollBar().setValue(0)

    @Slot(object)
    def _on_state_selection_changed(self, node: int | None) -> None:
        self._show()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._show()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._back.setIcon(icon("back", theme))
        kinds = (Pill, SectionBox, ChangeView, TensorView, HiddenTensor)
        for child in self.findChildren(QObject):
            if isinstance(child, kinds):
                child.set_theme(theme)

    @Slot(object)
    def _on_box_folded_changed(self, change: tuple[str, bool]) -> None:
        self._folded[change[0]] = change[1]

    @Slot(object)
    def _on_links_step_requested(self, number: int) -> None:
        self._state.go_to(number)

    @Slot()
    def _on_back_clicked(self) -> None:
        self._state.select(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Right and Left go from step to step, Home and End to the first and last."""
        moves = {
            Qt.Key.Key_Right: self._state.next_step,
            Qt.Key.Key_Left: self._state.previous_step,
            Qt.Key.Key_Home: self._state.first_step,
            Qt.Key.Key_End: self._state.last_step,
        }
        move = moves.get(Qt.Key(event.key()))
        if move is None or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            super().keyPressEvent(event)
        else:
            move()


def _drop(item: QLayoutItem | None) -> None:
    widget = item.widget() if item is not None else None
    if widget is not None:
        widget.hide()
        widget.deleteLater()
