"""Facts of a node, which its metadata hold."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

from gradviz.model.graph import NodeKind
from gradviz.recorder.forward.open_function_call import CallFacts
from gradviz.recorder.tensors.tensor_recorder import SavedTensors


@dataclass(slots=True, eq=False)
class NodeFacts:
    """What the recorder knows of a node: numbers and texts only, so that the node can be freed.

    Attributes:
        id: Number in the trace.
        kind: Same as in `Node`.
        edges: Edge number for each entry of ``next_functions``; None if the entry leads nowhere.
        call: For custom Functions, the facts about the call that created the node.
        saved: The tensors that one of torch's own nodes has saved; None for none.
        is_native: Whether executing it runs no Python code: it is a node in C++ that has saved
            nothing with hooks.
        unregistered_in: For a ``Parameter`` that no module has registered, path of the module that
            used it; otherwise empty.
        module_forward: Code of that module's ``forward``; None if it has no Python code.
        is_outside: Whether it is only known as the target of an edge, because the call that made it
            is not recorded.
        altered: Whether torch would compute it differently if its ops were recorded.
        once_differentiable_function: For an error node, the Function marked ``once_differentiable``
            that created it; otherwise empty.
    """

    id: int
    kind: NodeKind = "builtin"
    edges: tuple[int | None, ...] = ()
    call: CallFacts | None = None
    altered: bool = False
    once_differentiable_function: str = ""
    unregistered_in: str = ""
    module_forward: CodeType | None = None
    is_outside: bool = False
    is_native: bool = False
    saved: SavedTensors | None = None
