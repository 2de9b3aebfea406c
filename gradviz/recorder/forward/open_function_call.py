"""State of a custom Function's call while it is in progress.

Facts of a node, which its metadata hold.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from msgspec import Struct, field

from gradviz.model.graph import NodeKind
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.recorder.forward.ctx_declarations import CtxDeclarations, SavedValue
from gradviz.recorder.forward.function_source import FunctionSource
from gradviz.recorder.forward.lost_history import LostHistory, MethodHistory
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.sources import LineOfCode
from gradviz.recorder.tensors.tensor_recorder import SavedTensors
from gradviz.recorder.tensors.version_watch import TensorVersionWatch


class NodeFacts(Struct, eq=False, gc=False):
    """What the recorder knows of a node: numbers and texts only, so that the node can be freed.

    Attributes:
        id: Number in the trace.
        kind: Same as in `Node`.
        edges: Edge number for each entry of ``next_functions``; None if the entry leads nowhere.
        call: For custom Functions, the facts about the call that created the node.
        saved: The tensors that one of torch's own nodes has saved; None for none.
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
    saved: SavedTensors | None = None


class CapturedTensor(Struct, frozen=True, kw_only=True):
    """A tensor that requires grad and that forward uses, but not as an argument.

    Attributes:
        name: Its name, or its shape in words.
        line: The line that uses it.
    """

    name: str
    line: LineOfCode | None


class CallFacts(Struct):
    """Numbers and texts of one call, without any tensor.

    Attributes:
        id: Number in the trace.
        step: Number of its step.
        location: The line that calls ``apply``.
        arguments: Names of the arguments passed to ``forward``.
        parameters: Names of all positional parameters of ``forward``, passed or not.
        is_open: Whether ``forward`` takes any number of arguments.
        tensor_arguments: Indices of the arguments that are tensors, in order: one for each
            entry of the node's ``next_functions``.
        dense_arguments: Indices of those that are dense.
        needs: ``needs_input_grad``, one for each argument; empty if unknown.
        gradients: Names that ``backward`` gives to the gradients it receives; empty if
            unknown.
        node: Number of the node, once it is known.
        function: Name of the class.
        forward: Code of ``forward``; None if it has no Python code.
        setup_context: Code of ``setup_context``; None if it has none.
        backward: Code of ``backward``; None if it has no Python code.
        non_differentiable: Indices of the outputs that ``backward`` gets no gradient for: those
            marked non-differentiable and those whose dtype has no gradient.
        non_tensor_outputs: Indices of the outputs that are not tensors, so no gradient can arrive
            for them.
        once: Whether ``backward`` is decorated with ``once_differentiable``.
        autocast: Whether ``apply`` was called under autocast.
        nested: Whether functorch will call ``apply`` again on the way to ``forward``.
        stale: Values kept by forward for backward that have lost their history, by storage
            address.
        captured: Tensors that require grad and that forward uses, but not as arguments.
        saved: What was saved with ``save_for_backward``; None for nothing.
    """

    id: int
    step: int = 0
    location: Location | None = None
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    is_open: bool = False
    tensor_arguments: tuple[int, ...] = ()
    dense_arguments: tuple[int, ...] = ()
    needs: tuple[bool, ...] = ()
    gradients: tuple[str, ...] = ()
    node: int | None = None
    function: str = ""
    forward: CodeType | None = None
    setup_context: CodeType | None = None
    backward: CodeType | None = None
    non_differentiable: tuple[int, ...] = ()
    non_tensor_outputs: tuple[int, ...] = ()
    once: bool = False
    autocast: bool = False
    nested: bool = False
    stale: dict[int, LostHistory] = field(default_factory=dict)
    captured: list[CapturedTensor] = field(default_factory=list)
    saved: SavedTensors | None = None


class OpenFunctionCall(Struct, eq=False):
    """A call in progress.

    Attributes:
        definitions: Where ``forward``, ``setup_context`` and ``backward`` are defined; None where
            there is no Python code.
        given: Number of arguments passed to ``apply``; the rest are defaults.
        values: Arguments of ``forward``, without ``ctx``.
        entered: Whether ``forward`` has been reached.
        part: The open stage, if stages are recorded.
        inside: Whether ``forward`` or ``setup_context`` is running.
        histories: Values in its methods that have lost a history; None if that is not followed.
        differentiable: Whether gradients were enabled around ``apply``.
        rerun: Whether a checkpoint runs the call again.
        declared: What it has declared and returned.
        attributes: What it has put on ``ctx``.
        saved: What it has saved; released when the call ends.
        saved_names: The names of these in the source; empty if unknown.
        watch: Detects which arguments ``forward`` writes to.
        changed: These arguments by position, each with the line of the write if known.
    """

    cls: type
    text: FunctionSource
    definitions: tuple[Location | None, ...]
    facts: CallFacts
    started: int
    pass_id: int | None
    given: int
    target: str
    arguments: tuple[Item, ...] = ()
    outputs: tuple[Item, ...] = ()
    values: tuple[Any, ...] = ()
    entered: bool = False
    inside: bool = False
    materialize: bool = True
    part: OpenStage | None = None
    histories: MethodHistory | None = None
    declared: CtxDeclarations = CtxDeclarations()
    attributes: tuple[Item, ...] = ()
    saved: tuple[SavedValue, ...] = ()
    saved_names: tuple[str, ...] = ()
    differentiable: bool = True
    rerun: bool = False
    watch: TensorVersionWatch | None = None
    changed: dict[int, Location | None] = field(default_factory=dict)
