"""Gradients from a program's backward passes, compared with finite differences of the program.

A check of a Function does not know what a program makes of it. Here the whole program runs again
with each element of its leaves moved. The value of a pass is the sum of the tensors at which it
starts, multiplied by the gradients that it starts with. So the second pass of a double backward
is compared with differences of the first pass's result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.problem_messages import make_problem
from gradviz.checks.program.program_run import (
    CopyError,
    Move,
    ObservedPass,
    Program,
    ProgramRun,
    run_program,
)
from gradviz.checks.run.progress import ProgressCallback, ignore_progress
from gradviz.model.arrays import index_at
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, PassGradient
from gradviz.model.tolerance import tolerance_excess

GradientElements = npt.NDArray[np.float64]

MOST_ELEMENTS = 64
"""Maximum number of elements to move; each takes two runs of the program."""

TIME_LIMIT_S = 10.0
"""Maximum time for all runs."""

_WIDER = 10.0
"""Factor of the step with which a surprising difference is measured again."""

_ROUNDING = 8 * float(np.finfo(np.float64).eps)
"""Relative error of a pass's value that is taken to be rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramGradients:
    """What was compared.

    Attributes:
        passes: The compared gradients, by pass and leaf.
        diagnoses: The passes with wrong gradients.
        problems: Differences without a known cause, and why something was not compared.
    """

    passes: tuple[PassGradient, ...]
    diagnoses: tuple[Diagnosis, ...]
    problems: tuple[CheckProblem, ...]


@dataclass(frozen=True, slots=True)
class _Difference:
    """A central difference of a pass's value, and whether the value has a derivative."""

    central: float
    gap: float
    noise: float

    def agrees(self, other: _Difference, settings: CheckSettings) -> bool:
        """Whether another step gives the same, which it does not at a kink or in noise."""
        allowed = settings.atol + settings.rtol * abs(self.central) + self.noise
        same = abs(self.central - other.central) <= allowed
        # Where the function is smooth, the gap grows with the step; at a kink it stays.
        smooth = self.gap <= allowed or other.gap >= self.gap * _WIDER / 3
        return same and smooth


def compare_with_differences(
    program: Program,
    settings: CheckSettings,
    *,
    trusted: bool = True,
    progress: ProgressCallback = ignore_progress,
    clock: Callable[[], float] = time.monotonic,
) -> ProgramGradients:
    """Compare what a program's backward passes gave to its leaves with finite differences.

    Nothing is claimed about elements at which the program has no derivative, and nothing at all
    about a program that does not repeat itself bit for bit.

    Args:
        program: The program. Its arguments keep their values.
        settings: The step and the tolerances.
        trusted: Whether a custom Function's forward says what its gradient should be; not if its
            gradient is a straight-through estimate.
        progress: Called as each run begins.
        clock: Gives the time in seconds.
    """
    measurement = _Measurement(program, settings, progress, clock)
    try:
        passes = tuple(measurement.compare(trusted=trusted))
    except CopyError as error:
        passes = ()
        measurement.problems.append(make_problem("program_not_compared.copy", reason=error))
    return ProgramGradients(
        passes=passes,
        diagnoses=diagnose_passes(passes),
        # Gradcheck's verdict is about the function alone.
        problems=tuple(replace(each, decides=False) for each in measurement.problems),
    )


