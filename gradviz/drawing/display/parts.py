"""The parts of a drawing: shapes, lines of text, and cells of tensors, in drawing order.

The window paints them with Qt, exports write them as SVG. Colors are palette roles, so a drawing is
the same in each theme. One unit is one point at 100%, y grows downward.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import BASELINE, Measure, TextStyle
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.model.tensor import TensorValue


@dataclass(frozen=True, slots=True)
class Pen:
    """How an outline is stroked.

    Attributes:
        ink: Color.
        width: Width of the stroke.
        dash: Length of dashes and gaps; None for a solid stroke.
        is_round: Whether the ends of open outlines are round.
    """

    ink: PaletteRole
    width: float = 1.0
    dash: tuple[float, float] | None = None
    is_round: bool = False


@dataclass(frozen=True, slots=True)
class RoundedRect:
    """A rectangle with round corners; a circle if the radius is half of its sides."""

    rect: Rect
    radius: float = 0.0


@dataclass(frozen=True, slots=True)
class Outline:
    """An outline of lines and curves.

    Attributes:
        commands: Each has a letter as in SVG, ``M``, ``L``, ``Q``, ``C`` or ``Z``, and its points.
    """

    commands: tuple[tuple[str, tuple[Point, ...]], ...]


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled or stroked outline, which is opaque unless its opacity is below 1."""

    outline: RoundedRect | Outline
    fill: PaletteRole | None = None
    pen: Pen | None = None
    opacity: float = 1.0


@dataclass(frozen=True, slots=True)
class TextRun:
    """A line of plain text, at the left end of its baseline."""

    text: str
    x: float
    baseline: float
    style: TextStyle
    ink: PaletteRole


@dataclass(frozen=True, slots=True)
class TensorCells:
    """The elements of a tensor, drawn into a rectangle."""

    tensor: int
    rect: Rect


Part = Shape | TextRun | TensorCells


@dataclass(frozen=True, slots=True)
class ValuePlane:
    """The elements of a tensor of up to two dimensions, once they are read.

    Attributes:
        value: The elements.
        rect: Where they are.
        limit: Colors go from ``-limit`` to ``limit``; None for the tensor's own scale.
        tensor: Number of the tensor; None if it is none of the run's.
        first: Row-major position of the first element in that tensor.
    """

    value: TensorValue
    rect: Rect
    limit: float | None = None
    tensor: int | None = None
    first: int = 0


FramePart = Shape | TextRun | ValuePlane


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at the border of a card: the rectangle that it covers, and its parts."""

    rect: Rect
    parts: tuple[Part, ...]


def polyline(*points: Point, closed: bool = False) -> Outline:
    """Outline of straight lines through points."""
    lines = tuple(("L", (each,)) for each in points[1:])
    return Outline((("M", points[:1]), *lines, *((("Z", ()),) if closed else ())))


def circle(middle: Point, radius: float) -> RoundedRect:
    """Outline of a circle."""
    x, y = middle
    return RoundedRect(Rect(x=x, y=y, width=0, height=0).grown(radius), radius)


def middle_baseline(rect: Rect, style: TextStyle, measure: Measure) -> float:
    """Baseline of a line of text in the vertical middle of a rectangle."""
    return rect.y + rect.height / 2 + (BASELINE - 0.5) * measure("x", style)[1]
