"""The backward of a function, as a function that ``gradgradcheck`` checks in turn.

Its inputs are the arguments and one gradient per differentiable output, drawn at random as torch
does; its outputs are the gradients of the arguments.
Source: ``gradgradcheck`` in torch/autograd/gradcheck.py.

Detection of ``once_differentiable``, for which torch puts an error node into the graph. With
``torch.autograd.grad`` that node is not on the path to an input, so it never runs: gradgradcheck
sees zeros and reports a mismatch.

gradcheck's rules for backward besides correct values: zero and undefined gradients. Sources:
``_test_backward_mul_by_grad_output`` and ``_test_undefined_backward_mode`` in
torch/autograd/gradcheck.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from msgspec import Struct
from torch import Tensor
from torch.autograd import Function
from torch.autograd.graph import get_gradient_edge
from torch.testing import make_tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject, overlaps, requires_grad
from gradviz.checks.names import callable_of, function_class
from gradviz.checks.output_parts import NamedOutputs, as_tuple
from gradviz.checks.problem_messages import UserCodeAttempt, find_no_values, make_problem
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.checks.run.progress import Evaluations
from gradviz.recorder.compat import BackwardNode, gradients_of, node_name
from gradviz.recorder.forward.function_source import read_function_source
from gradviz.recorder.patching.signals import calls_user_code


def custom_name(node: Any) -> str:
    """Class name of the custom Function that created a node; empty for torch's own nodes."""
    cls = getattr(type(node), "_forward_cls", None)
    return cls.__name__ if isinstance(node, BackwardNode) and cls is not None else ""


_ERROR = "torch::autograd::Error"


def runs_into_error(gradients: Sequence[Tensor | None]) -> bool:
    """Whether gradients computed with ``create_graph`` come from torch's error node."""
    made = [each for each in gradients if each is not None]
    return any(node_name(node) == _ERROR for node in nodes_of(made))


def once_differentiable_names(outputs: Sequence[Tensor]) -> tuple[str, ...]:
    """Names of the Functions in a graph with a ``once_differentiable`` backward."""
    found: dict[str, None] = {}
    for node in nodes_of(outputs):
        cls = getattr(type(node), "_forward_cls", None)
        if (
            isinstance(node, BackwardNode)
            and cls is not None
            and read_function_source(cls).once_differentiable
        ):
            found[cls.__name__] = None
    return tuple(found)


def nodes_of(tensors: Sequence[Tensor]) -> Iterator[Any]:
    """Every node of the tensors' graph, each once."""
    waiting: list[Any] = [each.grad_fn for each in tensors if each.grad_fn is not None]
    seen = set(waiting)
    while waiting:
        node = waiting.pop()
        yield node
        for follower, _ in node.next_functions:
            if follower is not None and follower not in seen:
                seen.add(follower)
                waiting.append(follower)


class _Undefined(Function):
    """Identity whose backward returns an undefined gradient."""

    @staticmethod
    def forward(ctx: Any, value: Tensor) -> Tensor:
        # Not the value itself, because `apply` treats an input that is returned in a special way.
        return value.view_as(value)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> None:
        return None


def differentiable(outputs: Sequence[Any]) -> list[tuple[int, Tensor]]:
    """The outputs that require a gradient, each with its position."""
    return [(position, value) for position, value in enumerate(outputs) if requires_grad(value)]


@calls_user_code
def nonzero_gradients(
    outputs: Sequence[Tensor], inputs: Sequence[Tensor], *, nearly: bool = False
) -> dict[int, Tensor]:
    """Nonzero gradients by index of the input, although all incoming gradients are zero.

    Frees the graph. Propagates any exception raised by backward.

    Args:
        outputs: What to differentiate.
        inputs: With respect to what.
        nearly: Whether torch's default tolerance applies, as in gradcheck's masked mode.
    """
    # `zeros_like` alone would copy the strides of the output.
    zeros = [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in outputs]
    gradients = gradients_of(outputs, inputs, zeros)
    dense = {i: each.to_dense() for i, each in enumerate(gradients) if each is not None}
    return {
        i: each
        for i, each in dense.items()
        if not (torch.allclose(each, torch.zeros_like(each)) if nearly else bool(each.eq(0).all()))
    }


