"""Forward mode beside backward: the Jacobian that ``jvp`` gives, against the numerical one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function, forward_ad

from gradviz.checks import problems
from gradviz.checks.attempt import Attempt
from gradviz.checks.compare import compare
from gradviz.checks.drawn import Drawn, directions
from gradviz.checks.duals import Duals, Round, forward_jacobian, rounds_of
from gradviz.checks.findings import Stage
from gradviz.checks.names import function_class
from gradviz.checks.parts import Part, is_continuous
from gradviz.checks.running import Running
from gradviz.model.jacobian import CheckProblem, Verdict

_UNDEFINED = 4
"""After what raises and what differs in either round."""


def is_wanted(running: Running) -> bool:
    """Whether forward mode is to be compared: on wish, or where a Function has its own ``jvp``."""
    mode = running.settings.forward_mode
    if mode != "auto":
        return mode == "on"
    cls = function_class(running.subject.function)
    return cls is not None and cls.jvp is not Function.jvp


class ForwardMode:
    """Forward-mode Jacobians, input by input, while the numerical ones are at hand.

    Args:
        running: The check.
        outputs: What the function returned.
        parts: What of it is differentiated.
    """

    def __init__(self, running: Running, outputs: tuple[Any, ...], parts: Sequence[Part]) -> None:
        self._running = running
        self._parts = parts
        self._rounds = rounds_of(running.subject.tensors)
        self._outputs = {part.output: outputs[part.output].detach() for part in parts}
        self._raised: set[Round] = set()
        self._told: set[tuple[int, int]] = set()

    def expected_evaluations(self) -> int:
        """How many evaluations are planned."""
        inputs = self._running.subject.tensors
        columns = sum(each.numel() * len(self._rounds_for(each)) for each in inputs)
        return columns + 2 * len(inputs) * len(self._rounds)

    @property
    def has_raised(self) -> bool:
        """Whether there is nothing more to be learned."""
        return bool(self._raised)

    def compared(self, i: int, numerical: Sequence[Tensor]) -> dict[int, tuple[Tensor, int]]:
        """The Jacobians with respect to one input, compared with the numerical ones.

        Args:
            i: Index of the input.
            numerical: For each part the numerical Jacobian with respect to it.

        Returns:
            By index of the part: the Jacobian, and how many of its elements are wrong. Empty
            where the function raised.
        """
        found: dict[Round, dict[int, Tensor]] = {}
        for this_round in self._rounds_for(self._running.inputs[i].tensor):
            made = self._jacobian(i, this_round)
            if made is None:
                return {}
            found[this_round] = made
            self._judge(i, this_round, made, numerical)
        return {
            k: self._as_part(part, i, found, numerical[k]) for k, part in enumerate(self._parts)
        }

    def _rounds_for(self, tensor: Tensor) -> tuple[Round, ...]:
        """A real input has the same tangents in both rounds."""
        return self._rounds if tensor.is_complex() else self._rounds[:1]

    def _jacobian(self, i: int, this_round: Round) -> dict[int, Tensor] | None:
        if this_round in self._raised:
            return None
        running = self._running
        call, arguments = running.ways.call, running.subject.arguments
        with Attempt() as attempt:
            return forward_jacobian(call, arguments, i, self._outputs, this_round)
        if attempt.error is not None:
            self._raised.add(this_round)
            place = 2 * self._rounds.index(this_round)
            raised(running, attempt.error, place)
        return None

    def _judge(
        self,
        i: int,
        this_round: Round,
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
        problem = problems.forward_differs(*names)
        fault(running, problem, "mismatch", place, is_told=(i, output) in self._told)
        self._told.add((i, output))

    def _as_part(
        self, part: Part, i: int, found: dict[Round, dict[int, Tensor]], numerical: Tensor
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
    running: Running,
    problem: CheckProblem,
    verdict: Verdict,
    place: int,
    *,
    is_told: bool = False,
) -> None:
    """A fault where forward mode decides, and a notice where it does not."""
    if is_told:
        return
    if running.settings.forward_mode == "on":
        running.findings.fault(Stage.FORWARD_MODE, problem, verdict, place)
    else:
        running.findings.notice(problems.undecided(problem))


def raised(running: Running, error: Exception, place: int) -> None:
    """Says that forward mode raised; a ``jvp`` that is not implemented is no fault by itself."""
    is_missing = isinstance(error, NotImplementedError)
    if running.settings.forward_mode == "on" or not is_missing:
        fault(running, problems.forward_raised(error), "error", place)


def _of_round(
    output: int, this_round: Round, numerical: Mapping[tuple[int, str], Tensor]
) -> Tensor:
    """The numerical Jacobian of an output as a complex one, with one part of the input moved."""

    def moved(matrix: Tensor) -> Tensor:
        if not matrix.is_complex():
            return matrix
        return matrix.imag if this_round == "imag" else matrix.real

    if (output, "") in numerical:
        return moved(numerical[output, ""])
    return torch.complex(moved(numerical[output, "real"]), moved(numerical[output, "imag"]))


def _part_of(matrix: Tensor, part: Part) -> Tensor:
    if part.part == "imag":
        return matrix.imag
    return matrix.real if part.part == "real" else matrix


def check_undefined_forward(running: Running) -> None:
    """Asks that an input without a tangent be taken as one with a tangent of zeros.

    Source: ``_test_undefined_forward_mode`` in torch/autograd/gradcheck.py.
    """
    for this_round in rounds_of(running.subject.tensors):
        differing: list[str] = []
        with Attempt() as attempt:
            differing = _undefined(running, this_round)
        if attempt.error is not None:
            raised(running, attempt.error, _UNDEFINED)
            return
        for name in differing:
            fault(running, problems.forward_undefined(name), "mismatch", _UNDEFINED)


def _undefined(running: Running, this_round: Round) -> list[str]:
    """Names of the inputs without whose tangent of zeros something else comes out."""
    subject, call = running.subject, running.ways.call
    differing = []
    with forward_ad.dual_level():
        duals = Duals(subject.arguments, this_round)
        reals = [tangent.detach() for tangent in duals.tangents]
        for tangent, (drawn,) in zip(duals.tangents, directions(Drawn(), reals), strict=True):
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
