"""Both Jacobians of a function, by the fast path if it has one, else by the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.jacobians.analytical import (
    AnalyticalJacobians,
    Backward,
    analytical_jacobians,
    engine_backward,
)
from gradviz.checks.jacobians.direct_evaluator import DirectEvaluator
from gradviz.checks.jacobians.numerical import directional, numerical_jacobians
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import OutputPart, as_tuple
from gradviz.checks.run.progress import Evaluations
from gradviz.checks.sparse_layouts import MovableElements, MovedValues, is_dense
from gradviz.checks.subject import CheckSubject
from gradviz.recorder.patching.signals import calls_user_code


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
        self._call: Callable[..., Any] = function if cls is None else cls.apply
        dense = all(map(is_dense, arguments))
        short = cls if dense else None
        self._shortcut = None if short is None else DirectEvaluator(short, arguments, evaluations)
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
        found = self._general(part.of(outputs))(gradient)
        return [
            torch.zeros_like(tensor).to_dense() if each is None else each.detach().to_dense()
            for each, tensor in zip(found, self._inputs, strict=True)
        ]

    def analytical(self, outputs: tuple[Any, ...], part: OutputPart) -> AnalyticalJacobians:
        """Analytical Jacobians of one output part, as in `analytical_jacobians`."""
        output = part.of(outputs)
        general = self._general(output)
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

    def _general(self, output: Tensor) -> Backward:
        return engine_backward(output, self._inputs, self._evaluations)


def _moves(moved: Tensor, count: int) -> int:
    # Two for a central difference; a complex element is moved along both axes.
    return count * (4 if moved.is_complex() else 2)


def _is_plain(outputs: tuple[Any, ...], part: OutputPart) -> bool:
    """Whether a part is the only output; for several, the engine adds zeros for the rest."""
    return len(outputs) == 1 and part.part == ""