def with_undefined(outputs: Sequence[Tensor], which: int | None) -> list[Tensor]:
    """The outputs, with one of them (all if None) replaced to have an undefined gradient."""
    undefined: Callable[[Tensor], Tensor] = _Undefined.apply
    return [
        undefined(each) if which is None or i == which else each for i, each in enumerate(outputs)
    ]


class BackwardFunction:
    """A callable that maps arguments and incoming gradients to the arguments' gradients.

    It returns one entry per argument: None for an argument without a gradient.

    Args:
        function: The function.
        arguments: Its arguments.
        incoming: Its incoming gradients; those without ``requires_grad`` are constants. If omitted,
            all of them are differentiated.

    Attributes:
        count: Number of arguments; the incoming gradients follow them.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        incoming: Sequence[Tensor] | None = None,
    ) -> None:
        self._call = callable_of(function)
        self.count = len(arguments)
        self._wanted = [k for k, each in enumerate(arguments) if requires_grad(each)]
        self._constants = {k for k, each in enumerate(incoming or ()) if not each.requires_grad}

    @calls_user_code
    def outputs(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Call the function itself and return its outputs."""
        return as_tuple(self._call(*arguments))

    def __call__(self, *values: Any) -> tuple[Tensor | None, ...]:
        """Compute the gradients for arguments followed by incoming gradients."""
        arguments, incoming = values[: self.count], values[self.count :]
        moved = (each for k, each in enumerate(incoming) if k not in self._constants)
        for each in (*(arguments[k] for k in self._wanted), *moved):
            each.requires_grad_()  # Forward mode passes detached tensors.
        return self.of(self.outputs(arguments), arguments, incoming)

    @calls_user_code
    def of(
        self, outputs: Sequence[Any], arguments: Sequence[Any], incoming: Sequence[Tensor]
    ) -> tuple[Tensor | None, ...]:
        """Compute the gradients for outputs that already exist."""
        found = gradients_of(
            [value for _, value in differentiable(outputs)],
            [arguments[k] for k in self._wanted],
            incoming,
            # The check differentiates the result again.
            create_graph=True,
        )
        places: list[Tensor | None] = [None] * self.count
        for k, gradient in zip(self._wanted, found, strict=True):
            places[k] = gradient
        return tuple(places)


def backward_of(
    subject: CheckSubject,
    evaluations: Evaluations,
    findings: CheckFindings,
    *,
    given: Sequence[Tensor] | None = None,
    noncontiguous: bool = False,
) -> CheckSubject | None:
    """The backward of a function as a subject to check, or None if that is impossible.

    Args:
        subject: The function.
        evaluations: Counts the evaluations.
        findings: Receive the reason if it is impossible.
        given: The incoming gradients, in the order of the differentiable outputs; drawn if omitted.
        noncontiguous: Whether to draw incoming gradients that are not contiguous.

    Returns:
        None if forward or backward raised, or if no output requires a gradient; the reason is in
        the findings.
    """
    gradients = BackwardFunction(subject.function, subject.arguments, given)
    evaluations.expect(2)
    evaluations.begin()
    with UserCodeAttempt() as attempt:
        outputs = gradients.outputs(subject.arguments)
    if attempt.error is not None:
        problem = make_problem("raised.function", error=attempt.error)
        findings.fault(CheckStage.FORWARD, problem, "error")
        return None
    chosen = differentiable(outputs)
    if not chosen:
        findings.fault(CheckStage.FORWARD, make_problem("nothing_to_differentiate"), "error")
        return None
    names = _incoming_names(subject.function, outputs)
    if given is not None:
        incoming = tuple(given)
        findings.notice(make_problem("option.grad_outputs"))
    else:
        incoming = tuple(_drawn_like(value, noncontiguous=noncontiguous) for _, value in chosen)
        if noncontiguous:
            findings.notice(make_problem("option.noncontiguous"))
    for (position, _), each in zip(chosen, incoming, strict=False):
        unusable = find_no_values(names[position], each)
        if overlaps(each):
            unusable = make_problem("overlapping_input", name=names[position])
        if unusable is not None:
            findings.fault(CheckStage.INPUTS, unusable, "error")
            return None
    evaluations.begin()
    with UserCodeAttempt() as attempt:
        first = gradients.of(outputs, subject.arguments, incoming)
    if attempt.error is not None:
        problem = make_problem("raised.backward", error=attempt.error)
        findings.fault(CheckStage.FORWARD, problem, "error")
        return None
    once = runs_into_error(first)
    return CheckSubject(
        function=gradients,
        arguments=(*subject.arguments, *incoming),
        names=(*subject.names, *(names[position] for position, _ in chosen)),
        order=2,
        given_names=tuple(f"grad_{name}" for name in subject.names),
        once=once,
        once_names=once_differentiable_names([each for _, each in chosen]) if once else (),
    )


