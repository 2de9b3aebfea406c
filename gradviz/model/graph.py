"""The grad_fn graph: nodes, edges that carry gradients, saved values and module calls."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.item import Item

NodeKind = Literal["custom", "builtin", "accumulate", "error"]
SavedRole = Literal["input", "output", "view_of_input", "intermediate", "none", "attribute"]


class Node(TraceRecord, frozen=True, kw_only=True):
    """One autograd node (torch's ``Node``, seen as a ``grad_fn``).

    Attributes:
        id: Number in the trace, in order of discovery.
        name: Torch's ``Node.name()``, such as ``MulBackward0``.
        kind: ``custom`` for a Function of the user, ``accumulate`` for ``AccumulateGrad``,
            ``error`` for torch's node that raises when executed (after ``once_differentiable``).
        sequence_nr: Torch's sequence number within its thread; None if torch gives none.
        call: The `FunctionCall` that created it; None for built-in nodes.
        variable: Tensor of the leaf into which an ``accumulate`` node accumulates.
        variable_name: Name of that leaf (parameter path, argument or variable name), or empty.
        made_by: Node whose backward created this one (``create_graph``); None for first order.
        module_call: The innermost `ModuleCall` during which it was created; None outside of
            modules, for nodes that already existed when they were found, and for ``accumulate``
            nodes.
        made_in: Number of the step that executed ``made_by`` when it created this one.
    """

    id: Natural
    name: str
    kind: NodeKind
    sequence_nr: Natural | None
    call: Natural | None
    variable: Natural | None
    variable_name: str
    made_by: Natural | None
    module_call: Natural | None
    made_in: Natural | None = None


class ModuleCall(TraceRecord, frozen=True, kw_only=True):
    """A call of an ``nn.Module`` during which a node was created.

    Attributes:
        id: Number in the trace, in the order in which the calls created their first nodes.
        path: Path such as ``layers.0.linear``, relative to the module that was called first. For
            that module, its variable or the name of its class; for one that is not a submodule of
            its caller, the name of its class.
        class_name: Name of its class, such as ``Linear``.
        parent: Call during which this one was made; None for an outermost one.
    """

    id: Natural
    path: str
    class_name: str
    parent: Natural | None


class Edge(TraceRecord, frozen=True, kw_only=True):
    """One entry of ``next_functions``: gradients flow from ``source`` to ``target``.

    Attributes:
        id: Number in the trace.
        source: Node whose backward computes the gradient.
        slot: Index in the source's ``next_functions``.
        target: Node that receives it.
        target_slot: Torch's ``input_nr``: index of the output of the target's forward.
    """

    id: Natural
    source: Natural
    slot: Natural
    target: Natural
    target_slot: Natural


class SavedSlot(TraceRecord, frozen=True, kw_only=True):
    """A value that a node saves for backward.

    Attributes:
        id: Number in the trace.
        node: Node that saves it.
        item: The value, named as in the source (``weight``) or as in torch (``self``).
        role: Its role in the forward call; ``attribute`` for values that torch's own nodes save.
        role_index: Index of the argument or output; None for the other roles.
    """

    id: Natural
    node: Natural
    item: Item
    role: SavedRole
    role_index: Natural | None
