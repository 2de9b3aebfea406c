"""Test whether the rounding of a large output hides the effect of the step.

For an output of 1e12 and a step of 1e-6, the difference quotient is off by 60, whatever the
function is. Such differences can look like any mistake, so this is tested first.

Detection of the precision a function computes in, whatever the dtypes of its tensors.

Outputs whose derivatives are all below atol, compared once more with the outputs scaled. At such a
tolerance nothing is compared: a gradient of zeros would pass as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from msgspec import Struct, structs
from msgspec.structs import replace
from numpy.typing import NDArray
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import CheckSubject
from gradviz.checks.cast import WIDER
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.names import callable_of
from gradviz.checks.output_parts import as_tuple
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.reliability.measurement import (
    DifferenceQuotients,
    MeasuredFunction,
    as_float_array,
    sample,
    sweep_steps,
)
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, SmallDerivatives
from gradviz.model.arrays import FloatArray
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.compat import DispatchMode
from gradviz.recorder.patching.signals import calls_user_code

_FULL = frozenset(WIDER.values())


class DowncastRecorder(DispatchMode):
    """Mode that records the lower dtypes that tensors of full precision are cast to.

    Attributes:
        seen: These dtypes; for complex numbers, those of their parts.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[torch.dtype] = set()

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if isinstance(result, Tensor) and result.dtype in WIDER and _is_full(args):
            self.seen.add(_real(result.dtype))
        return result


class _Uncast(DispatchMode):
    """Keep tensors of full precision from being cast to a lower one."""

    @calls_user_code
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        named = dict(kwargs or {})
        low = named.get("dtype")
        if low in WIDER and _is_full(args):
            named["dtype"] = WIDER[low]
        return func(*args, **named)


def _is_full(args: Sequence[Any]) -> bool:
    """Whether any of the arguments of an operation is in full precision."""
    return any(each.dtype in _FULL for each in args if isinstance(each, Tensor))


def _real(dtype: torch.dtype) -> torch.dtype:
    return dtype.to_real() if dtype.is_complex else dtype


def without_casts(subject: CheckSubject) -> CheckSubject:
    """A subject whose forward keeps full precision where it would cast to a lower one."""
    call = callable_of(subject.function)

    @calls_user_code
    def run(*arguments: Any) -> Any:
        with _Uncast():
            return call(*arguments)

    return replace(subject, function=run)


def inner_type(bench: MeasuredFunction) -> torch.dtype | None:
    """The lower-precision real dtype that forward computes in; None for full precision."""
    mine = [each.dtype for each in (*bench.subject.tensors, *_outputs(bench))]
    low = [_real(each) for each in mine if each in WIDER]
    if low:
        # The coarsest dtype decides how precise the outputs are.
        return max(low, key=unit)
    casts = DowncastRecorder()
    bench.evaluations.expect(1)
    with Attempt(), casts:
        bench.evaluator.evaluate()
    if casts.seen:
        return max(casts.seen, key=unit)
    # Outputs that all fit into float32 were computed in it, unless they are so simple that they fit
    # into bfloat16 as well.
    rounded = all(torch.equal(each, each.float().double()) for each in _outputs(bench))
    trivial = all(torch.equal(each, each.bfloat16().double()) for each in _outputs(bench))
    return torch.float32 if rounded and not trivial else None


def unit(dtype: torch.dtype | None) -> float:
    """Relative rounding error of a dtype; that of float64 for None."""
    return float(torch.finfo(dtype or torch.float64).eps)


def type_name(dtype: torch.dtype) -> str:
    """Name of a dtype in sentences."""
    return str(dtype).removeprefix("torch.")


def _outputs(bench: MeasuredFunction) -> list[Tensor]:
    return [part.of(bench.outputs).detach() for part in bench.parts]


_ROUNDINGS_SCALED = 100
"""Derivatives of less than so many roundings of the output are zeros, as far as can be seen."""

_LONGER = 100
"""How many times longer the second step is: rounding in forward then disturbs so much less."""

