"""The hover card: what it says of the card under the mouse, or by key of the selected one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLayout, QSizePolicy, QWidget

from gradviz.analysis.index.node_steps import execution_step, node_duration
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.saved_memory import freed_at
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.document.ops import duration_text
from gradviz.drawing.content.cards import cuts_with_card
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.content.plain_text import (
    item_text,
    label_text,
    tensor_of,
    tensor_text,
    value_text,
)
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, UI_PIXELS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_NAME, MOST_ITEMS = 300, 6

HIDDEN = "?"
"""Replaces hidden values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """Text about a card.

    Attributes:
        title: Its full name.
        lines: Name and text of each line; a line without a name spans both columns.
        problem: What went wrong there; empty if nothing did.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    problem: str = ""

    @property
    def text(self) -> str:
        """All of it as one text for screen readers."""
        lines = (f"{name}: {text}" if name else text for name, text in self.lines)
        return ". ".join(filter(None, (self.title, *lines, self.problem)))


def card_facts_of(
    revealed: RevealedTrace, card: DrawnNode, number: int, problem: str = ""
) -> CardFacts:
    """Collect the text about a card.

    Args:
        revealed: The trace, with the results that may be shown.
        card: The card.
        number: The current step; a node's execution in the same pass is described.
        problem: What went wrong there, if known.
    """
    index = revealed.index
    assert index is not None
    node = index.node[card.nodes[0]]
    title = card.title
    if card.kind == "folded":
        lines = [("", line) for line in (*card.lines, *card.inside)]
        lines.append(("", translate("CardFacts", "Double-click to open the group.")))
    elif card.kind == "saved":
        lines = [
            (translate("CardFacts", "saved by"), label_text(node.name, MOST_NAME)),
            *_saved(index, node, number),
        ]
    elif card.kind == "cut":
        lines = [
            (translate("CardFacts", "in"), label_text(node.name, MOST_NAME)),
            *_cut(index, card),
        ]
    elif card.kind in ("leaf", "output", "dead_end"):
        lines = _tensor(index, card)
        if card.kind == "dead_end":
            lines.append(("", card.lines[-1]))
        if card.kind == "leaf":
            lines += _steps(index, node) + _gradients(index, node, number, revealed)
    else:
        title = label_text(node.name, MOST_NAME)
        lines = _node(index, node, number, revealed)
    return CardFacts(title=title, lines=tuple(lines), problem=problem)


def _node(
    index: TraceIndex, node: Node, number: int, revealed: RevealedTrace
) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    call = None if node.call is None else index.call.get(node.call)
    if call is not None:
        lines.append((translate("CardFacts", "Function"), label_text(call.function, MOST_NAME)))
    if node.variable_name:
        lines.append((translate("CardFacts", "leaf"), label_text(node.variable_name, MOST_NAME)))
    module = None if node.module_call is None else index.module.get(node.module_call)
    if module is not None:
        class_text = f" · {module.class_name}" if module.class_name else ""
        lines.append(
            (translate("CardFacts", "module"), label_text(module.path + class_text, MOST_NAME))
        )
    lines += _steps(index, node)
    time = duration_text(node_duration(index, node.id))
    lines.append((translate("CardFacts", "time while recording"), time))
    lines += _gradients(index, node, number, revealed)
    return lines + _saved(index, node, number)


def _steps(index: TraceIndex, node: Node) -> list[tuple[str, str]]:
    made, visits = index.made_at.get(node.id), index.visits.get(node.id, ())
    parts = []
    if made is not None:
        parts.append(translate("CardFacts", "created in {0}").format(made))
    if visits:
        numbers = ", ".join(str(each) for each in visits[:MOST_ITEMS])
        more = "" if len(visits) <= MOST_ITEMS else " …"
        adds = node.kind == "accumulate"
        parts.append(
            (
                translate("CardFacts", "accumulates in {0}")
                if adds
                else translate("CardFacts", "executed in {0}")
            ).format(numbers + more)
        )
    else:
        parts.append(translate("CardFacts", "never executed"))
    return [(translate("CardFacts", "steps"), " · ".join(parts))]


def _gradients(
    index: TraceIndex, node: Node, number: int, revealed: RevealedTrace
) -> list[tuple[str, str]]:
    visit = execution_step(index, node.id, number)
    step = None if visit is None else step_at(index, visit)
    if visit is None or step is None:
        return []
    if isinstance(step, AccumulateStep):
        arrives, total = item_text(index, step.contribution), item_text(index, step.total)
        lines = [
            (translate("CardFacts", "receives"), arrives),
            (translate("CardFacts", "adds up to"), total),
        ]
        return lines if revealed.shows_incoming(visit) else [(name, HIDDEN) for name, _ in lines]
    if not isinstance(step, NodeStep):
        return []
    incoming = step.received or step.incoming
    arrives = _items(index, incoming) if revealed.shows_incoming(visit) else HIDDEN
    returned = step.returned or [each.item for each in step.passed]
    leaves = _items(index, returned) if revealed.shows_outgoing(visit) else HIDDEN
    return [
        (translate("CardFacts", "receives"), arrives),
        (translate("CardFacts", "returns"), leaves),
    ]


def _saved(index: TraceIndex, node: Node, number: int) -> list[tuple[str, str]]:
    items = [slot.item for slot in index.saved.get(node.id, ())]
    name = translate("CardFacts", "saved")
    freed = freed_at(index, node.id, number)
    if freed is not None:
        name = translate("CardFacts", "saved, freed by step {0}").format(format_count(freed))
    return [(name, _items(index, items))] if items else []


def _cut(index: TraceIndex, card: DrawnNode) -> list[tuple[str, str]]:
    cut = next((cut for cut, each in cuts_with_card(index) if each.id == card.id), None)
    return [] if cut is None else [("", cut.message)]


def _tensor(index: TraceIndex, card: DrawnNode) -> list[tuple[str, str]]:
    tensor = tensor_of(index, card.tensors[0]) if card.tensors else None
    if tensor is None:
        return []
    lines = [
        (
            translate("CardFacts", "tensor"),
            f"{tensor_text(tensor)} · {label_text(tensor.device)}",
        )
    ]
    value = value_text(tensor)
    if value:
        lines.append((translate("CardFacts", "value"), value))
    return [*lines, (translate("CardFacts", "requires grad"), _yes(tensor))]


def _yes(tensor: TensorRecord) -> str:
    return translate("CardFacts", "yes") if tensor.requires_grad else translate("CardFacts", "no")


def _items(index: TraceIndex, items: Sequence[Item]) -> str:
    texts = [_item(index, item) for item in items[:MOST_ITEMS]]
    if len(items) > MOST_ITEMS:
        texts.append(translate("CardFacts", "and {0} more").format(len(items) - MOST_ITEMS))
    return _joined(texts) or translate("CardFacts", "nothing")


def _item(index: TraceIndex, item: Item) -> str:
    name = label_text(item.name, 32)
    return f"{name} {item_text(index, item)}" if name else item_text(index, item)


def _joined(texts: Iterable[str]) -> str:
    return " · ".join(texts)


WIDTH = 330
"""Width in pixels at font scale 1."""

GAP = 12
"""Gap between the hover card and the card, in pixels."""

_PAD = 12


class HoverCard(QWidget):
    """Frameless tooltip window that never takes the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.ToolTip | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        # If it took the mouse, the graph would get a Leave event, hide it, and show it again.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._theme = theme
        self._labels: list[PlainLabel] = []
        self._rows = QGridLayout(self)
        self._rows.setContentsMargins(_PAD, _PAD - 2, _PAD, _PAD)
        self._rows.setHorizontalSpacing(10)
        self._rows.setVerticalSpacing(3)
        self._rows.setColumnStretch(1, 1)
        # `_fit` sets the size; by default a layout imposes a minimum on a top-level window.
        self._rows.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)

    @property
    def texts(self) -> list[str]:
        """Texts of all labels, in order."""
        return [label.text() for label in self._labels]

    def update_theme(self) -> None:
        """Repaint in another theme."""
        self._fit()

    def show_facts(self, facts: CardFacts) -> None:
        """Show other facts."""
        for label in self._labels:
            self._rows.removeWidget(label)
            # No longer in the layout, but visible until the event loop deletes it.
            label.hide()
            label.deleteLater()
        self._labels = []
        self._add(facts.title, 0, wide=True, pixels=UI_PIXELS, bold=True)
        for row, (name, text) in enumerate(facts.lines, 1):
            if name:
                self._add(name, row, muted=True)
            self._add(text, row, column=1 if name else 0, wide=not name)
        if facts.problem:
            problem = self._add(facts.problem, len(facts.lines) + 1, wide=True, bold=True)
            palette = problem.palette()
            palette.setColor(
                problem.foregroundRole(), self._theme.color(problem_colors(facts.problem)[0])
            )
            problem.setPalette(palette)
        self.setAccessibleName(facts.title)
        self.setAccessibleDescription(facts.text)
        self._fit()

    def _add(
        self,
        text: str,
        row: int,
        column: int = 0,
        *,
        wide: bool = False,
        pixels: int = SMALL_PIXELS,
        bold: bool = False,
        muted: bool = False,
    ) -> PlainLabel:
        label = PlainLabel(text, pixels=pixels, bold=bold, muted=muted, parent=self)
        if muted:
            label.setWordWrap(False)
            label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
            label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._rows.addWidget(label, row, column, 1, 2 if wide else 1)
        # A layout shows new widgets only in the next turn of the event loop.
        label.show()
        self._labels.append(label)
        return label

    def _fit(self) -> None:
        width = self._theme.px(WIDTH)
        self.resize(width, self._rows.heightForWidth(width))
        self.update()

    def place_next_to(self, card: QRect, screen: QRect) -> None:
        """Move beside a card, preferably to its right or left.

        Args:
            card: The card in screen coordinates, in pixels.
            screen: Available area of the screen.
        """
        self.move(position_next_to(card, self.size(), screen))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the background."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color("panel"))
        painter.setPen(self._theme.color("border_strong"))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()