class _Measurement:
    def __init__(
        self,
        program: Program,
        settings: CheckSettings,
        progress: ProgressCallback,
        clock: Callable[[], float],
    ) -> None:
        self.problems: list[CheckProblem] = []
        self._program = program
        self._settings = settings
        self._progress = progress
        self._clock = clock
        self._end = clock() + TIME_LIMIT_S
        self._begun = self._expected = 0
        self._base = ProgramRun({}, [], None)

    def compare(self, *, trusted: bool) -> Iterator[PassGradient]:
        """The gradients of all passes that can be compared."""
        self._expected = 2
        self._base = self._run()
        leaves = self._measured_leaves()
        if not leaves:
            return
        if not _is_same(self._base, self._run()):
            self.problems.append(make_problem("program_not_compared.random"))
            return
        self._expected += 1 + 2 * sum(leaves.values())
        differences = self._differences(leaves)
        replayed = self._run(replayed=True) if trusted else None
        for number, observed in enumerate(self._base.passes):
            for leaf, received in observed.received.items():
                if leaf in leaves and _is_usable(observed):
                    found = self._gradient(number, leaf, received, differences, replayed)
                    yield found
                    self._report(found)

    def _measured_leaves(self) -> dict[str, int]:
        """The number of elements of each leaf that is small enough and received something."""
        received = {
            name for each in self._base.passes if _is_usable(each) for name in each.received
        }
        left, found = MOST_ELEMENTS, dict[str, int]()
        for name, leaf in self._base.leaves.items():
            if name in received and 0 < leaf.numel() <= left:
                found[name] = leaf.numel()
                left -= leaf.numel()
        return found

    def _run(self, move: Move | None = None, *, replayed: bool = False) -> ProgramRun:
        self._begun += 1
        self._progress(self._begun, max(self._begun, self._expected))
        return run_program(self._program, move, replayed=replayed)

    def _differences(self, leaves: dict[str, int]) -> dict[tuple[int, str], GradientElements]:
        """Central differences by pass and leaf; NaN for what was not measured reliably."""
        passes = [k for k, each in enumerate(self._base.passes) if _is_usable(each)]
        found = {
            (k, name): np.full(count, np.nan) for name, count in leaves.items() for k in passes
        }
        for name, count in leaves.items():
            for element in range(count):
                if self._clock() > self._end:
                    self.problems.append(make_problem("program_not_compared.time", s=TIME_LIMIT_S))
                    return found
                for k, value in self._reliable(name, element, passes).items():
                    found[k, name][element] = value
        return found

    def _reliable(self, leaf: str, element: int, passes: Sequence[int]) -> dict[int, float]:
        """The differences of the passes for one element, without unreliable ones."""
        near = self._measured(leaf, element, self._settings.eps, passes)
        surprising = [k for k, each in near.items() if self._is_surprising(k, leaf, element, each)]
        if surprising:
            far = self._measured(leaf, element, _WIDER * self._settings.eps, passes)
            for k in surprising:
                if k not in far or not near[k].agrees(far[k], self._settings):
                    del near[k]
        return {k: each.central for k, each in near.items()}

    def _is_surprising(self, k: int, leaf: str, element: int, found: _Difference) -> bool:
        received = self._base.passes[k].received.get(leaf)
        allowed = self._settings.atol + self._settings.rtol * abs(found.central)
        if found.gap > allowed or received is None:
            return True
        return not abs(float(received.flatten()[element]) - found.central) <= allowed

    def _measured(
        self, leaf: str, element: int, eps: float, passes: Sequence[int]
    ) -> dict[int, _Difference]:
        plus, minus = (self._run(Move(leaf, element, each)) for each in (eps, -eps))
        found = {}
        for k in passes:
            start = self._base.passes[k]
            right, here, left = (_value(each, k, start) for each in (plus, self._base, minus))
            if right is None or here is None or left is None:
                continue
            noise = _ROUNDING * _magnitude(start) / eps
            central = (right - left) / (2 * eps)
            gap = abs((right - here) - (here - left)) / eps
            if np.isfinite(central) and noise <= self._settings.atol + self._settings.rtol * abs(
                central
            ):
                found[k] = _Difference(central, gap, noise)
        return found

    def _gradient(
        self,
        k: int,
        leaf: str,
        received: Tensor,
        differences: dict[tuple[int, str], GradientElements],
        replayed: ProgramRun | None,
    ) -> PassGradient:
        numerical = differences[k, leaf]
        own = received.flatten().numpy(force=True)
        known = ~np.isnan(numerical)
        wrong = int((self._excess(own[known], numerical[known]) > 1).sum())
        reference = self._reference(k, leaf, replayed)
        confirmed = reference is not None and bool(
            (self._excess(reference[known], numerical[known]) <= 1).all()
        )
        return PassGradient(
            pass_id=k + 1,
            name=leaf,
            shape=tuple(received.shape),
            received=tuple(own.tolist()),
            numerical=tuple(numerical.tolist()),
            reference=() if reference is None else tuple(reference.tolist()),
            wrong=wrong,
            confirmed=confirmed,
        )

    def _excess(self, value: GradientElements, reference: GradientElements) -> GradientElements:
        return tolerance_excess(
            value, reference, atol=self._settings.atol, rtol=self._settings.rtol
        )

    def _reference(self, k: int, leaf: str, replayed: ProgramRun | None) -> GradientElements | None:
        if replayed is None or k >= len(replayed.passes):
            return None
        start, other = self._base.passes[k], replayed.passes[k]
        received = other.received.get(leaf)
        if received is None or not other.finished or not _starts_alike(start, other):
            return None
        elements: GradientElements = received.flatten().numpy(force=True)
        return elements

    def _report(self, found: PassGradient) -> None:
        if found.wrong and not found.confirmed:
            values: dict[str, Any] = worst_values(found)
            self.problems.append(make_problem("pass_gradient", number=found.pass_id, **values))


