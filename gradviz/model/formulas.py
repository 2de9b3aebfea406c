"""Lookup of the formulas with which torch's built-in nodes compute their gradients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.model.formula_table import EQUATIONS, NOTES

_NODE = re.compile(r"(?:.*::)?(?P<base>\w+?)(?P<version>\d*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """The computation of a node's backward, in torch's own names.

    Attributes:
        equations: Such as ``grad_self = grad @ mat2ᵀ``: ``grad`` is the incoming gradient, the
            other names are the node's inputs and saved values.
        note: A sentence on names or special cases; may be empty.
    """

    equations: tuple[str, ...]
    note: str = ""


def formula_of(node: str) -> Formula | None:
    """The backward formula of a node; None if the table has none.

    Args:
        node: Torch's name of the node, such as ``MulBackward0``.
    """
    name = next((name for name in _names(node) if name in EQUATIONS), None)
    if name is None:
        return None
    return Formula(equations=EQUATIONS[name], note=NOTES.get(name, ""))


def _names(node: str) -> Iterator[str]:
    """A node's name with its version, which may have a formula of its own, and without it."""
    found = _NODE.match(node)
    if found is not None:
        yield found["base"].removesuffix("Backward") + found["version"]
        yield found["base"].removesuffix("Backward")