def _drawn_like(output: Tensor, *, noncontiguous: bool) -> Tensor:
    return make_tensor(
        output.shape,
        dtype=output.dtype,
        device=output.device,
        low=-1,
        high=1,
        requires_grad=True,
        noncontiguous=noncontiguous,
    )


def _incoming_names(function: Callable[..., Any], outputs: tuple[Any, ...]) -> tuple[str, ...]:
    """Names of the incoming gradients for outputs, from backward's parameters."""
    if isinstance(outputs, NamedOutputs):
        return tuple(f"grad_{name}" for name in outputs.names)
    cls, count = function_class(function), len(outputs)
    names = () if cls is None else read_function_source(cls).gradients
    if len(names) == count:
        return names
    return (
        ("grad_output",)
        if count == 1
        else tuple(say("name.grad_output", number=k) for k in range(count))
    )


class GradientStop(Struct, frozen=True):
    """A custom Function whose backward lost a gradient.

    Attributes:
        function: The Function's class.
        argument: Position among the arguments of its ``forward``.
        returned: What its ``backward`` returned there, ``None`` or ``zeros``.
    """

    function: type
    argument: int
    returned: str


def on_route(output: Tensor, target: Tensor) -> set[Any]:
    """The nodes on all paths from an output to an input, with the input's own; none without one."""
    before: dict[Any, list[Any]] = {}
    for node in nodes_of([output]):
        for follower, _ in node.next_functions:
            before.setdefault(follower, []).append(node)
    aim = get_gradient_edge(target).node
    found: set[Any] = set()
    # The output's own node has no node before it.
    waiting = [aim] if aim in before or aim is output.grad_fn else []
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += before.get(node, [])
    return found


def custom_nodes(output: Tensor, target: Tensor) -> Iterator[tuple[Any, list[int]]]:
    """Custom Function nodes on the paths to an input, with their outgoing slots on them."""
    route = on_route(output, target)
    for node in nodes_of([output]):
        if node in route and isinstance(node, BackwardNode):
            yield node, [k for k, (each, _) in enumerate(node.next_functions) if each in route]


@calls_user_code
def stop_of(output: Tensor, target: Tensor, gradient: Tensor) -> GradientStop | None:
    """The first custom Function whose backward gets a nonzero gradient but passes none on.

    Runs a separate backward pass and keeps the graph. Propagates exceptions of backward.
    """
    seen: list[GradientStop] = []
    handles = [
        # Not a prehook: this one sees what the node has received and what it has returned.
        node.register_hook(_watch(node, slots, seen))
        for node, slots in custom_nodes(output, target)
    ]
    try:
        gradients_of([output], [target], [gradient], retain_graph=True)
    finally:
        for handle in handles:
            handle.remove()
    return seen[0] if seen else None


def argument_of(node: Any, slot: int) -> int:
    """Position among ``forward``'s arguments that a slot of a custom node belongs to."""
    # The first counts all arguments, the second only tensors; those with a gradient are the same.
    wanted = [k for k, needs in enumerate(node.needs_input_grad) if needs]
    used = [k for k, (each, _) in enumerate(node.next_functions) if each is not None]
    return wanted[used.index(slot)] if len(wanted) == len(used) else slot


def _watch(node: Any, slots: Sequence[int], seen: list[GradientStop]) -> Any:
    def hook(returned: Sequence[Tensor | None], incoming: Sequence[Tensor | None]) -> None:
        if not any(each is not None and bool(each.any()) for each in incoming):
            return
        given = [returned[slot] for slot in slots]
        if any(each is not None and bool(each.any()) for each in given):
            return
        kind = "None" if any(each is None for each in given) else "zeros"
        cls = getattr(type(node), "_forward_cls", type(node))
        seen.append(GradientStop(cls, argument_of(node, slots[0]), kind))

    return hook