def _is_usable(observed: ObservedPass) -> bool:
    return observed.finished and observed.roots is not None


def _is_same(first: ProgramRun, second: ProgramRun) -> bool:
    """Whether two runs started the same passes and got the same gradients, bit for bit."""
    if len(first.passes) != len(second.passes):
        return False
    return all(
        a.finished == b.finished
        and (a.roots is None) == (b.roots is None)
        and _equal(a.roots or (), b.roots or ())
        and _equal(a.gradients, b.gradients)
        and a.received.keys() == b.received.keys()
        and _equal(tuple(a.received.values()), tuple(b.received[name] for name in a.received))
        for a, b in zip(first.passes, second.passes, strict=True)
    )


def _equal(first: Sequence[Tensor], second: Sequence[Tensor]) -> bool:
    return len(first) == len(second) and all(
        a.shape == b.shape and torch.equal(a, b) for a, b in zip(first, second, strict=True)
    )


def _starts_alike(first: ObservedPass, second: ObservedPass) -> bool:
    """Whether two passes start at the same values, up to rounding, with the same gradients."""
    ours, theirs = first.roots or (), second.roots or ()
    pairs = (
        *zip(ours, theirs, strict=False),
        *zip(first.gradients, second.gradients, strict=False),
    )
    return len(ours) == len(theirs) and all(
        a.shape == b.shape and torch.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in pairs
    )


def _value(run: ProgramRun, k: int, start: ObservedPass) -> float | None:
    """The value of a pass, with the gradients that it starts with in the unmoved run."""
    roots = run.passes[k].roots if k < len(run.passes) else None
    if roots is None or [each.shape for each in roots] != [each.shape for each in start.gradients]:
        return None
    pairs = zip(roots, start.gradients, strict=True)
    return float(sum(float((root * gradient).sum()) for root, gradient in pairs))


def _magnitude(start: ObservedPass) -> float:
    pairs = zip(start.roots or (), start.gradients, strict=True)
    return sum(float((root * gradient).abs().sum()) for root, gradient in pairs)


def diagnose_passes(gradients: Sequence[PassGradient]) -> tuple[Diagnosis, ...]:
    """A diagnosis for each backward pass with wrong gradients whose cause is a custom Function."""
    wrong = (each for each in gradients if each.wrong and each.confirmed)
    return tuple(
        _diagnosis(number, list(found))
        for number, found in groupby(wrong, lambda each: each.pass_id)
    )


def _diagnosis(number: int, found: list[PassGradient]) -> Diagnosis:
    first, *others = (worst_values(each) for each in found)
    return diagnosed(
        "wrong_pass_gradient",
        say("wrong_pass_gradient.found", number=number, **first),
        evidence=tuple(say("wrong_pass_gradient.also", **each) for each in others),
    )


def worst_values(found: PassGradient) -> dict[str, str]:
    """Name, received and numerical value of the element with the largest difference."""
    received, numerical = np.array(found.received), np.array(found.numerical)
    worst = int(np.nanargmax(np.abs(received - numerical)))
    index = list(index_at(worst, found.shape))
    return {
        "name": f"{found.name}{index or ''}",
        "received": f"{received[worst]:.6g}",
        "numerical": f"{numerical[worst]:.6g}",
    }
