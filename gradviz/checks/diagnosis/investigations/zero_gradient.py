"""Investigation of outputs without a gradient that change with an input, by their graph.

If no path leads from the output to the input, something has cut it. If there is a path, a pass
along it shows the custom Function that received a gradient and passed none on, and what it
returned instead. A gradient may also become correct once nothing cuts the graph.

Investigation of NaN and Inf in gradients: which operation of backward makes the first one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import torch
from msgspec import Struct
from torch import Tensor
from torch.autograd import Function
from torch.utils._pytree import tree_leaves

from gradviz.catalogue.messages import say
from gradviz.checks.backward_function import (
    differentiable,
    nodes_of,
    on_route,
    stop_of,
)
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import (
    counted,
    gradients_like,
    to_dense_gradients,
    trial_run,
)
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.jacobians.analytical import engine_columns
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import parts_of, places
from gradviz.checks.reference.calling_source import CallingLine, find_calling_line
from gradviz.checks.reference.held_constant import WithoutDetachMode
from gradviz.checks.run.context import CheckContext
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import Diagnosis
from gradviz.recorder.compat import BackwardNode, DispatchMode, gradients_of
from gradviz.recorder.patching.signals import calls_user_code


class NonfiniteOrigin(Struct, frozen=True, kw_only=True):
    """The operation that made the first NaN or Inf.

    Attributes:
        operation: Its name in torch.
        value: What it returned, ``NaN`` or ``Inf``.
        line: The user's line that called it; None if torch's own backward did.
    """

    operation: str
    value: str
    line: CallingLine | None


class NonfiniteOriginMode(DispatchMode):
    """Mode that notes the first operation with a NaN or Inf result from finite values.

    Attributes:
        origin: That operation; None if there was none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.origin: NonfiniteOrigin | None = None

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run an operation and look at its result."""
        named = kwargs or {}
        # Before the call, which may write to its arguments.
        is_first = self.origin is None and not any(map(_nonfinite, tree_leaves((args, named))))
        result = func(*args, **named)
        if is_first:
            made = next(filter(None, map(_nonfinite, tree_leaves(result))), "")
            if made:
                name = func.overloadpacket.__name__.rstrip("_")
                self.origin = NonfiniteOrigin(operation=name, value=made, line=find_calling_line())
        return result


def _nonfinite(value: object) -> str:
    """Name of the first value that is not finite; empty if there is none."""
    if not isinstance(value, Tensor) or not (value.is_floating_point() or value.is_complex()):
        return ""
    values = value.detach()
    if bool(values.isnan().any()):
        return "NaN"
    return "Inf" if bool(values.isinf().any()) else ""


@yields("nonfinite_gradient")
def find_nonfinite_gradients(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose each pair with NaN or Inf in the analytical Jacobian only."""
    if case.subject.order != 1:
        return
    for pair in case.pairs:
        wrong = ~pair.analytical.isfinite() & pair.numerical.to(pair.analytical.device).isfinite()
        if bool(wrong.any()) and not case.is_explained(pair):
            yield _nonfinite_diagnosis(case, pair, wrong)


def _nonfinite_diagnosis(case: CheckContext, pair: JacobianPair, wrong: Tensor) -> Diagnosis:
    row, column = (int(each) for each in wrong.nonzero()[0])
    values: dict[str, object] = {
        "input": pair.input_name,
        "output": _element(pair.output_name, column, pair.output_shape),
        "value": _nonfinite(pair.analytical[row, column]),
        "place": _element(pair.input_name, row, pair.input_shape),
    }
    origin = None if pair.block.part else _origin(case, pair, column)
    key = "nonfinite_gradient.message"
    if origin is not None:
        key = "nonfinite_gradient.op" if origin.line is None else "nonfinite_gradient.op.at"
        values |= {"operation": origin.operation, "first": origin.value, "line": origin.line}
    nonfinite, count = int(wrong.count_nonzero()), wrong.numel()
    evidence = say("nonfinite_gradient.evidence", nonfinite=nonfinite, count=count)
    return pair.diagnosis("nonfinite_gradient", say(key, **values), evidence=(evidence,))


def _element(name: str, position: int, shape: tuple[int, ...]) -> str:
    index = list(index_at(position, shape))
    return f"{name}{index}" if index else name


def _origin(case: CheckContext, pair: JacobianPair, column: int) -> NonfiniteOrigin | None:
    """Run backward from one element of the output, and watch its operations."""
    mode = NonfiniteOriginMode()
    with trial_run(case):
        output = case.evaluator.evaluate()[pair.block.output]
        gradient = torch.zeros(output.shape, dtype=output.dtype, device=output.device)
        gradient.view(-1)[column] = 1
        target = case.subject.arguments[pair.block.input]
        with mode:
            counted(case, lambda: torch.autograd.grad(output, [target], gradient))
    return mode.origin