RecheckScaled = Callable[[Callable[..., Any], CheckSettings], JacobianReport]
"""Callable that checks another function on the same arguments, with its own diagnoses."""


class ScaledFunction:
    """A function of whose outputs some, by position, are multiplied by factors."""

    def __init__(self, function: Callable[..., Any], factors: Mapping[int, float]) -> None:
        self._call = callable_of(function)
        self._factors = factors

    @calls_user_code
    def __call__(self, *values: Any) -> Any:
        """Call the function, and scale what it returns."""
        outputs = tuple(
            each * self._factors[k] if k in self._factors else each
            for k, each in enumerate(as_tuple(self._call(*values)))
        )
        return outputs[0] if len(outputs) == 1 else outputs


def largest_below(
    numerical: Tensor, analytical: Tensor, output: Tensor, settings: CheckSettings
) -> float:
    """The largest element of two Jacobians that are both below atol; 0 if that says nothing.

    Args:
        numerical: Of finite differences.
        analytical: Of backward.
        output: The output, whose rounding disturbs the differences.
        settings: Step and tolerances.
    """
    if not numerical.numel():
        return 0.0
    largest = max(float(each.abs().max()) for each in (numerical, analytical))
    rounding = torch.finfo(output.dtype).eps * float(output.detach().abs().max())
    is_seen = largest > _ROUNDINGS_SCALED * rounding / settings.eps
    return largest if is_seen and largest <= settings.atol else 0.0


def note_below_atol(
    running: CheckContext,
    outputs: Sequence[Any],
    output: int,
    input_name: str,
    numerical: Tensor,
    analytical: Tensor,
) -> None:
    """Add a pair to the findings if all its derivatives are below atol: nothing was compared."""
    largest = largest_below(numerical, analytical, outputs[output], running.settings)
    if largest:
        running.findings.small.append(
            SmallDerivatives(
                output=output,
                output_name=running.output_names[output],
                input_name=input_name,
                largest=largest,
            )
        )


def recheck_scaled(
    function: Callable[..., Any],
    settings: CheckSettings,
    findings: CheckFindings,
    recheck: RecheckScaled,
) -> None:
    """Check a function once more with its small outputs scaled, and add what is found.

    A fault counts only if a longer step shows it too.
    """
    factors: dict[int, float] = {}
    for each in findings.small:
        factor = 10.0 ** math.ceil(-math.log10(each.largest))
        factors[each.output] = max(factors.get(each.output, 0.0), factor)
    scaled = ScaledFunction(function, factors)
    plain = settings.as_given()
    reports = [
        recheck(scaled, structs.replace(plain, eps=eps))
        for eps in (settings.eps, _LONGER * settings.eps)
    ]
    if any(report.verdict == "match" for report in reports):
        findings.small = [replace(each, factor=factors[each.output]) for each in findings.small]
        return
    first, second = (
        [each for each in report.diagnoses if not each.is_harmless] for report in reports
    )
    if {each.code for each in first} != {each.code for each in second}:
        return
    for diagnosis in first:
        findings.diagnose(_told(diagnosis, findings.small, factors, settings.atol))


def _told(
    diagnosis: Diagnosis, small: list[SmallDerivatives], factors: Mapping[int, float], atol: float
) -> Diagnosis:
    """A diagnosis of the scaled function as one of the function itself."""
    notes = tuple(
        say(
            "scaled.evidence",
            output=each.output_name,
            input=each.input_name,
            largest=each.largest,
            atol=atol,
            factor=factors[each.output],
        )
        for each in small
        if diagnosis.output in (None, each.output)
    )
    # The matrix of the repair belongs to the scaled function.
    return structs.replace(diagnosis, evidence=(*notes, *diagnosis.evidence), repair=None)


_ROUNDINGS = 4
"""The difference of two outputs may be off by this many roundings of the output."""

_MOST_ROWS = 48
_REACH = np.array([1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 1.0])
"""Additional steps, multiplied by the size of the element if that is above 1."""

