"""Forward mode next to backward: Jacobians from ``jvp`` against the numerical ones.

Arguments as dual numbers, with two rounds for complex inputs. Source:
``_get_analytical_jacobian_forward_ad`` and ``_real_and_imag_input`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, Literal

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad

from gradviz.catalogue.messages import say
from gradviz.checks.jacobians.matrices import compare, new_matrix
from gradviz.checks.names import function_class
from gradviz.checks.output_parts import OutputPart, is_continuous
from gradviz.checks.problem_messages import UserCodeAttempt, make_problem
from gradviz.checks.random_tensors import RandomUnitVectors, random_directions
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.jacobian_report import CheckProblem, CheckVerdict
from gradviz.recorder.patching.signals import calls_user_code

TangentRound = Literal["", "imag", "real"]
"""Which part of complex inputs has a tangent; empty if no input is complex."""

DualCall = Callable[[Sequence[Any]], tuple[Any, ...]]
"""Callable that runs the function once on the given arguments."""


def rounds_of(inputs: Sequence[Tensor]) -> tuple[TangentRound, ...]:
    """Two rounds, in gradcheck's order, if any input is complex; otherwise one."""
    return ("imag", "real") if any(each.is_complex() for each in inputs) else ("",)


class DualArguments:
    """The arguments of a function, with zero tangents for those that are differentiated.

    Valid inside a single ``forward_ad.dual_level()``.

    Attributes:
        tangents: Tangents of the inputs, in order; the function sees what is written into them.
    """

    def __init__(self, arguments: Sequence[Any], this_round: TangentRound) -> None:
        self._arguments = arguments
        self._round = this_round
        self._duals: dict[int, Tensor] = {}
        self.tangents: list[Tensor] = []
        for position, value in enumerate(arguments):
            if isinstance(value, Tensor) and value.requires_grad:
                self._duals[position] = dual = _with_zeros(self._base(value))
                self.tangents.append(forward_ad.unpack_dual(dual).tangent)

    def positions(self) -> list[int]:
        """Positions of the arguments that have a tangent."""
        return list(self._duals)

    def values(self) -> list[Any]:
        """The arguments to call the function with."""
        return self.values_with({})

    def without_tangent(self, position: int, *, zeros: bool) -> list[Any]:
        """The arguments with a new zero tangent, or no tangent at all, at one position."""
        base = self._base(self._arguments[position])
        return self.values_with({position: _with_zeros(base) if zeros else base})

    def values_with(self, others: dict[int, Tensor]) -> list[Any]:
        """The arguments with some of the dual tensors replaced."""
        chosen = {**self._duals, **others}
        return [
            self._whole(value, chosen[k]) if k in chosen else value
            for k, value in enumerate(self._arguments)
        ]

    @calls_user_code
    def _base(self, value: Tensor) -> Tensor:
        if value.layout is not torch.strided:
            raise ValueError(say("forward_mode.layout", layout=value.layout))
        if value.is_complex():
            value = value.imag if self._round == "imag" else value.real
        return value.detach()

    def _whole(self, value: Tensor, part: Tensor) -> Tensor:
        """The argument with its real or imaginary part replaced; just ``part`` if real."""
        if not value.is_complex():
            return part
        # Put together by operations, so that the tangent of the part reaches the whole.
        return value.real + part * 1j if self._round == "imag" else part + value.imag * 1j


def forward_jacobian(
    call: DualCall,
    arguments: Sequence[Any],
    which: int,
    outputs: dict[int, Tensor],
    this_round: TangentRound,
) -> dict[int, Tensor]:
    """Compute the Jacobian of each output for one input, with one evaluation per element.

    Args:
        call: Runs the function.
        arguments: Its arguments.
        which: Index of the input among the differentiated arguments.
        outputs: The outputs to differentiate, by position.
        this_round: Which part of complex inputs is varied.

    Returns:
        For each position a matrix ``[input elements, output elements]`` in the output's dtype.
    """
    with forward_ad.dual_level():
        duals = DualArguments(arguments, this_round)
        tangent = duals.tangents[which]
        found = {
            k: new_matrix(tangent.numel(), each.numel(), each.dtype, each.device)
            for k, each in outputs.items()
        }
        for row, index in enumerate(product(*map(range, tangent.shape))):
            # Written in place: the dual tensors share this memory, so that none is made for each
            # element.
            tangent[index] = 1.0
            made = call(duals.values())
            for k, matrix in found.items():
                copy_tangent(made[k], matrix[row])
            tangent[index] = 0.0
    return found


@calls_user_code
def copy_tangent(output: Any, row: Tensor) -> None:
    """Copy an output's tangent into a row; zeros if it has none."""
    tangent = forward_ad.unpack_dual(output).tangent if is_continuous(output) else None
    if tangent is None:
        row.zero_()
    else:
        row.copy_(tangent.detach().reshape(-1))


@cache
def _load_rules() -> None:
    """Import what torch needs for the first dual number, without its warnings.

    They are about torch itself; as exceptions, they would look like the function's.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        importlib.import_module("torch._decomp.decompositions_for_jvp")


def _with_zeros(base: Tensor) -> Tensor:
    _load_rules()
    # The caller reads the tangent back, since for a view it may not be the tensor given here.
    dual: Tensor = forward_ad.make_dual(base, torch.zeros_like(base))
    return dual


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
        if (i, output) in self._reported:
            return
        self._reported.add((i, output))
        names = running.inputs[i].name, running.output_names[output]
        problem = make_problem("forward_mode", name=names[0], output=names[1])
        fault(running, problem, "mismatch", place)

    def _as_part(
        self,
        part: OutputPart,
        i: int,
        by_round: dict[TangentRound, dict[int, Tensor]],
        numerical: Tensor,
    ) -> tuple[Tensor, int]:
        each = {name: _part_of(made[part.output], part) for name, made in by_round.items()}
        if self._running.inputs[i].tensor.is_complex():
            matrix = torch.complex(each["real"], each["imag"])
        else:
            (matrix,) = each.values()
        settings = self._running.settings
        shapes = tuple(self._running.inputs[i].tensor.shape), tuple(part.shape)
        found = compare(matrix, numerical, (settings.atol, settings.rtol), *shapes)
        return matrix, found.wrong


def fault(running: CheckContext, problem: CheckProblem, verdict: CheckVerdict, place: int) -> None:
    """Add a fault if forward mode decides the verdict, otherwise a notice."""
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
