"""Breakpoint definitions, as values that are independent of any trace."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from gradviz.model.codec import Real
from gradviz.model.source import source_lines

NEARBY = 100
"""Number of lines above and below in which a moved line is searched."""

LineMatch = Literal["same", "moved", "changed"]


def source_line_text(text: str, line: int) -> str:
    """One line of a source, without surrounding spaces; empty beyond the end."""
    lines = source_lines(text)
    return lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def track_line(target: AtLine, text: str) -> tuple[AtLine, LineMatch]:
    """Find where a line is in an edited source.

    Args:
        target: The line, with its text.
        text: The whole source.

    Returns:
        The line at its new place, if the old place has a different text and the line's text occurs
        exactly once nearby. Otherwise the unchanged line, and whether its text differs.
    """
    if not target.text or source_line_text(text, target.line) == target.text:
        return target, "same"
    lines = [each.strip() for each in source_lines(text)]
    first = max(0, target.line - 1 - NEARBY)
    near = range(first, min(len(lines), target.line + NEARBY))
    found = [at + 1 for at in near if lines[at] == target.text]
    # Of several equal lines, such as ``else:``, nothing tells which one is meant.
    if len(found) != 1:
        return target, "changed"
    return AtLine(path=target.path, line=found[0], text=target.text), "moved"


PassDirection = Literal["both", "forward", "backward"]
"""Whether a node hits when it is created, when it is executed, or both."""

NotFiniteKind = Literal["nan", "inf"]


class AtNode(Struct, frozen=True, kw_only=True, tag=True):
    """Every step of one node.

    Attributes:
        node: Id of the node.
        name: Name of the node, which must be the same in another run of the same code.
        direction: Which of its steps hit.
    """

    node: int
    name: str
    direction: PassDirection = "both"


class AtFunction(Struct, frozen=True, kw_only=True, tag=True):
    """Every node that a function or op created, and every inner op of that name.

    Attributes:
        name: Name of a custom Function, of a function such as ``mul``, of a node such as
            ``MulBackward0``, or of an inner op such as ``aten::mul``.
        direction: Which of its steps hit.
    """

    name: str
    direction: PassDirection = "both"


class AtLine(Struct, frozen=True, kw_only=True, tag=True):
    """Every statement that covers a source line, and every step called from it.

    Attributes:
        path: Path as the run knew it.
        line: Line number, from 1.
        text: Text of the line when the breakpoint was set, to find it again in an edited file.
    """

    path: str
    line: int
    text: str = ""


class WhenNotFinite(Struct, frozen=True, kw_only=True, tag=True):
    """A tensor with NaN or Inf.

    Attributes:
        kind: Which of them; in complex elements either part counts.
        appears: Whether it hits only if an output has it and no input does, or the run receives it
            from outside. If False, it hits wherever it occurs.
    """

    kind: NotFiniteKind
    appears: bool = True


class WhenNorm(Struct, frozen=True, kw_only=True, tag=True):
    """A tensor whose L2 norm, over its finite elements, is large.

    Attributes:
        above: The norm must be greater than this.
        gradients: Whether only gradients count, along edges and accumulated in leaves.
        appears: As in `WhenNotFinite`.
    """

    above: Real
    gradients: bool = True
    appears: bool = True


class WhenShape(Struct, frozen=True, kw_only=True, tag=True):
    """A change of shape.

    For a gradient, the engine sums what a backward returned to the shape it must have. For a local
    variable, a line replaces its tensor by one of another shape.
    """


class WhenDtype(Struct, frozen=True, kw_only=True, tag=True):
    """A change of dtype: the engine casts a gradient, or a line changes a local variable."""


class WhenSign(Struct, frozen=True, kw_only=True, tag=True):
    """A change of the sign of one element.

    A local variable is compared with its value before in the same call, a leaf with its last known
    value, and a leaf's ``.grad`` with its previous total. An element that becomes 0 or NaN keeps
    its previous sign, so that passing through 0 neither hides a change nor adds one.

    Attributes:
        name: Name of a leaf or a local variable.
        element: Index in the whole tensor, one number for each dimension.
        gradient: Whether to follow the leaf's ``.grad`` instead of values.
    """

    name: str
    element: tuple[int, ...]
    gradient: bool = True


class WhenPrinted(Struct, frozen=True, kw_only=True, tag=True):
    """A step that prints something."""


class WhenRaised(Struct, frozen=True, kw_only=True, tag=True):
    """An exception: the innermost line or op that did not finish, or else the run's error."""


Condition = WhenNotFinite | WhenNorm | WhenShape | WhenDtype | WhenSign | WhenPrinted | WhenRaised
"""A breakpoint that is searched in the whole run."""

BreakpointTarget = (
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
"""Anything that a breakpoint can stop at."""


class Breakpoint(Struct, frozen=True, kw_only=True):
    """A target to stop at.

    Attributes:
        target: What to stop at.
        enabled: Whether the breakpoint is active.
    """

    target: BreakpointTarget
    enabled: bool = True
