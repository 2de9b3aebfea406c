"""The steps of a run on the node level, in the order in which they happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.item import Item
from gradviz.model.source import Location

EngineConversion = Literal["unchanged", "reduced", "cast", "reduced_and_cast", "dropped", "none"]
ErrorStage = Literal["forward", "backward", "engine", "torch", "outside"]
AnswerKind = Literal["handler", "fallback", "default", "not_implemented", "raised", "unseen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardStep:
    """A call of a custom Function, or of a built-in op that created a node.

    Attributes:
        number: Number in the run, from 1.
        finished: False if the step raised, or the run ended during it.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        pass_id: Backward pass during which it happened; None outside of passes.
        op: Name of the function, such as ``sum`` or ``LinearFunction``.
        node: Node it created (the last one, if several); None if none.
        nodes: All nodes it created, in order.
        call: Details of a custom Function's call; None for built-in ops.
        inputs: Arguments of the call.
        outputs: Returned values.
        location: Line that called it; None if unknown.
        rerun: Whether it repeats an earlier forward, as ``torch.utils.checkpoint`` does during a
            backward pass.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int | None
    op: str
    node: int | None
    nodes: tuple[int, ...]
    call: int | None
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    location: Location | None
    rerun: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A root at which a backward pass starts.

    Attributes:
        node: Node of the tensor that is differentiated.
        output_nr: Index of the tensor among the outputs of that node's forward.
        value: The tensor itself, named after its variable if known.
        gradient: The gradient it starts with.
    """

    node: int
    output_nr: int
    value: Item
    gradient: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PassBeginStep:
    """The start of a backward pass.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Start, relative to the start of the recording.
        pass_id: Number of the pass, from 1.
        parent: Pass inside which it runs (reentrant backward); None for an ordinary one.
        roots: Roots at which it starts.
        create_graph: Whether the pass records its own graph.
        keep_graph: Whether the graph is retained afterwards.
        accumulate: True for ``backward()``, False for ``autograd.grad``.
        location: Line that started it; None if unknown.
    """

    number: int
    started_ns: int
    pass_id: int
    parent: int | None
    roots: tuple[Root, ...]
    create_graph: bool
    keep_graph: bool
    accumulate: bool
    location: Location | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassedGradient:
    """A gradient that the engine passed on along one entry of ``next_functions``.

    Attributes:
        slot: Index in ``next_functions``.
        argument: Index among the values that the user's ``backward`` returned; None for built-in
            nodes.
        edge: Edge along which it flowed; None if the slot leads nowhere.
        item: The gradient after the engine's checks, named after the argument it belongs to.
        change: What the engine did to the returned value. ``dropped``: it belongs to an input that
            requires no gradient. ``none``: there was no value.
    """

    slot: int
    argument: int | None
    edge: int | None
    item: Item
    change: EngineConversion


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStep:
    """The execution of one node by the engine.

    Attributes:
        number: Number in the run, from 1.
        finished: False if the step raised, or the run ended during it.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        pass_id: Pass it belongs to.
        node: Node that was executed.
        incoming: Gradients from the engine; an undefined one is None.
        received: For custom Functions: actual arguments of the user's ``backward``, with undefined
            gradients materialized as zeros if requested. Empty for built-in nodes.
        returned: For custom Functions: values returned by the user's ``backward``, named after the
            arguments. Empty for built-in nodes.
        passed: Gradients that the engine passed on, one for each entry of ``next_functions``.
        thread: Name of the thread; empty for the main thread.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int
    node: int
    incoming: tuple[Item, ...]
    received: tuple[Item, ...]
    returned: tuple[Item, ...]
    passed: tuple[PassedGradient, ...]
    thread: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AccumulateStep:
    """The accumulation of a gradient into a leaf.

    Attributes:
        number: Number in the run, from 1.
        finished: False if the step raised, or the run ended during it.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        pass_id: Pass it belongs to.
        node: The ``AccumulateGrad`` node.
        contribution: Gradient that arrived in this pass, summed over all uses of the leaf.
        total: The leaf's ``.grad`` afterwards.
        leaf: The leaf itself, which an optimizer may have changed since the node was discovered.
            None if unknown.
        added: Whether the leaf already had a ``.grad``, to which the contribution was added. None
            if unknown.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int
    node: int
    contribution: Item
    total: Item
    leaf: Item | None = None
    added: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterTotal:
    """The ``.grad`` of a leaf that has changed since a pass accumulated into it.

    Attributes:
        node: The ``AccumulateGrad`` node.
        total: The leaf's ``.grad`` at the end of the pass.
    """

    node: int
    total: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PassEndStep:
    """The end of a backward pass without an exception.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Time, relative to the start of the recording.
        pass_id: Number of the pass.
        results: Gradients that ``autograd.grad`` returned; empty for ``backward()``.
        totals: Gradients of leaves that have changed since their steps in this pass, as
            ``DistributedDataParallel`` changes them.
    """

    number: int
    started_ns: int
    pass_id: int
    results: tuple[Item, ...]
    totals: tuple[LaterTotal, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStep:
    """An exception that ended the run.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Time, relative to the start of the recording.
        pass_id: Pass that was running; None for none.
        node: Node that was being executed or created; None if unknown.
        call: Call of a custom Function that was running; None for none.
        stage: Where it was raised; ``engine`` if torch rejected what a backward returned, ``torch``
            in any other call of torch, ``outside`` in code that torch did not call either.
        exception: Name of the exception's class.
        message: Text of the exception.
        location: Innermost line of the user's code that raised, or the ``return`` of a backward
            whose values torch rejected; None if unknown.
        traceback: All frames, outermost first.
    """

    number: int
    started_ns: int
    pass_id: int | None
    node: int | None
    call: int | None
    stage: ErrorStage
    exception: str
    message: str
    location: Location | None
    traceback: tuple[Location, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchAnswer:
    """How one type handled a call of its ``__torch_function__``.

    Attributes:
        type: Name of the class whose ``__torch_function__`` was called.
        how: ``handler``: the user's code for this function ran; ``fallback``: the class called the
            function again on unwrapped arguments; ``default``: it deferred to ``torch.Tensor``;
            ``not_implemented``: it returned ``NotImplemented``; ``raised``: it raised; ``unseen``:
            it handled the call, but a profiler in the run prevented the recorder from seeing how.
        by: Name of the user's function that handled it, if any; otherwise empty.
        location: Where that function, or else ``__torch_function__``, is defined; None if unknown.
        error: What it raised, such as ``ValueError: Shape mismatch``; otherwise empty.
    """

    type: str
    how: AnswerKind
    by: str
    location: Location | None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchStep:
    """A call of a torch function with a type that overrides ``__torch_function__``.

    Attributes:
        number: Number in the run, from 1.
        finished: False if no type handled the call, or the handler raised.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        pass_id: Backward pass during which it happened; None outside of passes.
        function: Name as written in code, such as ``torch.mean`` or ``torch.Tensor.add``.
        types: Names of the overriding types, in the order in which torch calls them.
        answers: Results of the types that were called, in that order.
        inputs: Arguments of the call. Tensors that an object holds as attributes follow it, named
            like ``length.value``.
        outputs: Returned values, in the same form; empty while unfinished.
        location: Line that called it; None if unknown.
        error: Exception that it ended with, such as ``TypeError: no implementation``; otherwise
            empty.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int | None
    function: str
    types: tuple[str, ...]
    answers: tuple[DispatchAnswer, ...]
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    location: Location | None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerStep:
    """An update of the parameters by an optimizer, which ends one training step.

    Attributes:
        number: Number in the run, from 1.
        finished: False if it raised.
        started_ns: Start, relative to the start of the recording.
        duration_ns: Wall time including the recording; 0 while unfinished.
        pass_id: Always None, since it belongs to no backward pass.
        optimizer: Name of its class, such as ``SGD``.
        settings: Options such as ``lr``, of its first parameter group.
        before: Parameters before the update, named by their paths.
        gradients: Gradient used for each parameter, in the same order.
        after: Parameters after the update, in the same order; empty while unfinished.
        location: Line that called ``step``; None if unknown.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int | None
    optimizer: str
    settings: tuple[Item, ...]
    before: tuple[Item, ...]
    gradients: tuple[Item, ...]
    after: tuple[Item, ...]
    location: Location | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingStep:
    """A step of which nothing is known, because recording it failed or its file is damaged.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Time, relative to the start of the recording; 0 if unknown.
        pass_id: Backward pass during which it happened; None outside of passes, or if unknown.
        name: What was to be recorded, such as the name of a function; may be empty.
        reason: Why it is missing, as a phrase.
    """

    number: int
    started_ns: int
    pass_id: int | None
    name: str
    reason: str


Step = (
    ForwardStep
    | PassBeginStep
    | NodeStep
    | AccumulateStep
    | PassEndStep
    | ErrorStep
    | DispatchStep
    | OptimizerStep
    | MissingStep
)