_ROUNDING = {torch.float64: 1e-12, torch.complex128: 1e-12}
"""Rounding relative to the largest numerical value."""


@yields("detached", "dropped_none", "dropped_zero", "ignores_grad_output", "missing_term")
def find_zero_gradients(case: CheckContext) -> Iterator[Diagnosis]:
    """Examine the graph behind each pair whose analytical Jacobian is zero."""
    if case.subject.order != 1:
        return
    if any(each.code == "numerical_not_zero" for each in case.findings.problems):
        yield _without_gradient(case)
        return
    pairs = [each for each in case.unexplained() if _is_nothing(each)]
    # A gradient of another form is stored as zeros, although there is one.
    if not pairs or any(each.code == "gradient_form" for each in case.findings.problems):
        return
    found: list[Diagnosis] = []
    with trial_run(case):
        outputs = case.evaluator.evaluate()
        without_gradient = _outputs_without_gradient(case, outputs)
        found = [_why(case, pair, outputs, without_gradient) for pair in pairs]
    # Once each, because several pairs may have the same cause.
    yield from {(each.code, each.place): each for each in found}.values()


def _is_nothing(pair: JacobianPair) -> bool:
    """Whether backward returns nothing, or only the rounding error of a sum that is zero."""
    if pair.analytical_is_zero:
        return True
    ours, theirs = (float(each.abs().max()) for each in (pair.analytical, pair.numerical))
    return ours < _ROUNDING.get(pair.analytical.dtype, 0.0) * theirs


def _why(
    case: CheckContext, pair: JacobianPair, outputs: tuple[Any, ...], without_gradient: set[int]
) -> Diagnosis:
    output: Tensor = outputs[pair.block.output]
    names = {"input": pair.input_name, "output": pair.output_name}
    target: Tensor = case.subject.arguments[pair.block.input]
    if not on_route(output, target):
        return pair.diagnosis(
            "detached.whole",
            evidence=(say("detached.whole.evidence", **names), *_cuts(case)),
        )
    if pair.block.output in without_gradient:
        key = "ignores_grad_output.output"
        return pair.diagnosis(
            f"{key}.alone" if _helps(case, pair, outputs) else key,
            evidence=(say("ignores_grad_output.output.evidence"),),
        )
    if _others_give(case, pair, outputs):
        return pair.diagnosis(
            "missing_term.output",
            confidence="likely",
            evidence=(say("missing_term.output.evidence", **names),),
        )
    return dropped_gradient(pair, output, target) or _cancelled(case, pair)


def dropped_gradient(pair: JacobianPair, output: Tensor, target: Tensor) -> Diagnosis | None:
    """Diagnose the custom Function that gets a gradient and passes none on; None without one."""
    stop = stop_of(output, target, gradients_like(output, 1))
    if stop is None:
        return None
    code = "dropped_none" if stop.returned == "None" else "dropped_zero"
    name = stop.function.__name__
    return pair.diagnosis(
        f"{code}.message",
        function=name,
        evidence=(say(f"{code}.evidence", function=name, argument=stop.argument),),
    )


def _cancelled(case: CheckContext, pair: JacobianPair) -> Diagnosis:
    """Diagnose a zero gradient that no custom Function has dropped on its path."""
    cuts = _cuts(case)
    if cuts:
        return pair.diagnosis("detached.zero", confidence="likely", evidence=cuts)
    return pair.diagnosis("dropped_zero.cancelled", confidence="likely")


def _without_gradient(case: CheckContext) -> Diagnosis:
    nonzero_problem = next(
        each for each in case.findings.problems if each.code == "numerical_not_zero"
    )
    cls = function_class(case.subject.function)
    if cls is not None and _returns_list(case, cls):
        values = {"problem": nonzero_problem.message, "function": cls.__name__}
        evidence = say("detached.list.evidence", **values)
        return diagnosed("detached", say("detached.list", **values), evidence=(evidence,))
    return diagnosed("detached.no_output", evidence=_cuts(case), problem=nonzero_problem.message)


def _returns_list(case: CheckContext, cls: type[Function]) -> bool:
    """Whether ``apply`` returns a list, which torch passes on without a history."""
    returned = None
    with trial_run(case):
        returned = counted(case, lambda: cls.apply(*case.subject.arguments))
    return isinstance(returned, list)


def _cuts(case: CheckContext) -> tuple[str, ...]:
    """Sentences about the places where the graph is cut, from another run."""
    attached = WithoutDetachMode()
    with trial_run(case), attached:
        case.evaluator.evaluate()
    return tuple(_cut_sentences("detached.cut", attached.cuts))


