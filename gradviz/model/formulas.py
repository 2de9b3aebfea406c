"""How torch's own nodes compute their gradients, as formulas that can be read and evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.model.formula_table import EQUATIONS, NOTES

_NODE = re.compile(r"(?:.*::)?(?P<base>\w+?)(?P<version>\d*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """What a node's backward computes, in torch's own names.

    Attributes:
        equations: Like ``grad_self = grad @ mat2ᵀ``: ``grad`` is what arrives, the other names are
            the node's inputs and what it saved.
        note: A sentence on names or special cases; may be empty.
    """

    equations: tuple[str, ...]
    note: str = ""


def formula_of(node: str) -> Formula | None:
    """The formula of a node; None where there is none.

    Args:
        node: Its name as torch has it, like ``MulBackward0``.
    """
    name = next((name for name in _names(node) if name in EQUATIONS), None)
    if name is None:
        return None
    return Formula(equations=EQUATIONS[name], note=NOTES.get(name, ""))


def _names(node: str) -> Iterator[str]:
    """A node's name with its version, for which there may be an own formula, and without."""
    found = _NODE.match(node)
    if found is not None:
        yield found["base"].removesuffix("Backward") + found["version"]
        yield found["base"].removesuffix("Backward")
