"""Breakpoints as values: what shall be stopped at. They outlive the trace they were set in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["both", "forward", "backward"]
"""Whether a node counts when it is made, when it is executed, or both."""

NotFiniteKind = Literal["nan", "inf"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AtNode:
    """Every step that is about one node.

    Attributes:
        node: Its id.
        name: Its name, which must be the same in another run of the same code.
        direction: Which of the steps count.
    """

    node: int
    name: str
    direction: Direction = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class AtFunction:
    """Every node that a function or op has made, and every inner op of that name.

    Attributes:
        name: Of a custom Function, of a function like ``mul``, of a node like ``MulBackward0``, or
            of an inner op like ``aten::mul``.
        direction: Which of the steps count.
    """

    name: str
    direction: Direction = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class AtLine:
    """Every statement that covers a line of a source, and every step that happens at it.

    Attributes:
        path: As the run knew it.
        line: From 1.
        text: What stood in the line when this was set, to find it again in an edited file.
    """

    path: str
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenNotFinite:
    """A value that is not finite is found.

    Attributes:
        kind: Which one; of complex elements either part counts.
        appears: Only where it is in what comes out, though nothing that went in had it, and where
            it comes in from outside of the run. Else wherever it is.
    """

    kind: NotFiniteKind
    appears: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenNorm:
    """A tensor with a large L2 norm is found; of its finite elements, as everywhere.

    Attributes:
        above: What the norm must exceed.
        gradients: Only gradients count: what flows along edges and adds up in leaves.
        appears: As of `WhenNotFinite`.
    """

    above: float
    gradients: bool = True
    appears: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenShape:
    """A shape changes.

    Of a gradient, where the engine sums what a backward returned to the shape that it must have; of
    a local variable, where a line leaves a tensor of another shape in it than it had before.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenDtype:
    """A dtype changes: of a gradient, where the engine casts it; of a local variable, by a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenSign:
    """One element changes its sign.

    What a line leaves in the local variable of that name is compared with what the variable had
    before in the same call; of a leaf, its value with what it was when it was seen last, or what
    has added up in its ``.grad`` with what had before. An element has the sign that it had last
    while it was neither 0 nor NaN, so a pause at 0 hides no change, and makes none.

    Attributes:
        name: Of a leaf or a local variable.
        element: Into the whole tensor, one number for each dimension.
        gradient: Whether the leaf's ``.grad`` is meant; else values.
    """

    name: str
    element: tuple[int, ...]
    gradient: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenPrinted:
    """A step prints something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WhenRaised:
    """Something raises: the innermost line or op that did not finish, else the run's error."""


Condition = WhenNotFinite | WhenNorm | WhenShape | WhenDtype | WhenSign | WhenPrinted | WhenRaised
"""What is looked for in all of the run."""

Target = (
    AtNode
    | AtFunction
    | AtLine
    | WhenNotFinite
    | WhenNorm
    | WhenShape
    | WhenDtype
    | WhenSign
    | WhenPrinted
    | WhenRaised
)
"""What a breakpoint stops at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakpoint:
    """Something to stop at.

    Attributes:
        target: What.
        enabled: Whether it is stopped at now.
    """

    target: Target
    enabled: bool = True
