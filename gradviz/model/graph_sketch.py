"""A graph without its texts, small enough for a list."""

from msgspec import Struct

SKETCH_SIZE = (480, 360)
"""Width and height of the area in which the boxes of a sketch are."""


class SketchBox(Struct, frozen=True, kw_only=True, array_like=True):
    """One box.

    Attributes:
        kind: What it is, such as ``leaf`` or ``custom``.
        x: Left edge.
        y: Upper edge.
        width: Width.
        height: Height.
    """

    kind: str
    x: int
    y: int
    width: int
    height: int


class GraphSketch(Struct, frozen=True, kw_only=True, array_like=True):
    """Boxes and the lines between them.

    Attributes:
        boxes: The boxes, in an area of `SKETCH_SIZE`.
        lines: Places of the two boxes that each line joins.
    """

    boxes: tuple[SketchBox, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
