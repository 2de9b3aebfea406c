"""Frames around open groups, and their titles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.drawn_graph import DrawnFrame
from gradviz.drawing.display.cards import placed_text
from gradviz.drawing.display.parts import Part, Pen, RoundedRect, Shape, polyline
from gradviz.drawing.geometry.box_geometry import FrameGeometry
from gradviz.drawing.geometry.rect import Rect

CORNER = 10.0
_PAD = 3.0


def frame_depths(frames: Iterable[DrawnFrame]) -> list[int]:
    """Nesting depth of each frame, 0 for the outermost; each comes after what contains it."""
    depth: dict[str, int] = {"": -1}
    for frame in frames:
        depth[frame.id] = depth[frame.parent] + 1
    return [depth[frame.id] for frame in frames]


def frame_shape(rect: Rect, depth: int) -> Shape:
    """The background of an open group."""
    return Shape(RoundedRect(rect, CORNER), _ground(depth), Pen("frame_border"))


def frame_title(
    face: FrameGeometry, rect: Rect, depth: int, sign: PaletteRole | None = None
) -> Iterator[Part]:
    """The title of a frame, on a background that covers crossing lines.

    Args:
        face: Layout of the title bar.
        rect: The frame.
        depth: Its nesting depth.
        sign: Color of the button that closes the group; None without one, where the title takes
            its place.
    """
    if not face.texts and sign is None:
        return
    button = rect.placed(face.sign)
    shift = 0.0 if sign is not None else face.sign.x - face.texts[0].x
    right = rect.x + max((each.x + each.width for each in face.texts), default=0.0) + shift
    covered = Rect(x=button.x, y=button.y, width=right - button.x, height=button.height)
    yield Shape(RoundedRect(covered.grown(_PAD)), _ground(depth))
    if sign is not None:
        yield from fold_sign(button, sign)
    moved = Rect(x=rect.x + shift, y=rect.y, width=rect.width, height=rect.height)
    for each in face.texts:
        yield placed_text(each, moved, "frame_text")


def fold_sign(space: Rect, ink: PaletteRole) -> Iterator[Shape]:
    """A minus sign in a box: the button that closes a group."""
    pen, (_, middle) = Pen(ink, 1.3), space.center
    yield Shape(RoundedRect(space, 3.0), pen=pen)
    yield Shape(polyline((space.x + 3, middle), (space.right - 3, middle)), pen=pen)


def _ground(depth: int) -> PaletteRole:
    return "frame_inner" if depth % 2 else "frame_fill"
