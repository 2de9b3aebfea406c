"""A picture of a story: objects with a place, which the stage paints and exports write.

The unit is one pixel of a slide of 1280 x 720, y grows downward. An object that is in two pictures
has the same key in both, so that it can move from one place to the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gradviz.drawing.display.parts import FramePart
from gradviz.drawing.geometry.rect import Point

SLIDE = 1280.0, 720.0
"""Width and height of a slide."""

LEAST_TEXT, MAIN_NUMBER = 20.0, 36.0
"""Smallest size of a text, and that of the numbers a picture is about, if it has the room."""

_CHANGE = 0.5
"""Share of the way from which on an object looks as in the other picture: the rest of the first one
has vanished then, and a new question never stands above an old picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """An object of a picture.

    Attributes:
        key: Names it in all pictures of a story.
        parts: What it consists of, from its own origin on.
        x: Left edge of its origin.
        y: Upper edge of its origin.
        scale: Factor on its parts.
        opacity: From 0, invisible, to 1.
        source: Key of the object that it comes out of when it appears, and goes into when it
            vanishes, in the other picture or else in its own; empty for none.
        tensor: Number of the tensor whose element its text is; None for any other object.
        position: Row-major position of this element.
        link: Address of the page that it leads to; usually empty.
    """

    key: str
    parts: tuple[FramePart, ...]
    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    opacity: float = 1.0
    source: str = ""
    tensor: int | None = None
    position: int = 0
    link: str = ""

    def placed(self, x: float, y: float, scale: float = 1.0) -> Drawn:
        """The object, first scaled from the origin and then moved."""
        return replace(self, x=x + self.x * scale, y=y + self.y * scale, scale=self.scale * scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A picture.

    Attributes:
        width: Its width.
        height: Its height.
        drawn: Its objects, the lowest first.
        spoken: What it shows, for people who cannot see it.
        notes: What only the speaker sees.
    """

    width: float
    height: float
    drawn: tuple[Drawn, ...]
    spoken: str = ""
    notes: str = ""


def between(before: Frame, after: Frame, share: float) -> Frame:
    """A picture on the way from one to another.

    Args:
        before: The first picture.
        after: The last one.
        share: Share of the way, from 0 to 1.
    """
    if share >= 1:
        return after
    left = {each.key: each for each in before.drawn}
    kept = {each.key: each for each in after.drawn}
    going = (_moved(kept, left, each, 1 - share) for each in before.drawn if each.key not in kept)
    coming = [_moved(left, kept, each, share) for each in after.drawn]
    if share < _CHANGE:
        # What covers what changes, too.
        order = {key: number for number, key in enumerate(left)}
        coming.sort(key=lambda each: order.get(each.key, len(order)))
    return replace(after, drawn=(*going, *coming))


def _moved(others: dict[str, Drawn], own: dict[str, Drawn], drawn: Drawn, share: float) -> Drawn:
    """An object on its way from where another picture has it, or from its source."""
    start, near = others.get(drawn.key), 1.0
    if start is not None and share < _CHANGE:
        drawn = replace(drawn, parts=start.parts)
    if start is None and (start := others.get(drawn.source)) is not None:
        # Close to its source, it would cover it.
        near = min(1.0, 4 * share)
    if start is None:
        start = own.get(drawn.source, drawn)
        # What has no source does not cover what is still on its way.
        opacity = 2 * share if drawn.source in own else 2 * share - 1
        drawn = replace(drawn, opacity=drawn.opacity * min(max(0.0, opacity), 1.0))
        start = replace(start, opacity=drawn.opacity)
    return replace(
        drawn,
        x=start.x + (drawn.x - start.x) * share,
        y=start.y + (drawn.y - start.y) * share,
        scale=start.scale + (drawn.scale - start.scale) * share,
        opacity=near * (start.opacity + (drawn.opacity - start.opacity) * share),
    )


def at(point: Point, drawn: Iterable[Drawn], scale: float = 1.0) -> tuple[Drawn, ...]:
    """Objects, scaled from the origin and moved to a point."""
    return tuple(each.placed(*point, scale) for each in drawn)
