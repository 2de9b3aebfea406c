"""Both Jacobians of a function, by the fast path if it has one, else by the engine.

Fast computation of both Jacobians of a single custom Function, verified by the engine. Each matrix
is computed without the engine, and a few of its rows or columns are compared bit for bit with the
engine's. If a bit differs, or the Function needs the engine, the result is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn, TypeVar, cast

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import BackwardCFunction

from gradviz.checks.arguments import CheckSubject, is_expandable, requires_grad
from gradviz.checks.jacobians.analytical import (
    AnalyticalJacobians,
    Backward,
    analytical_columns,
    analytical_jacobians,
    engine_backward,
)
from gradviz.checks.jacobians.matrices import byte_view
from gradviz.checks.jacobians.numerical import Evaluate, directional, numerical_jacobians
from gradviz.checks.names import callable_of, function_class, has_setup_context
from gradviz.checks.output_parts import OutputPart, as_tuple
from gradviz.checks.problem_messages import result_of
from gradviz.checks.run.progress import Evaluations, MatrixProgress
from gradviz.checks.run.threads import single_thread_if_small
from gradviz.checks.sparse_layouts import MovableElements, MovedValues, is_dense
from gradviz.recorder.patching.signals import calls_user_code


class UnsupportedFunctionError(BaseException):
    """The Function does something that needs the engine.

    Derives from BaseException so that an ``except Exception`` in the Function does not catch it.
    """


def _refuse(*_: object) -> NoReturn:
    raise UnsupportedFunctionError


class DirectCtx:
    """Substitute for ctx that accepts what forward usually does with it and refuses the rest."""

    needs_input_grad: tuple[bool, ...]
    mark_dirty = _refuse

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad

    def __getattr__(self, name: str) -> NoReturn:
        _refuse()

    def save_for_backward(self, *_tensors: Tensor | None) -> None:
        """Ignore the tensors, since no backward follows."""

    save_for_forward = mark_non_differentiable = save_for_backward

    def set_materialize_grads(self, value: bool) -> None:
        """Ignore the setting, since no backward follows."""


def direct_forward(cls: type[Function], arguments: Sequence[Any]) -> Callable[[], Any]:
    """Build a call of ``forward`` alone, as in ``apply``; run it under ``no_grad``.

    The call raises `UnsupportedFunctionError` if the Function uses more of ctx than the
    substitute supports.
    """
    forward: Callable[..., Any] = cls.forward
    needs = tuple(map(requires_grad, arguments))
    if not has_setup_context(cls):
        return lambda: forward(DirectCtx(needs), *arguments)
    seen = False

    def run() -> Any:
        nonlocal seen
        output = forward(*arguments)
        if not seen:  # One call is enough to see whether ctx is used in an unsupported way.
            cls.setup_context(DirectCtx(needs), tuple(arguments), output)
            seen = True
        return output

    return run


def direct_backward(
    output: Tensor, arguments: Sequence[Any]
) -> Callable[[Tensor], Sequence[Tensor]]:
    """Build a call of ``backward`` of the only output's node; run it under ``no_grad``.

    The arguments are on the CPU. The call returns the gradients of those that require one, zeros
    instead of undefined ones. It raises `UnsupportedFunctionError` for gradients that the engine
    would not simply pass on or sum.

    Raises:
        UnsupportedFunctionError: If the output does not come from a suitable node.
    """
    node: Any = output.grad_fn
    wanted = [k for k, each in enumerate(arguments) if requires_grad(each)]
    plain = all(arguments[k].is_leaf for k in wanted)
    # For a tensor that is passed twice, the engine sums both gradients.
    distinct = len({id(arguments[k]) for k in wanted}) == len(wanted)
    if not isinstance(node, BackwardCFunction) or not plain or not distinct:
        raise UnsupportedFunctionError
    count = len(node.needs_input_grad)
    empty = [k for k, each in enumerate(arguments) if not isinstance(each, Tensor)]
    forms = [(k, arguments[k].shape, arguments[k].dtype) for k in wanted]
    backward = _backward_of(node)

    def run(gradient: Tensor) -> Sequence[Tensor]:
        returned = backward(gradient)
        values = returned if isinstance(returned, tuple) else (returned,)
        if len(values) != count and not _has_only_none_beyond(values, count):
            raise UnsupportedFunctionError
        # The engine raises for the gradient of an argument that is no tensor.
        for k in empty:
            if values[k] is not None:
                raise UnsupportedFunctionError
        passed = []
        for k, shape, dtype in forms:
            value = values[k]
            # What `_passed_on` returns as it is: a call for each would take as long as a small sum.
            # A tensor of another layout cannot be copied to a row.
            is_exact = (
                type(value) is Tensor
                and value.shape == shape
                and value.dtype is dtype
                and value.is_cpu
            )
            passed.append(value if is_exact else _passed_on(value, shape, dtype))
        return passed

    return run


def _backward_of(node: Any) -> Callable[[Tensor], Any]:
    """``node.apply`` without what it looks up in each call."""
    cls: Any = getattr(type(node), "_forward_cls", Function)
    # With this attribute, backward takes a list of gradients.
    is_boxed = getattr(cls, "boxed_grads_call", False)
    if is_boxed or cls.vjp is not Function.vjp:
        return cast(Callable[[Tensor], Any], node.apply)
    return partial(cls.backward, node)


def _has_only_none_beyond(values: tuple[Any, ...], count: int) -> bool:
    """Whether there are surplus values that are all None, which the engine drops."""
    return len(values) > count and all(each is None for each in values[count:])


def _passed_on(value: Any, shape: torch.Size, dtype: torch.dtype) -> Tensor:
    """A returned gradient as the engine passes it on: as it is, or summed to the shape."""
    if value is None:
        return torch.zeros(shape, dtype=dtype, device="cpu")
    if not isinstance(value, Tensor) or value.layout is not torch.strided:
        raise UnsupportedFunctionError
    if value.dtype is not dtype or not value.is_cpu:
        raise UnsupportedFunctionError
    if value.shape == shape:
        return value
    if not is_expandable(shape, value.shape):
        raise UnsupportedFunctionError
    summed: Tensor = value.sum_to_size(shape)
    return summed


T = TypeVar("T")

LEAST_ELEMENTS = 32
"""With fewer elements, the comparison would cost as much as the shortcut saves."""


class DirectEvaluator:
    """The fast path for one Function and its arguments, used only on the CPU."""

    def __init__(
        self, cls: type[Function], arguments: Sequence[Any], evaluations: Evaluations
    ) -> None:
        self._arguments = arguments
        self._evaluations = evaluations
        self._forward = direct_forward(cls, arguments)
        self._on_cpu = all(
            each.device.type == "cpu" for each in arguments if isinstance(each, Tensor)
        )
        self._forward_fits = True

    def probes(self, count: int) -> int:
        """How many of ``count`` elements are also computed by the engine, for comparison."""
        return len(self._probed(count)) if self._is_worth(count) else 0

    def numerical(
        self,
        general: Evaluate,
        moved: Tensor,
        parts: Sequence[OutputPart],
        eps: float,
        growth: MatrixProgress,
    ) -> list[Tensor] | None:
        """Like `numerical_jacobians`, or None if the engine has to be used."""
        if not self._forward_fits or not self._is_worth(moved.numel()):
            return None
        with torch.no_grad(), single_thread_if_small(*self._arguments):
            found = self._attempt(
                lambda: numerical_jacobians(self._evaluate, moved, parts, eps, growth=growth)
            )
        if found is not None:
            rows = self._probed(moved.numel())
            expected = numerical_jacobians(general, moved, parts, eps, rows)
            # A few rows from the engine prove that the shortcut computes the same bits.
            if _same_bits([matrix[rows] for matrix in found], expected):
                return found
        # Not tried again for further inputs, because each attempt costs evaluations.
        self._forward_fits = False
        return None

    def analytical(
        self, general: Backward, output: Tensor, inputs: Sequence[Tensor], growth: MatrixProgress
    ) -> AnalyticalJacobians | None:
        """Like `analytical_jacobians` for the only output, or None if the engine is needed."""
        if not self._is_worth(output.numel()):
            return None
        with torch.no_grad(), single_thread_if_small(*self._arguments, output):
            found = self._attempt(
                lambda: analytical_jacobians(
                    self._backward(output), output, inputs, growth, all_fit=True
                )
            )
        if found is None:
            return None
        columns = self._probed(output.numel())
        expected = analytical_columns(general, output, inputs, columns)
        same = _same_bits([matrix[:, columns] for matrix in found.matrices], expected)
        return found if same else None

    def _is_worth(self, count: int) -> bool:
        return self._on_cpu and count >= LEAST_ELEMENTS

    def _probed(self, count: int) -> list[int]:
        # First, middle and last: a Function that treats the borders differently is noticed.
        return sorted({0, count // 2, count - 1})

    def _evaluate(self) -> tuple[Any, ...]:
        self._evaluations.begin()
        return as_tuple(self._forward())

    def _backward(self, output: Tensor) -> Backward:
        run = direct_backward(output, self._arguments)

        def counted(gradient: Tensor) -> Sequence[Tensor]:
            self._evaluations.begin()
            return run(gradient)

        return counted

    def _attempt(self, work: Callable[[], T]) -> T | None:
        try:
            return result_of(work)
        except UnsupportedFunctionError:
            return None


def _same_bits(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> bool:
    # As bytes, because NaN differs from itself and -0.0 equals 0.0.
    pairs = zip(map(byte_view, ours), map(byte_view, theirs), strict=True)
    return all(torch.equal(*pair) for pair in pairs)


class JacobianEvaluator:
    """Evaluator of a function on its arguments, and of its Jacobians.

    Args:
        function: Any callable, or a custom Function.
        arguments: Its arguments.
        inputs: Those to differentiate with respect to.
        evaluations: Counts the evaluations.
        masked: Whether only the specified elements of sparse inputs are varied.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Sequence[Any],
        inputs: Sequence[Tensor],
        evaluations: Evaluations,
        *,
        masked: bool = False,
    ) -> None:
        cls = function_class(function)
        self._call = callable_of(function)
        dense = all(map(is_dense, arguments))
        self._shortcut = (
            DirectEvaluator(cls, arguments, evaluations) if dense and cls is not None else None
        )
        # Elements of sparse tensors cannot be written in place.
        self._moves_values = None if dense else MovedValues(arguments, masked=masked)
        self._arguments = arguments
        self._inputs = inputs
        self._evaluations = evaluations

    @classmethod
    def of(
        cls, subject: CheckSubject, evaluations: Evaluations, *, masked: bool = False
    ) -> JacobianEvaluator:
        """The evaluator of a check's subject."""
        return cls(subject.function, subject.arguments, subject.tensors, evaluations, masked=masked)

    def evaluate(self) -> tuple[Any, ...]:
        """Evaluate the function on the current values of its arguments."""
        return self.call(self._arguments)

    @calls_user_code
    def call(self, arguments: Sequence[Any]) -> tuple[Any, ...]:
        """Evaluate the function on other arguments."""
        self._evaluations.begin()
        return as_tuple(self._call(*arguments))

    def numerical(self, moved: Tensor, parts: Sequence[OutputPart], eps: float) -> list[Tensor]:
        """Numerical Jacobians with respect to one input, as in `numerical_jacobians`."""
        if self._moves_values is not None:
            movable = self._moves_values.of(moved)
            evaluate = partial(self._evaluate_moved, movable)
            matrices = numerical_jacobians(evaluate, movable.values, parts, eps)
            return [movable.in_order(matrix) for matrix in matrices]
        begun = self._evaluations.begun
        if self._shortcut is not None:
            planned = self.numerical_evaluations(moved)
            growth = self._evaluations.growth
            found = self._shortcut.numerical(self.evaluate, moved, parts, eps, growth)
            if found is not None:
                return found
            wasted = self._evaluations.begun - begun
            # The attempt was in vain and counts as well; the engine needs no comparison with
            # itself.
            self._evaluations.expect(wasted + _moves(moved, moved.numel()) - planned)
        growth = self._evaluations.growth
        return numerical_jacobians(self.evaluate, moved, parts, eps, growth=growth)

    def derivatives_along(
        self, moved: Tensor, delta: Tensor, parts: Sequence[OutputPart], eps: float
    ) -> list[Tensor]:
        """Derivatives along a direction of one input, as in `directional`."""
        if self._moves_values is not None:
            movable = self._moves_values.of(moved)
            evaluate = partial(self._evaluate_moved, movable)
            return directional(evaluate, movable.values, movable.of_values(delta), parts, eps)
        return directional(self.evaluate, moved, delta, parts, eps)

    def _evaluate_moved(self, movable: MovableElements) -> tuple[Any, ...]:
        assert self._moves_values is not None
        return self.call(self._moves_values.arguments(movable))

    def gradients(
        self, outputs: tuple[Any, ...], part: OutputPart, gradient: Tensor
    ) -> list[Tensor]:
        """Gradients of the inputs from one output part, dense, with zeros instead of None."""
        found = engine_backward(part.of(outputs), self._inputs, self._evaluations)(gradient)
        return [
            torch.zeros_like(tensor).to_dense() if each is None else each.detach().to_dense()
            for each, tensor in zip(found, self._inputs, strict=True)
        ]

    def analytical(self, outputs: tuple[Any, ...], part: OutputPart) -> AnalyticalJacobians:
        """Analytical Jacobians of one output part, as in `analytical_jacobians`."""
        output = part.of(outputs)
        general = engine_backward(output, self._inputs, self._evaluations)
        begun = self._evaluations.begun
        if self._shortcut is not None and _is_plain(outputs, part):
            planned = self.backward_passes(outputs, part)
            growth = self._evaluations.growth
            found = self._shortcut.analytical(general, output, self._inputs, growth)
            if found is not None:
                return found
            wasted = self._evaluations.begun - begun
            self._evaluations.expect(wasted + 2 * output.numel() - planned)
        return analytical_jacobians(general, output, self._inputs, self._evaluations.growth)

    def numerical_evaluations(self, moved: Tensor) -> int:
        """Number of evaluations planned for the numerical Jacobians of one input."""
        count = moved.numel()
        probes = 0 if self._shortcut is None else self._shortcut.probes(count)
        return _moves(moved, count + probes)

    def backward_passes(self, outputs: tuple[Any, ...], part: OutputPart) -> int:
        """Number of backward passes planned for the analytical Jacobians of one output part."""
        count = part.shape.numel()
        if self._shortcut is None or not _is_plain(outputs, part):
            return 2 * count
        return 2 * count + self._shortcut.probes(count)


def _moves(moved: Tensor, count: int) -> int:
    # Two for a central difference; a complex element is moved along both axes.
    return count * (4 if moved.is_complex() else 2)


def _is_plain(outputs: tuple[Any, ...], part: OutputPart) -> bool:
    """Whether a part is the only output; for several, the engine adds zeros for the rest."""
    return len(outputs) == 1 and part.part == ""