def _outputs_without_gradient(case: CheckContext, outputs: tuple[Any, ...]) -> set[int]:
    """Outputs that give no input a gradient, if another output gives one."""
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    return (
        {k for k, some in given.items() if not any(some)}
        if any(map(any, given.values()))
        else set()
    )


def _others_give(case: CheckContext, pair: JacobianPair, outputs: tuple[Any, ...]) -> bool:
    """Whether other outputs give this input a gradient, and this output gives others one."""
    place = [each.position for each in case.subject.inputs].index(pair.block.input)
    given = {k: _gives(case, value) for k, value in differentiable(outputs)}
    others = any(some[place] for k, some in given.items() if k != pair.block.output)
    return others and any(given[pair.block.output])


def _helps(case: CheckContext, pair: JacobianPair, outputs: tuple[Any, ...]) -> bool:
    """Whether a gradient of the pair's output changes what those of all outputs give the inputs."""
    tensors, values = case.subject.tensors, dict(differentiable(outputs))
    found = []
    for seed in (1, 2):
        incoming = [
            gradients_like(each, seed if k == pair.block.output else 1)
            for k, each in values.items()
        ]
        given = counted(
            case, partial(gradients_of, [*values.values()], tensors, incoming, retain_graph=True)
        )
        found.append(to_dense_gradients(given, tensors))
    return not all(map(torch.equal, *found))


def _gives(case: CheckContext, value: Tensor) -> Sequence[bool]:
    tensors = case.subject.tensors
    found = counted(
        case,
        lambda: gradients_of([value], tensors, [gradients_like(value, 1)], retain_graph=True),
    )
    return [bool(each.any()) for each in to_dense_gradients(found, tensors)]


_MOST_COLUMNS = 256


@yields("detached")
def find_detached(case: CheckContext) -> Iterator[Diagnosis]:
    """Run the function again without its cuts of the graph, if it has any."""
    pairs = [each for each in case.unexplained() if _may_be_cut(each)]
    if case.subject.order != 1 or not pairs:
        return
    found: list[Diagnosis] = []
    attached = WithoutDetachMode()
    with trial_run(case):
        with attached:
            outputs = case.evaluator.evaluate()
        if attached.cuts or attached.leaks:
            found = [each for pair in pairs for each in _of(case, pair, outputs, attached)]
    yield from found


def _may_be_cut(pair: JacobianPair) -> bool:
    return not (pair.analytical_is_zero or pair.numerical_is_zero)


def _healed(case: CheckContext, pair: JacobianPair, outputs: tuple[Tensor, ...]) -> Tensor | None:
    """The Jacobian without cuts, or columns of it, if it agrees with the numerical one."""
    parts = parts_of(outputs, differentiable=True)
    number = places(parts).get(pair.place[::2])
    if number is None:
        return None
    output, target = parts[number].of(outputs), case.subject.arguments[pair.block.input]
    count = output.numel()
    # The worst column is always among them: the others may agree with the cuts too.
    chosen = sorted({*range(0, count, -(-count // _MOST_COLUMNS)), pair.worst.column})
    (matrix,) = engine_columns(output, [target], case.evaluations, chosen)
    return matrix if pair.agree(matrix, pair.numerical[:, chosen]) else None


def _of(
    case: CheckContext,
    pair: JacobianPair,
    outputs: tuple[Tensor, ...],
    attached: WithoutDetachMode,
) -> Iterator[Diagnosis]:
    matrix = _healed(case, pair, outputs) if attached.cuts else None
    if matrix is not None:
        yield _diagnosis(pair, matrix, attached)
    elif attached.leaks and not _has_custom_nodes(pair, outputs):
        yield pair.diagnosis(
            "detached.left_torch",
            confidence="likely",
            evidence=(
                *_cut_sentences("detached.leak", attached.leaks),
                say("detached.left_torch.evidence"),
            ),
        )


def _has_custom_nodes(pair: JacobianPair, outputs: tuple[Tensor, ...]) -> bool:
    output = outputs[pair.block.output]
    return any(isinstance(node, BackwardNode) for node in nodes_of([output]))


def _cut_sentences(key: str, cuts: Sequence[tuple[str, CallingLine | None]]) -> list[str]:
    """One sentence for each operation and line."""
    sentences = (say(key, operation=name, line=line) for name, line in cuts if line is not None)
    return list(dict.fromkeys(sentences))


def _diagnosis(pair: JacobianPair, matrix: Tensor, attached: WithoutDetachMode) -> Diagnosis:
    repair = None
    if matrix.shape == pair.analytical.shape:
        repair = pair.repair(say("detached.repair"), matrix)
    return pair.diagnosis(
        "detached.part",
        evidence=(*_cut_sentences("detached.cut", attached.cuts), say("detached.part.evidence")),
        repair=repair,
    )
