"""The clock of all canvas animations: one runs at a time, and always to its end.

An animation is a function of its progress from 0 to 1; called with 1, it leaves the canvas at
rest. It decorates a change that has already been made and never delays one. To animate a
change, call `AnimationClock.play` with the function; a running animation is first finished
immediately. If animations are off, the function is only called with 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QVariantAnimation, Signal
from PySide6.QtGui import QPainter

from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE
from gradviz.drawing.display.cards import card_body, kind_role, placed_text
from gradviz.drawing.geometry.box_geometry import BoxGeometry
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.layer import CanvasItem
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, box_of
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.tensor_view.cell_painter import rect_of
from gradviz.viewer.theme.animation_policy import may_move

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


LayoutAnchor = tuple[QRectF, QRectF]
"""Rectangle of one item in the old and in the new picture of a graph."""


def anchor_of(before: GraphPicture, after: GraphPicture, node: int | None) -> LayoutAnchor | None:
    """Find what must not move: the opened or closed group, else the box of `node`."""
    # If several groups changed, the outermost one comes first in its picture.
    opened, closed = (_cards(before), _group_frames(after)), (_group_frames(before), _cards(after))
    for key in opened[1]:
        if key in opened[0]:
            return opened[0][key], opened[1][key]
    for key in closed[0]:
        if key in closed[1]:
            return closed[0][key], closed[1][key]
    old, new = box_of(before, node), box_of(after, node)
    if node is None or old is None or new is None:
        return None
    return _boxes(before)[old], _boxes(after)[new]


def _boxes(picture: GraphPicture) -> list[QRectF]:
    return [QRectF(*box) for box in picture.boxes.tolist()]


def _cards(picture: GraphPicture) -> dict[str, QRectF]:
    pairs = zip(picture.nodes, _boxes(picture), strict=True)
    return {drawn.group: box for drawn, box in pairs if drawn.group}


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


class LayoutTransition(CanvasItem):
    """Animation from one picture to another, created when the other is already shown.

    Args:
        before: The old picture.
        scene: Shows the new picture.
        shift: Offset from an old position to the same viewport position in the new scene.
        visible: Visible area of the scene.
    """

    def __init__(
        self, before: GraphPicture, scene: GraphScene, shift: QPointF, visible: QRectF
    ) -> None:
        super().__init__(scene.context)
        self._scene = scene
        self._part = 1.0
        seen = [
            motion
            for motion in _motions(before, scene.picture, shift)
            if motion.before.intersects(visible) or motion.after.intersects(visible)
        ]
        self._motions = seen if len(seen) <= MOST else []
        self._frames = _frames(before, scene.picture, shift) if self._motions else []
        self._cards = (scene.frames, scene.nodes, scene.group_progresses)
        self._others = [item for item in scene.items_by_height if item not in self._cards]
        scene.transition = self

    def show_at(self, part: float) -> None:
        """Show the animation at a progress; at 1 the scene is at rest and this item is removed."""
        self._part = part
        over = part >= 1.0 or not self._motions
        late = 1.0 if over else max(0.0, (part - LATE) / (1.0 - LATE))
        for item in self._others:
            item.opacity = late
        for item in self._cards:
            item.opacity = 1.0 if over else 0.0
        if over:
            self._scene.transition = None
        self._context.update()

    def paint(self, painter: QPainter, exposed: QRectF) -> None:
        """Paint the boxes at their current positions."""
        colors = self._context.colors()
        for number, start, end in self._frames:
            self._scene.frames.paint_frame(painter, number, blended(start, end, self._part))
        for motion in self._motions:
            box = blended(motion.before, motion.after, self._part)
            painter.setOpacity(1.0 - self._part if motion.goes else 1.0)
            colors.paint(painter, card_body(motion.kind, rect_of(box), DONE))
            if motion.face is not None:
                ink = kind_role(motion.kind, "text")
                title = placed_text(motion.face.texts[0], rect_of(box), ink)
                colors.paint(painter, [title])


def _holders(picture: GraphPicture) -> dict[int, QRectF]:
    """The box of the closed group that holds a node, by node."""
    pairs = zip(picture.nodes, _boxes(picture), strict=True)
    return {node: box for drawn, box in pairs if drawn.group for node in drawn.nodes}


def _motions(before: GraphPicture, after: GraphPicture, shift: QPointF) -> Iterator[_BoxMotion]:
    """Boxes start and end where they, their closed group, or its frame are."""
    old, new = _boxes(before), _boxes(after)
    known = {drawn.id: box for drawn, box in zip(before.nodes, old, strict=True)}
    frames, groups = _group_frames(before), _holders(before)
    for drawn, face, end in zip(after.nodes, after.faces, new, strict=True):
        start = known.get(drawn.id) or groups.get(drawn.nodes[0]) or frames.get(drawn.group)
        if start is not None:
            same = face if drawn.id in known else None
            yield _BoxMotion(drawn.kind, same, start.translated(shift), end, goes=False)
    remaining, groups = {drawn.id for drawn in after.nodes}, _holders(after)
    for drawn, start in zip(before.nodes, old, strict=True):
        holder = groups.get(drawn.nodes[0])
        if drawn.id not in remaining and holder is not None:
            yield _BoxMotion(drawn.kind, None, start.translated(shift), holder, goes=True)


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
