"""The grad_fn graph: nodes, the edges gradients flow along, saved values, the calls of modules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.item import Item

NodeKind = Literal["custom", "builtin", "accumulate", "error"]
SavedRole = Literal["input", "output", "view_of_input", "intermediate", "none", "attribute"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One autograd node (torch's ``Node``, seen as a ``grad_fn``).

    Attributes:
        id: Number in the trace, in order of discovery.
        name: Torch's ``Node.name()``, like ``MulBackward0``.
        kind: ``custom`` for a Function of the user, ``accumulate`` for ``AccumulateGrad``,
            ``error`` for torch's node that raises when executed (after ``once_differentiable``).
        sequence_nr: Torch's sequence number within its thread; None where torch gives none.
        call: The `FunctionCall` that made it; None for built-in nodes.
        variable: Tensor of the leaf that an ``accumulate`` node adds into.
        variable_name: Name of that leaf (parameter path, argument or variable name), or empty.
        made_by: Node whose backward made this one (``create_graph``); None for first order.
        module_call: The innermost `ModuleCall` during which it was made; None outside of any, for
            nodes that were there already when they were found, and for ``accumulate`` nodes.
        made_in: Number of the step in which ``made_by`` was executed when it made this one.
    """

    id: int
    name: str
    kind: NodeKind
    sequence_nr: int | None
    call: int | None
    variable: int | None
    variable_name: str
    made_by: int | None
    module_call: int | None
    made_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleCall:
    """One call of an ``nn.Module`` during which a node was made.

    Attributes:
        id: Number in the trace, in the order in which the calls made their first nodes.
        path: Like ``layers.0.linear``: names from below the module that was called first. Of that
            one itself, and of a module that is no part of the one that calls it, the class's name.
        class_name: Name of its class, like ``Linear``. Empty in a trace of format 1, which did not
            tell it; there all calls of a path are one.
        parent: The call during which this one was made; None for an outermost one.
    """

    id: int
    path: str
    class_name: str
    parent: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One entry of ``next_functions``: gradients flow from ``source`` to ``target``.

    Attributes:
        id: Number in the trace.
        source: Node whose backward makes the gradient.
        slot: Index in the source's ``next_functions``.
        target: Node that receives it.
        target_slot: Torch's ``input_nr``: which output of the target's forward it belongs to.
    """

    id: int
    source: int
    slot: int
    target: int
    target_slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSlot:
    """One value that a node keeps for its backward.

    Attributes:
        id: Number in the trace.
        node: The node that keeps it.
        item: The value, named as the source names it (``weight``) or as torch does (``self``).
        role: What the value is to the forward call; ``attribute`` for what torch's own nodes keep.
        role_index: Which argument or output it is; None for the other roles.
    """

    id: int
    node: int
    item: Item
    role: SavedRole
    role_index: int | None
