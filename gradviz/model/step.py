"""The steps of a run on the node level, in the order in which they happened."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.item import Item
from gradviz.model.source import Location

EngineConversion = Literal["unchanged", "reduced", "cast", "reduced_and_cast", "dropped", "none"]
ErrorStage = Literal["forward", "backward", "engine", "torch", "outside"]
AnswerKind = Literal["handler", "fallback", "default", "not_implemented", "raised", "unseen"]


class ForwardStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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
        assigned: What the source assigns each output to; empty if that is unknown for all.
    """

    number: Natural
    finished: bool
    started_ns: Natural
    duration_ns: Natural
    pass_id: Natural | None
    op: str
    node: Natural | None
    nodes: tuple[Natural, ...]
    call: Natural | None
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    location: Location | None
    rerun: bool = False
    assigned: tuple[str, ...] = ()


class Root(TraceRecord, frozen=True, kw_only=True):
    """A root at which a backward pass starts.

    Attributes:
        node: Node of the tensor that is differentiated.
        output_nr: Index of the tensor among the outputs of that node's forward.
        value: The tensor itself, named after its variable if known.
        gradient: The gradient it starts with.
    """

    node: Natural
    output_nr: Natural
    value: Item
    gradient: Item


class PassBeginStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    started_ns: Natural
    pass_id: Natural
    parent: Natural | None
    roots: tuple[Root, ...]
    create_graph: bool
    keep_graph: bool
    accumulate: bool
    location: Location | None


class PassedGradient(TraceRecord, frozen=True, kw_only=True):
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

    slot: Natural
    argument: Natural | None
    edge: Natural | None
    item: Item
    change: EngineConversion


class NodeStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    finished: bool
    started_ns: Natural
    duration_ns: Natural
    pass_id: Natural
    node: Natural
    incoming: tuple[Item, ...]
    received: tuple[Item, ...]
    returned: tuple[Item, ...]
    passed: tuple[PassedGradient, ...]
    thread: str


class AccumulateStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    finished: bool
    started_ns: Natural
    duration_ns: Natural
    pass_id: Natural
    node: Natural
    contribution: Item
    total: Item
    leaf: Item | None = None
    added: bool | None = None


class LaterTotal(TraceRecord, frozen=True, kw_only=True):
    """The ``.grad`` of a leaf that has changed since a pass accumulated into it.

    Attributes:
        node: The ``AccumulateGrad`` node.
        total: The leaf's ``.grad`` at the end of the pass.
    """

    node: Natural
    total: Item


class PassEndStep(TraceRecord, frozen=True, kw_only=True, tag=True):
    """The end of a backward pass without an exception.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Time, relative to the start of the recording.
        pass_id: Number of the pass.
        results: Gradients that ``autograd.grad`` returned; empty for ``backward()``.
        totals: Gradients of leaves that have changed since their steps in this pass, as
            ``DistributedDataParallel`` changes them.
    """

    number: Natural
    started_ns: Natural
    pass_id: Natural
    results: tuple[Item, ...]
    totals: tuple[LaterTotal, ...] = ()


class ErrorStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    started_ns: Natural
    pass_id: Natural | None
    node: Natural | None
    call: Natural | None
    stage: ErrorStage
    exception: str
    message: str
    location: Location | None
    traceback: tuple[Location, ...]


class DispatchAnswer(TraceRecord, frozen=True, kw_only=True):
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


class DispatchStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    finished: bool
    started_ns: Natural
    duration_ns: Natural
    pass_id: Natural | None
    function: str
    types: tuple[str, ...]
    answers: tuple[DispatchAnswer, ...]
    inputs: tuple[Item, ...]
    outputs: tuple[Item, ...]
    location: Location | None
    error: str = ""


class OptimizerStep(TraceRecord, frozen=True, kw_only=True, tag=True):
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

    number: Natural
    finished: bool
    started_ns: Natural
    duration_ns: Natural
    pass_id: Natural | None
    optimizer: str
    settings: tuple[Item, ...]
    before: tuple[Item, ...]
    gradients: tuple[Item, ...]
    after: tuple[Item, ...]
    location: Location | None


class MissingStep(TraceRecord, frozen=True, kw_only=True, tag=True):
    """A step of which nothing is known, because recording it failed or its file is damaged.

    Attributes:
        number: Number in the run, from 1.
        started_ns: Time, relative to the start of the recording; 0 if unknown.
        pass_id: Backward pass during which it happened; None outside of passes, or if unknown.
        name: What was to be recorded, such as the name of a function; may be empty.
        reason: Why it is missing, as a phrase.
    """

    number: Natural
    started_ns: Natural
    pass_id: Natural | None
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
