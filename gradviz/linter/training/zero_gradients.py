"""Parameters whose gradient is always zero, and the op at which the zeros begin."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from gradviz.linter.training.training_run import Leaf, Problems, TrainingSteps, problem
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.text.sentences.values import some_of_list

ZeroCause = Literal["flat", "dead", "saturated", "underflow", "weights"]

_FLAT = frozenset(("round", "sign", "sgn", "floor", "ceil", "trunc", "fix"))
_DEAD = frozenset(("relu", "threshold", "clamp", "clamp_min", "clamp_max", "hardtanh", "relu6"))
_SATURATED = frozenset(("sigmoid", "tanh", "softmax", "log_softmax", "hardsigmoid"))
_ELEMENTWISE = frozenset(("mul", "div", "pow", "square", "mean", "exp", "sqrt")) | _SATURATED
_PRODUCTS = frozenset(("linear", "matmul", "mm", "addmm", "conv1d", "conv2d", "conv3d"))
_SMALL_HALF = 1e-2


class _ZeroOrigin(Struct, frozen=True, kw_only=True):
    """The node that turned a gradient into zeros, and why."""

    cause: ZeroCause
    step: NodeStep
    forward: ForwardStep


def find_zero_gradients(run: TrainingSteps) -> Problems:
    """Parameters of optimizers that only ever get zeros, by the op that makes them zero."""
    found: dict[tuple[ZeroCause, int], tuple[_ZeroOrigin, list[str]]] = {}
    for leaf in run.leaves.values():
        if leaf.updates and _is_always_zero(run, leaf):
            # Zeros on several ways are explained only if each of them is.
            origins = [*_origins(run, leaf.accumulations[0])]
            for origin in origins if all(origins) else ():
                assert origin is not None
                key = origin.cause, origin.step.node
                found.setdefault(key, (origin, []))[1].append(leaf.name)
    for origin, names in found.values():
        yield problem(
            f"gradient_always_zero.{origin.cause}",
            "error" if origin.cause in ("flat", "underflow") else "warning",
            step=origin.step.number,
            location=origin.forward.location,
            node=origin.step.node,
            op=origin.forward.op.removesuffix("_"),
            names=some_of_list(names),
        )


def _is_always_zero(run: TrainingSteps, leaf: Leaf) -> bool:
    passes = leaf.accumulations
    return bool(passes) and all(run.is_zero(each.contribution) for each in passes)


def _origins(run: TrainingSteps, accumulated: AccumulateStep) -> Iterator[_ZeroOrigin | None]:
    """The origin of the zeros on each way to a leaf; None for one that is not understood."""

    def has_received(sender: NodeStep) -> bool:
        return all(run.is_zero(each) for each in sender.incoming if each.kind != "none")

    for sender in run.origins(accumulated, has_received):
        yield _explained(run, sender)


def _explained(run: TrainingSteps, step: NodeStep) -> _ZeroOrigin | None:
    forward = run.forward_of(step.node)
    if forward is None:
        return None
    op = forward.op.removesuffix("_")
    cause: ZeroCause | None = None
    if op in _FLAT:
        cause = "flat"
    elif op in _DEAD and not _loss_is_zero(run, step.pass_id):
        cause = "dead"
    elif op in _ELEMENTWISE and _is_small_half(run, step):
        step, forward = _first_loss(run, step, forward)
        cause = "underflow"
    elif op in _SATURATED and _has_no_zeros(run, step):
        cause = "saturated"
    elif op in _PRODUCTS and any(_stays_zero(run, each) for each in forward.inputs):
        cause = "weights"
    return None if cause is None else _ZeroOrigin(cause=cause, step=step, forward=forward)


def _stays_zero(run: TrainingSteps, weight: Item) -> bool:
    """Whether a parameter of an optimizer is zero, and no gradient ever changes that."""
    memory = run.storage(weight)
    leaf = None if memory is None else run.leaves.get(memory)
    is_learned = leaf is not None and bool(leaf.updates) and _is_always_zero(run, leaf)
    return is_learned and run.is_zero(weight)


def _loss_is_zero(run: TrainingSteps, pass_id: int) -> bool:
    """Whether a pass starts at zeros, as with a hinge loss that has reached its end."""
    begin = run.begin_of(pass_id)
    return begin is not None and any(run.is_zero(root.value) for root in begin.roots)


def _is_small_half(run: TrainingSteps, step: NodeStep) -> bool:
    """Whether gradients in float16 are so small that their products round to zero."""
    for item in step.incoming:
        record = None if item.tensor is None else run.index.tensor[item.tensor]
        known = None if record is None else record.statistics
        if record is None or known is None or record.dtype != "float16":
            return False
        ends = (abs(each) for each in (known.minimum, known.maximum) if each is not None)
        if max(ends, default=1.0) > _SMALL_HALF:
            return False
    forward = run.forward_of(step.node)
    return forward is not None and not any(run.is_zero(each) for each in forward.inputs)


def _has_no_zeros(run: TrainingSteps, step: NodeStep) -> bool:
    """Whether all gradients that a node gets are other than zero, so that it made the zeros."""
    for item in step.incoming:
        known = run.statistics(item)
        if known is None or known.zeros:
            return False
    return True


def _first_loss(
    run: TrainingSteps, step: NodeStep, forward: ForwardStep
) -> tuple[NodeStep, ForwardStep]:
    """The earliest step on the way at which part of a gradient already became zero."""
    while not _has_no_zeros(run, step):
        senders = [
            run.executions.get((step.pass_id, edge.source))
            for edge in run.index.arriving.get(step.node, ())
        ]
        before = next((each for each in senders if each is not None), None)
        made = None if before is None else run.forward_of(before.node)
        if before is None or made is None:
            break
        step, forward = before, made
    return step, forward