def position_next_to(card: QRect, size: QSize, screen: QRect) -> QPoint:
    """Find a position beside a card: on the first side that fits, else on the roomiest side.

    Args:
        card: Rectangle to keep uncovered.
        size: Size of the popup.
        screen: Area to stay inside, as far as possible.
    """
    left, top = card.left(), card.top()
    places = [
        QPoint(card.right() + GAP, top),
        QPoint(left - GAP - size.width(), top),
        QPoint(left, card.bottom() + GAP),
        QPoint(left, top - GAP - size.height()),
    ]
    rooms = (
        (screen.right() - card.right() - GAP, size.width()),
        (left - GAP - screen.left(), size.width()),
        (screen.bottom() - card.bottom() - GAP, size.height()),
        (top - GAP - screen.top(), size.height()),
    )
    spare = [space - needed for space, needed in rooms]
    best = next((at for at, each in enumerate(spare) if each >= 0), spare.index(max(spare)))
    place = places[best]
    if best < 2:
        low = max(screen.top(), screen.bottom() + 1 - size.height())
        place.setY(max(screen.top(), min(place.y(), low)))
    else:
        low = max(screen.left(), screen.right() + 1 - size.width())
        place.setX(max(screen.left(), min(place.x(), low)))
    return place


DELAY_MS, NEXT_DELAY_MS = 450, 120
"""Delay before the first hover card, and before the next one while one is shown."""


