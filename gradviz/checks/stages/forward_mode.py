"""Forward mode next to backward: Jacobians from ``jvp`` against the numerical ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad

from gradviz.checks.jacobians.dual_numbers import (
    DualArguments,
    TangentRound,
    forward_jacobian,
    rounds_of,
)
from gradviz.checks.jacobians.matrices import compare
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import OutputPart, is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt, make_problem
from gradviz.checks.random_tensors import RandomUnitVectors, random_directions
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.jacobian_report import CheckProblem, CheckVerdict

_UNDEFINED = 4
"""Rank of this fault: after exceptions and mismatches in both rounds."""


def is_wanted(running: CheckContext) -> bool:
    """Whether to compare forward mode: on request, or if a Function defines ``jvp``."""
    mode = running.settings.forward_mode
    if mode != "auto":
        return mode == "on"
    cls = function_class(running.subject.function)
    return cls is not None and cls.jvp is not Function.jvp


class ForwardModeJacobians:
    """Forward-mode Jacobians, compared input by input while the numerical ones are in memory."""

    def __init__(
        self, running: CheckContext, outputs: tuple[Any, ...], parts: Sequence[OutputPart]
    ) -> None:
        self._running = running
        self._parts = parts
        self._rounds = rounds_of(running.subject.tensors)
        self._outputs = {part.output: outputs[part.output].detach() for part in parts}
        self._raised: set[TangentRound] = set()
        self._reported: set[tuple[int, int]] = set()

    def expected_evaluations(self) -> int:
        """Number of evaluations planned."""
        inputs = self._running.subject.tensors
        columns = sum(each.numel() * len(self._rounds_for(each)) for each in inputs)
        return columns + 2 * len(inputs) * len(self._rounds)

    @property
    def has_raised(self) -> bool:
        """Whether forward mode raised in any round."""
        return bool(self._raised)

    def compared(self, i: int, numerical: Sequence[Tensor]) -> dict[int, tuple[Tensor, int]]:
        """Compute the Jacobians for one input and compare them with the numerical ones.

        Args:
            i: Index of the input.
            numerical: For each part, its numerical Jacobian with respect to that input.

        Returns:
            For each part's index, the Jacobian and its number of wrong elements. Empty if the
            function raised.
        """
        found: dict[TangentRound, dict[int, Tensor]] = {}
        for this_round in self._rounds_for(self._running.inputs[i].tensor):
            made = self._jacobian(i, this_round)
            if made is None:
                return {}
            found[this_round] = made
            self._judge(i, this_round, made, numerical)
        return {
            k: self._as_part(part, i, found, numerical[k]) for k, part in enumerate(self._parts)
        }

    def _rounds_for(self, tensor: Tensor) -> tuple[TangentRound, ...]:
        """Rounds needed for an input; a real one has the same tangents in both."""
        return self._rounds if tensor.is_complex() else self._rounds[:1]

    def _jacobian(self, i: int, this_round: TangentRound) -> dict[int, Tensor] | None:
        if this_round in self._raised:
            return None
        running = self._running
        call, arguments = running.evaluator.call, running.subject.arguments
        with UserCodeAttempt() as attempt:
            return forward_jacobian(call, arguments, i, self._outputs, this_round)
        if attempt.error is not None:
            self._raised.add(this_round)
            place = 2 * self._rounds.index(this_round)
            raised(running, attempt.error, place)
        return None

    def _judge(
        self,
        i: int,
        this_round: TangentRound,
        made: dict[int, Tensor],
        numerical: Sequence[Tensor],
    ) -> None:
        settings, place = self._running.settings, 2 * self._rounds.index(this_round) + 1
        by_part: dict[tuple[int, str], Tensor] = {
            (part.output, part.part): matrix
            for part, matrix in zip(self._parts, numerical, strict=True)
        }
        for output, ours in made.items():
            theirs = _of_round(output, this_round, by_part)
            common = torch.promote_types(ours.dtype, theirs.dtype)
            pair = ours.to(common), theirs.to(ours.device, common)
            if not torch.allclose(*pair, rtol=settings.rtol, atol=settings.atol):
                self._tell(i, output, place)

    def _tell(self, i: int, output: int, place: int) -> None:
        running = self._running
        names = running.inputs[i].name, running.output_names[output]
        problem = make_problem("forward_mode", name=names[0], output=names[1])
        fault(running, problem, "mismatch", place, is_reported=(i, output) in self._reported)
        self._reported.add((i, output))

    def _as_part(
        self,
        part: OutputPart,
        i: int,
        found: dict[TangentRound, dict[int, Tensor]],
        numerical: Tensor,
    ) -> tuple[Tensor, int]:
        each = {name: _part_of(made[part.output], part) for name, made in found.items()}
        if self._running.inputs[i].tensor.is_complex():
            matrix = torch.complex(each["real"], each["imag"])
        else:
            (matrix,) = each.values()
        settings = self._running.settings
        comparison = compare(
            matrix,
            numerical,
            atol=settings.atol,
            rtol=settings.rtol,
            input_shape=tuple(self._running.inputs[i].tensor.shape),
            output_shape=tuple(part.shape),
        )
        return matrix, comparison.wrong


def fault(
    running: CheckContext,
    problem: CheckProblem,
    verdict: CheckVerdict,
    place: int,
    *,
    is_reported: bool = False,
) -> None:
    """Add a fault if forward mode decides the verdict, otherwise a notice."""
    if is_reported:
        return
    if running.settings.forward_mode == "on":
        running.findings.fault(CheckStage.FORWARD_MODE, problem, verdict, place)
    else:
        running.findings.notice(problem)


def raised(running: CheckContext, error: Exception, place: int) -> None:
    """Report that forward mode raised; a missing ``jvp`` matters only if it was requested."""
    is_missing = issubclass(type(error), NotImplementedError)
    if running.settings.forward_mode == "on" or not is_missing:
        fault(running, make_problem("forward_mode.raised", error=error), "error", place)


def _of_round(
    output: int, this_round: TangentRound, numerical: Mapping[tuple[int, str], Tensor]
) -> Tensor:
    """The numerical Jacobian of an output for one varied part of the input, as complex."""

    def moved(matrix: Tensor) -> Tensor:
        if not matrix.is_complex():
            return matrix
        return matrix.imag if this_round == "imag" else matrix.real

    if (output, "") in numerical:
        return moved(numerical[output, ""])
    return torch.complex(moved(numerical[output, "real"]), moved(numerical[output, "imag"]))


def _part_of(matrix: Tensor, part: OutputPart) -> Tensor:
    if part.part == "imag":
        return matrix.imag
    return matrix.real if part.part == "real" else matrix


def check_undefined_forward(running: CheckContext) -> None:
    """Check that an input without a tangent is treated like one with a zero tangent.

    Source: ``_test_undefined_forward_mode`` in torch/autograd/gradcheck.py.
    """
    for this_round in rounds_of(running.subject.tensors):
        differing: list[str] = []
        with UserCodeAttempt() as attempt:
            differing = _undefined(running, this_round)
        if attempt.error is not None:
            raised(running, attempt.error, _UNDEFINED)
            return
        for name in differing:
            fault(
                running, make_problem("forward_mode.undefined", name=name), "mismatch", _UNDEFINED
            )


def _undefined(running: CheckContext, this_round: TangentRound) -> list[str]:
    """Names of the inputs for which no tangent and a zero tangent give different results."""
    subject, call = running.subject, running.evaluator.call
    differing = []
    with forward_ad.dual_level():
        duals = DualArguments(subject.arguments, this_round)
        reals = [tangent.detach() for tangent in duals.tangents]
        for tangent, (drawn,) in zip(
            duals.tangents, random_directions(RandomUnitVectors(), reals), strict=True
        ):
            tangent.copy_(drawn.view_as(tangent))
        for position in duals.positions():
            with_zeros = _tangents(call, duals.without_tangent(position, zeros=True))
            without = _tangents(call, duals.without_tangent(position, zeros=False))
            pairs = zip(with_zeros, without, strict=False)
            if not all(a is None or b is None or torch.allclose(a, b) for a, b in pairs):
                differing.append(subject.names[position])
    return differing


def _tangents(
    call: Callable[[Sequence[Any]], tuple[Any, ...]], values: Sequence[Any]
) -> list[Tensor | None]:
    return [forward_ad.unpack_dual(each).tangent for each in call(values) if is_continuous(each)]