_TELLING = 0.25
"""A quotient is usable if its relative uncertainty is at most this."""

_SURE = 0.01


class Cancellation(Struct, frozen=True, kw_only=True):
    """Evidence that all differences of a pair are within the rounding of its output.

    Attributes:
        largest: Largest absolute value of the output.
        noise: Error that its rounding causes in a numerical Jacobian at the step that was used.
        count: Number of wrong elements.
        unresolved: Number of examined elements for which no step gives a usable quotient.
        best: A larger step at which the least certain of the other elements agrees.
        off: Relative uncertainty of that element.
    """

    largest: float
    noise: float
    count: int
    unresolved: int
    best: float
    off: float

    @property
    def is_sure(self) -> bool:
        """Whether larger steps confirm the whole gradient to within one percent."""
        return self.unresolved == 0 and self.off <= _SURE


def find_cancellation(
    bench: MeasuredFunction, pair: JacobianPair, eps: float, unit: float
) -> Cancellation | None:
    """Test a pair; None for larger differences, or if larger steps refute the gradient."""
    where = bench.find(pair)
    if where is None:
        return None
    value = np.abs(as_float_array(bench.parts[where[0]].of(bench.outputs)))
    both = pair.analytical.double().numpy(), pair.numerical.double().numpy()
    distance = np.abs(both[0] - both[1])
    wrong = ~(distance <= pair.atol + pair.rtol * np.abs(both[1]))
    noise = np.broadcast_to(_ROUNDINGS * unit * value / (2 * eps), distance.shape)
    if not wrong.any() or not bool((distance[wrong] <= noise[wrong]).all()):
        return None
    found = list(_seen(bench, pair, where, wrong, unit))
    if not found or any(each is None for each in found):
        return None
    seen = [each for each in found if each is not None]
    resolved = [each for each in seen if each[1] <= _TELLING]
    best, off = max(resolved, key=lambda each: each[1], default=(eps, np.inf))
    return Cancellation(
        largest=float(value.max()),
        noise=float(noise[wrong].max()) / _ROUNDINGS,
        count=int(wrong.sum()),
        unresolved=len(seen) - len(resolved),
        best=best,
        off=off,
    )


def _seen(
    bench: MeasuredFunction,
    pair: JacobianPair,
    where: tuple[int, int],
    wrong: NDArray[np.bool_],
    unit: float,
) -> Iterator[tuple[float, float] | None]:
    """Best step and its uncertainty per wrong element; None if it refutes the gradient."""
    for element in sample(np.flatnonzero(wrong.any(axis=1)), _MOST_ROWS):
        row = _row(bench, where, element)
        if row is None:
            yield None
            return
        for column in np.flatnonzero(wrong[element]):
            analytical = float(pair.analytical[element, int(column)])
            yield _of_element(row, int(column), analytical, unit)


def _row(
    bench: MeasuredFunction, where: tuple[int, int], element: int
) -> DifferenceQuotients | None:
    at = float(bench.subject.tensors[where[1]].detach().reshape(-1)[element])
    chosen = tuple(float(each) for each in _REACH * max(1.0, abs(at)))
    return sweep_steps(bench, where, element, chosen)


def _of_element(
    row: DifferenceQuotients, column: int, analytical: float, unit: float
) -> tuple[float, float] | None:
    central = row.central[:, column]
    doubt = row.floor(unit)[:, column] + _unrest(central)
    doubt = np.where(np.isfinite(doubt), doubt, np.inf)
    best = int(np.argmin(doubt))
    size = max(abs(float(central[best])), abs(analytical))
    share = float(doubt[best]) / size if size and np.isfinite(doubt[best]) else np.inf
    contradicts = share <= _TELLING and abs(analytical - central[best]) > 2 * doubt[best]
    return None if contradicts else (float(row.steps[best]), share)


def _unrest(central: FloatArray) -> FloatArray:
    """Change of the quotient from the next smaller step, a bound on the truncation error."""
    change = np.abs(np.diff(central))
    return np.concatenate([[np.inf], change])
