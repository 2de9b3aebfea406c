"""The numbers of inputs on the stage, which mouse and keys turn like knobs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.story.elements import FrameElement, frame_elements
from gradviz.viewer.local_keys import STAGE_NUMBER_KEYS, pressed
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.tensor_view.small.heatmap import TURN_PIXELS
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.what_if.knob import Knob, KnobElement

_TURNS = {"larger": 1, "smaller": -1}


class StageKnob(QObject):
    """Lets people choose a number of the picture and turn it, and puts a ring around it.

    Its keys work only while a number is chosen; all others, and these before that, step as usual.
    In a lesson, a clicker's keys choose one themselves; see `turn`.
    """

    def __init__(
        self, view: FrameView, knob: Knob, theme: Theme, index: Callable[[], TraceIndex | None]
    ) -> None:
        """Watch a view.

        Args:
            view: The view.
            knob: What its numbers turn.
            theme: The theme.
            index: The run that the view shows.
        """
        super().__init__(view)
        self._view, self._knob, self._theme, self._index = view, knob, theme, index
        self._elements: dict[KnobElement, FrameElement] = {}
        self._dragged_from: float | None = None
        view.setMouseTracking(True)
        view.installEventFilter(self)
        view.frame_changed.connect(self._on_view_frame_changed)
        knob.changed.connect(self._show_ring)

    def _on_view_frame_changed(self) -> None:
        frame, index = self._view.frame, self._index()
        found: dict[KnobElement, FrameElement] = {}
        known: dict[int, KnobElement | None] = {}
        for each in () if frame is None else frame_elements(frame):
            if each.tensor not in known and index is not None:
                known[each.tensor] = self._knob.element_of(index, each.tensor, 0)
            first = known.get(each.tensor)
            if first is not None:
                element = KnobElement(first.target, each.position)
                # Of those that are drawn twice, the larger one.
                other = found.get(element)
                if other is None or other.rect.height < each.rect.height:
                    found[element] = each
        self._elements = found
        self._show_ring()

    def _show_ring(self) -> None:
        shown = self._chosen
        self._view.ring(None if shown is None else shown.rect)

    @property
    def _chosen(self) -> FrameElement | None:
        """The chosen element, if it is in the picture."""
        element = self._knob.element
        return None if element is None else self._elements.get(element)

    def _at(self, place: QPointF) -> KnobElement | None:
        x, y = self._view.in_picture(place)
        for element, shown in self._elements.items():
            rect = shown.rect
            if rect.x <= x <= rect.right and rect.y <= y <= rect.bottom:
                return element
        return None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the mouse on numbers that can be turned, and the keys while one is chosen."""
        if isinstance(event, QMouseEvent):
            return self._take_mouse(event)
        if isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusIn:
            if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
                self._choose_next(1)
        elif isinstance(event, QKeyEvent):
            return self._take_key(event)
        return False

    def _take_mouse(self, event: QMouseEvent) -> bool:
        y, kind = event.position().y(), event.type()
        if kind == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
            element = self._at(event.position())
            if element is None:
                return False
            self._knob.choose(element)
            self._view.setFocus(Qt.FocusReason.MouseFocusReason)
            self._dragged_from = y
        elif kind == QEvent.Type.MouseMove and self._dragged_from is not None:
            steps = int((self._dragged_from - y) / self._theme.px(TURN_PIXELS))
            if steps:
                self._dragged_from -= steps * self._theme.px(TURN_PIXELS)
                self._knob.turn(steps, is_final=False)
        elif kind == QEvent.Type.MouseMove:
            # Elsewhere, the view says what the pointer is on.
            if self._at(event.position()) is None:
                return False
            self._view.setCursor(Qt.CursorShape.SizeVerCursor)
        elif kind == QEvent.Type.MouseButtonRelease and self._dragged_from is not None:
            self._dragged_from = None
            self._knob.settle()
        else:
            return False
        return True

    def _take_key(self, event: QKeyEvent) -> bool:
        command = pressed(STAGE_NUMBER_KEYS, event)
        if not command or self._chosen is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            # Otherwise the shortcut of Presenter Mode gets it.
            event.accept()
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        match command:
            case "larger" | "smaller":
                self._knob.turn(_TURNS[command])
            case "next":
                self._choose_next(1)
            case "previous":
                self._choose_next(-1)
            case "reset":
                self._knob.reset()
            case _:
                self._knob.leave()
        return True

    def turn(self, by: int) -> None:
        """Turn the chosen number, or else the first one, if the picture has one."""
        if self._chosen is None:
            self._choose_next(1)
        if self._chosen is not None:
            # Esc leaves the number then, before all else.
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
            self._knob.turn(by)

    def _choose_next(self, by: int) -> None:
        known = [*self._elements]
        if not known:
            return
        element = self._knob.element
        place = known.index(element) + by if element in known else min(0, by)
        self._knob.choose(known[place % len(known)])
