"""The steps of a run on the node level, in the order in which they really happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.item import Item
from gradviz.model.source import Location

Change = Literal["unchanged", "reduced", "cast", "reduced_and_cast", "dropped", "none"]
ErrorStage = Literal["forward", "backward", "engine", "outside"]
AnswerKind = Literal["handler", "fallback", "default", "not_implemented", "raised", "unseen"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardStep:
    """A custom Function was called, or a built-in op made a node.

    Attributes:
        number: Position in the run, from 1.
        finished: False in a step during which the run died or raised.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        pass_id: The backward pass during which it happened; None before any.
        op: Name of the function, like ``sum`` or ``LinearFunction``.
        node: The node it made (the last, where it made several); None if none.
        nodes: All nodes it made, in order.
        call: Details of a custom Function's call; None for built-in ops.
        inputs: What it was given.
        outputs: What it returned.
        location: The line that called it; None if unknown.
        rerun: Whether it only repeats an earlier forward, as ``torch.utils.checkpoint`` does during
            a backward pass.
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
    """Where a backward pass starts.

    Attributes:
        node: The node of the tensor that is differentiated.
        output_nr: Which output of that node's forward the tensor is.
        value: The tensor itself, named by its variable where that is known.
        gradient: The gradient it starts with.
    """

    node: int
    output_nr: int
    value: Item
    gradient: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PassBeginStep:
    """A backward pass begins.

    Attributes:
        number: Position in the run, from 1.
        started_ns: Since the recording began.
        pass_id: Number of the pass, from 1.
        parent: The pass inside which it runs (reentrant backward); None for an ordinary one.
        roots: Where it starts.
        create_graph: Whether the pass records a graph of itself.
        keep_graph: Whether the graph stays usable afterwards.
        accumulate: True for ``backward()``, False for ``autograd.grad``.
        location: The line that started it; None if unknown.
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
    """What the engine passed on along one entry of ``next_functions``.

    Attributes:
        slot: Index in ``next_functions``.
        argument: Index into the values that the user's ``backward`` returned; None for built-in
            nodes.
        edge: The edge it flowed along; None where the slot leads nowhere.
        item: The gradient after the engine's checks, named by the argument it belongs to.
        change: What the engine did to the returned value. ``dropped``: it was returned for an
            input that needs none. ``none``: there was no value.
    """

    slot: int
    argument: int | None
    edge: int | None
    item: Item
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStep:
    """The engine executed one node.

    Attributes:
        number: Position in the run, from 1.
        finished: False in a step during which the run died or raised.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        pass_id: The pass it belongs to.
        node: The node that was executed.
        incoming: Gradients as the engine hands them in; an undefined one is None.
        received: For custom Functions: what the user's ``backward`` was really called with (zeros
            where undefined gradients were materialised). Empty for built-in nodes.
        returned: For custom Functions: what the user's ``backward`` returned, one for each value,
            named by the argument. Empty for built-in nodes.
        passed: What the engine made of it, one for each entry of ``next_functions``.
        thread: Name of the thread when it is not the main one, else empty.
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
    """A leaf received a gradient.

    Attributes:
        number: Position in the run, from 1.
        finished: False in a step during which the run died or raised.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        pass_id: The pass it belongs to.
        node: The ``AccumulateGrad`` node.
        contribution: What arrived in this pass, all uses of the leaf summed.
        total: The leaf's ``.grad`` afterwards.
    """

    number: int
    finished: bool
    started_ns: int
    duration_ns: int
    pass_id: int
    node: int
    contribution: Item
    total: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class PassEndStep:
    """A backward pass ended without an exception.

    Attributes:
        number: Position in the run, from 1.
        started_ns: Since the recording began.
        pass_id: Number of the pass.
        results: The gradients that ``autograd.grad`` returned; empty for ``backward()``.
    """

    number: int
    started_ns: int
    pass_id: int
    results: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorStep:
    """An exception ended the run.

    Attributes:
        number: Position in the run, from 1.
        started_ns: Since the recording began.
        pass_id: The pass that was running; None for none.
        node: The node that was being executed or made; None if unknown.
        call: The custom Function's call that was running; None for none.
        stage: ``engine`` where torch refused what a backward returned.
        exception: Name of the exception's class.
        message: Its text.
        location: The user's line that raised, innermost; None if unknown.
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
    """What one type answered when ``__torch_function__`` was asked.

    Attributes:
        type: Name of the class whose ``__torch_function__`` was called.
        how: ``handler``: code of the user that was written for this function; ``fallback``: the
            class called the function again, on what it had unwrapped; ``default``: it left the
            answer to ``torch.Tensor``; ``not_implemented``: it returned ``NotImplemented``;
            ``raised``: it raised; ``unseen``: it answered, but a profiler of the run kept the
            recorder from seeing how.
        by: Name of the user's function that answered, where there is one; else empty.
        location: Where that function is defined; else the ``__torch_function__``; None if unknown.
        error: What it raised, like ``ValueError: Shape mismatch``; empty where it did not.
    """

    type: str
    how: AnswerKind
    by: str
    location: Location | None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchStep:
    """A torch function was called with a type that overrides it by ``__torch_function__``.

    Attributes:
        number: Position in the run, from 1.
        finished: False where nobody answered, or the answer raised.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        pass_id: The backward pass during which it happened; None before any.
        function: As one writes it, like ``torch.mean`` or ``torch.Tensor.add``.
        types: Names of the overriding types, in the order in which torch asks them.
        answers: What those that were asked have answered, in that order.
        inputs: What it was given. Tensors that an object holds as attributes come after it, named
            like ``length.value``.
        outputs: What it returned, told in the same way; empty while unfinished.
        location: The line that called it; None if unknown.
        error: The exception that it ended with, like ``TypeError: no implementation``; else empty.
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
    """An optimizer has moved its parameters: one step of training ends.

    Attributes:
        number: Position in the run, from 1.
        finished: False where it raised.
        started_ns: Since the recording began.
        duration_ns: Wall time, recording included; 0 while unfinished.
        pass_id: Always None: it belongs to no backward pass.
        optimizer: Name of its class, like ``SGD``.
        settings: What it was made with, like ``lr``, of its first group of parameters.
        before: Parameters as they were, named by their paths.
        gradients: Of each of them the gradient that it was moved by, in the same order.
        after: The parameters as they are now, in the same order; empty while unfinished.
        location: The line that called ``step``; None if unknown.
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


Step = (
    ForwardStep
    | PassBeginStep
    | NodeStep
    | AccumulateStep
    | PassEndStep
    | ErrorStep
    | DispatchStep
    | OptimizerStep
)
