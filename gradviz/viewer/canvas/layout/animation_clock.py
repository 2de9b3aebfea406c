"""The clock of all canvas animations: one runs at a time, and always to its end.

An animation is a function of its progress from 0 to 1; called with 1, it leaves the canvas at
rest. It decorates a change that has already been made and never delays one. To animate a
change, call `AnimationClock.play` with the function; a running animation is first finished
immediately. If animations are off, the function is only called with 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QVariantAnimation, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE
from gradviz.drawing.display.cards import card_body, kind_role, placed_text
from gradviz.drawing.geometry.box_geometry import BoxGeometry
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, box_of
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.tensor_view.cell_painter import rect_of
from gradviz.viewer.theme.animation_policy import may_move
from gradviz.viewer.theme.theme import Theme

Animation = Callable[[float], None]
"""Function that shows an animation at a progress from 0 to 1; 1 leaves the canvas at rest."""

STEP_MS = 260
"""Duration of the transition from one step to the next."""

FOLD_MS = 220
"""Duration of moving boxes to new positions."""


class AnimationClock(QObject):
    """Plays animations.

    Signals:
        animation_finished: An animation has reached its end.
    """

    animation_finished = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._movement: Animation | None = None
        self._ticks = QVariantAnimation(self, startValue=0.0, endValue=1.0)
        self._ticks.setEasingCurve(QEasingCurve.Type.InOutSine)
        self._ticks.valueChanged.connect(self._on_ticks_value_changed)
        self._ticks.finished.connect(self.finish)

    @property
    def moving(self) -> bool:
        """Whether an animation is running."""
        return self._movement is not None

    def play(self, movement: Animation, duration_ms: int = STEP_MS) -> None:
        """Play an animation, after finishing the one that is running.

        Args:
            movement: Called repeatedly with values from 0 up, and finally with exactly 1.
            duration_ms: Duration in milliseconds.
        """
        # Jump to the end of the running animation, so that the new one starts from a valid picture.
        self.finish()
        if not may_move(self._preferences):
            movement(1.0)
            return
        self._movement = movement
        movement(0.0)
        self._ticks.setDuration(duration_ms)
        self._ticks.start()

    def finish(self) -> None:
        """Finish the running animation immediately."""
        self._ticks.stop()
        # Cleared first, so that a `finish` during the last call does nothing.
        movement, self._movement = self._movement, None
        if movement is not None:
            movement(1.0)
            self.animation_finished.emit()

    def _on_ticks_value_changed(self, part: float) -> None:
        # `finish` is called right afterwards and shows the last frame.
        if self._movement is not None and part < 1.0:
            self._movement(part)


@dataclass(frozen=True, slots=True)
class LayoutAnchor:
    """One item's rectangle in two pictures of the same graph.

    Attributes:
        before: Rectangle in the old picture.
        after: Rectangle in the new picture.
    """

    before: QRectF
    after: QRectF


def anchor_of(before: GraphPicture, after: GraphPicture, node: int | None) -> LayoutAnchor | None:
    """Find what must not move: the opened or closed group, else the box of `node`."""
    cards, frames = _cards(before), _group_frames(before)
    # If several groups changed, the outermost one comes first in its picture.
    for key, box in _group_frames(after).items():
        if key in cards:
            return LayoutAnchor(cards[key], box)
    cards = _cards(after)
    for key, box in frames.items():
        if key in cards:
            return LayoutAnchor(box, cards[key])
    old, new = box_of(before, node), box_of(after, node)
    if node is None or old is None or new is None:
        return None
    return LayoutAnchor(QRectF(*before.boxes[old].tolist()), QRectF(*after.boxes[new].tolist()))


def _cards(picture: GraphPicture) -> dict[str, QRectF]:
    return {
        drawn.group: QRectF(*picture.boxes[at].tolist())
        for at, drawn in enumerate(picture.nodes)
        if drawn.group
    }


def _group_frames(picture: GraphPicture) -> dict[str, QRectF]:
    return {frame.drawn.group: QRectF(*frame.box) for frame in picture.frames}


MOST = 400
"""Maximum number of animated boxes; more would be too small to follow."""

LATE = 0.55
"""Progress from which lines, labels and marks fade in."""


@dataclass(frozen=True, slots=True)
class _BoxMotion:
    kind: DrawnKind
    face: BoxGeometry | None
    before: QRectF
    after: QRectF
    goes: bool


class LayoutTransition(QGraphicsItem):
    """Animation from one picture to another, created when the other is already shown.

    Args:
        before: The old picture.
        scene: Shows the new picture.
        theme: Colors to draw with.
        shift: Offset from an old position to the same viewport position in the new scene.
        visible: Visible area of the scene.
    """

    def __init__(
        self, before: GraphPicture, scene: GraphScene, theme: Theme, shift: QPointF, visible: QRectF
    ) -> None:
        super().__init__()
        self._scene = scene
        self._part = 1.0
        self._paint = PartPainter(theme)
        motions = [
            *_appearing_boxes(before, scene.picture, shift),
            *_disappearing_boxes(before, scene.picture, shift),
        ]
        seen = [
            motion
            for motion in motions
            if motion.before.intersects(visible) or motion.after.intersects(visible)
        ]
        self._motions = seen if len(seen) <= MOST else []
        self._frames = _frames(before, scene.picture, shift) if self._motions else []
        self._cards = (scene.frames, scene.nodes, scene.group_progresses)
        # Collected before this item is added, which must not fade itself out.
        self._others = [item for item in scene.items() if item not in self._cards]
        self._bounds = visible
        for motion in self._motions:
            self._bounds = self._bounds.united(motion.before).united(motion.after)
        # Behind the lines, which fade in before the boxes have arrived.
        self.setZValue(-1)
        scene.addItem(self)

    def show_at(self, part: float) -> None:
        """Show the animation at a progress; at 1 the scene is at rest and this item is removed."""
        self._part = part
        over = part >= 1.0 or not self._motions
        late = 1.0 if over else max(0.0, (part - LATE) / (1.0 - LATE))
        for item in self._others:
            item.setOpacity(late)
        for item in self._cards:
            item.setOpacity(1.0 if over else 0.0)
        self.update()
        if over and self.scene() is not None:
            self._scene.removeItem(self)

    def boundingRect(self) -> QRectF:
        """Bounds of the visible area and of all moving boxes."""
        return self._bounds

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Draw the boxes at their current positions."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for number, start, end in self._frames:
            self._scene.frames.paint_frame(painter, number, blended(start, end, self._part))
        for motion in self._motions:
            box = blended(motion.before, motion.after, self._part)
            painter.setOpacity(1.0 - self._part if motion.goes else 1.0)
            self._paint.paint(painter, card_body(motion.kind, rect_of(box), DONE))
            if motion.face is not None:
                ink = kind_role(motion.kind, "text")
                title = placed_text(motion.face.texts[0], rect_of(box), ink)
                self._paint.paint(painter, [title])
        painter.setOpacity(1.0)


def _appearing_boxes(before: GraphPicture, after: GraphPicture, shift: QPointF) -> list[_BoxMotion]:
    """Boxes of the new picture; they start where they or their closed group were."""
    known = {drawn.id: at for at, drawn in enumerate(before.nodes)}
    frames = _group_frames(before)
    groups = {
        node: at for at, drawn in enumerate(before.nodes) if drawn.group for node in drawn.nodes
    }
    motions = []
    for at, drawn in enumerate(after.nodes):
        same = known.get(drawn.id)
        holder = same if same is not None else groups.get(drawn.nodes[0])
        after_box = QRectF(*after.boxes[at].tolist())
        if holder is not None:
            start = QRectF(*before.boxes[holder].tolist())
        elif drawn.group in frames:
            start = frames[drawn.group]
        else:
            continue
        face = after.faces[at] if same is not None else None
        motions.append(_BoxMotion(drawn.kind, face, start.translated(shift), after_box, goes=False))
    return motions


def _disappearing_boxes(
    before: GraphPicture, after: GraphPicture, shift: QPointF
) -> list[_BoxMotion]:
    """Boxes of the old picture that are now inside a closed group."""
    known = {drawn.id for drawn in after.nodes}
    groups = {
        node: at for at, drawn in enumerate(after.nodes) if drawn.group for node in drawn.nodes
    }
    motions = []
    for at, drawn in enumerate(before.nodes):
        holder = groups.get(drawn.nodes[0])
        if drawn.id in known or holder is None:
            continue
        start = QRectF(*before.boxes[at].tolist()).translated(shift)
        end = QRectF(*after.boxes[holder].tolist())
        motions.append(_BoxMotion(drawn.kind, None, start, end, goes=True))
    return motions


def _frames(
    before: GraphPicture, after: GraphPicture, shift: QPointF
) -> list[tuple[int, QRectF, QRectF]]:
    """Frames of the new picture; they start where they or their closed group were."""
    known = _group_frames(before) | _cards(before)
    return [
        (at, known[frame.drawn.group].translated(shift), QRectF(*frame.box))
        for at, frame in enumerate(after.frames)
        if frame.drawn.group in known
    ]


def blended(first: QRectF, second: QRectF, part: float) -> QRectF:
    """A rectangle on the way from one to another."""
    corner = first.topLeft() + (second.topLeft() - first.topLeft()) * part
    size = first.size() + (second.size() - first.size()) * part
    return QRectF(corner, size)