class HoverController(QObject):
    """Outlines the card under the mouse, and shows its hover card after a delay."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._box: int | None = None
        self._texts: int | None = None
        self.card = HoverCard(state.theme, view)
        self._delay = QTimer(self, singleShot=True)
        self._delay.timeout.connect(self._on_delay_timeout)
        view.card_hovered.connect(self._on_view_card_hovered)
        view.card_clicked.connect(self.hide)
        view.moved.connect(self.hide)
        view.scene_shown.connect(self.hide)
        # The viewport gets the mouse events, the view the focus events.
        view.viewport().installEventFilter(self)
        view.installEventFilter(self)
        action.triggered.connect(self.describe)
        state.theme_changed.connect(self.hide)
        state.place_changed.connect(self._on_state_place_changed)

    def describe(self) -> None:
        """Show or hide the hover card of the selected card, else of the current one."""
        box = self._stage.current_box()
        if box is None or self._texts == box:
            self.hide()
        else:
            self._view.keep_visible(box)
            self._show_tip(box)

    def hide(self) -> None:
        """Hide the hover card."""
        self._delay.stop()
        self._texts = None
        self.card.hide()

    def _show_tip(self, box: int) -> None:
        index, scene = self._state.index, self._stage.scene
        if index is None or scene is None:
            return
        drawn = scene.picture.nodes[box]
        problem = scene.node_problems.marks.get(box, "")
        state = self._state
        if box in scene.nodes.hidden_cards:
            self.card.show_facts(CardFacts(title=HIDDEN, lines=()))
        else:
            facts = card_facts_of(state.revealed, drawn, state.number, problem)
            if box in scene.storages.marks:
                memory = self.tr("memory"), scene.storages.marks[box].tip
                facts = replace(facts, lines=(*facts.lines, memory))
            self.card.show_facts(facts)
        self.card.place_next_to(self._on_screen(box), self._view.screen().availableGeometry())
        self._texts = box
        self.card.show()

    def _on_screen(self, box: int) -> QRect:
        rect = self._view.card_rect(box).toAlignedRect().intersected(self._view.viewport().rect())
        return QRect(self._view.viewport().mapToGlobal(rect.topLeft()), rect.size())

    def _on_view_card_hovered(self, box: int | None, place: QPoint) -> None:
        scene = self._stage.scene
        if scene is None or box == self._box:
            return
        was_shown = self._texts is not None
        self._box = box
        scene.mark("hovered", box)
        self.hide()
        if box is not None:
            self._delay.start(NEXT_DELAY_MS if was_shown else DELAY_MS)

    def _on_delay_timeout(self) -> None:
        if self._box is not None and self._view.isVisible():
            self._show_tip(self._box)

    def _on_state_place_changed(self, _: object) -> None:
        if self._texts is not None:
            self._show_tip(self._texts)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the hover card when the mouse, the focus or the view goes away."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide) and watched is not self._view:
            self._on_view_card_hovered(None, QPoint())
        elif event.type() in (QEvent.Type.FocusOut, QEvent.Type.Hide, QEvent.Type.Wheel):
            self.hide()
        return False
