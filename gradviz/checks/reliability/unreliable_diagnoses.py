"""Sentences of diagnoses that blame the numerical Jacobian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.reliability.cancellation import Cancellation
from gradviz.checks.reliability.inner_precision import type_name
from gradviz.checks.reliability.numerical_error_causes import NumericalErrorCause
from gradviz.model.diagnosis import Confidence, Diagnosis, ErrorCurve


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreliableJacobian:
    """A diagnosis that is not assigned to a pair yet.

    Attributes:
        code: Code of the diagnosis.
        message: Sentence with ``{}`` for the name of the input.
        confidence: Confidence of the diagnosis.
        evidence: What was measured, one sentence each.
    """

    code: str
    message: str
    confidence: Confidence = "certain"
    evidence: tuple[str, ...] = ()

    def moved(self, by: float) -> UnreliableJacobian:
        """The same diagnosis, with the evidence that all elements agree at a moved point."""
        tried = f"With every input moved by {by:g} to {2 * by:g}, all elements agree."
        return replace(self, evidence=(*self.evidence, tried))


def of_precision(
    pair: JacobianPair, found: ErrorCurve | None, low: torch.dtype, eps: float, fine: float
) -> UnreliableJacobian:
    """Diagnosis for differences that vanish in float64."""
    evidence = [f"With everything cast to float64, at eps {fine:g}, all elements agree."]
    if found is not None:
        evidence.append(_best(pair, found, eps))
    return UnreliableJacobian(
        code="float32_noise",
        message=(
            "The gradient of {} is correct. The numerical Jacobian is inaccurate: "
            f"forward computes in {type_name(low)}, where a step of {eps:g} mostly "
            "measures rounding errors. Check everything in float64, or use a larger eps "
            "and larger tolerances."
        ),
        evidence=tuple(evidence),
    )


def of_step(
    pair: JacobianPair, found: NumericalErrorCause, eps: float, inner: torch.dtype | None
) -> UnreliableJacobian:
    """Diagnosis for differences that vanish at a better step."""
    best = found.readings[0].best
    evidence = (
        _best(pair, found.curve, eps),
        f"At eps {_numbers(found)}, all {pair.block.wrong} wrong elements agree.",
    )
    if inner is not None and best > eps:
        return UnreliableJacobian(
            code="float32_noise",
            message=(
                "The gradient of {} is correct. The numerical Jacobian is inaccurate: "
                f"forward computes in {type_name(inner)}, where a step of {eps:g} mostly "
                "measures rounding errors. Compute everything in float64, or use eps "
                f"{best:g}."
            ),
            evidence=evidence,
        )
    how = (
        "so large that the function is not nearly linear within a step"
        if best < eps
        else "so small that its effect is lost in rounding"
    )
    return UnreliableJacobian(
        code="eps_sensitive",
        message=(
            "The gradient of {} is correct. The numerical Jacobian is inaccurate: eps "
            f"{eps:g} is {how}. Use eps {best:g}."
        ),
        evidence=evidence,
    )


def of_drowned(found: Cancellation, eps: float) -> UnreliableJacobian:
    """Diagnosis for differences that are within the rounding of the output."""
    evidence = [
        f"The output is as large as {found.largest:.3g}. Its rounding alone puts errors "
        f"of up to {found.noise:.3g} into the numerical Jacobian, and none of the "
        f"{found.count} wrong elements is off by more than a few times that."
    ]
    if found.best > eps:
        evidence.append(
            f"At eps {found.best:.1g}, numerical and analytical values agree to within "
            f"{found.off:.1%}, as far as rounding allows."
        )
    if found.unresolved:
        evidence.append(f"For {found.unresolved} elements, no step gives a usable numerical value.")
    how = (
        f"Use eps {found.best:.1g}, or remove the large value from the output."
        if found.is_sure
        else "Remove the large value from the output and check again. Until then, the "
        "gradient is neither confirmed nor refuted."
    )
    return UnreliableJacobian(
        code="eps_sensitive",
        message=(
            "The gradient of {} cannot be judged at this step: the effect of eps "
            f"{eps:g} is lost in the rounding of such a large output. {how}"
        ),
        confidence="certain" if found.is_sure else "likely",
        evidence=tuple(evidence),
    )


def of_kink(pair: JacobianPair, found: NumericalErrorCause, eps: float) -> UnreliableJacobian:
    """Diagnosis for an element at a kink; the others are tested by moving the point."""
    k = next(k for k, kind in enumerate(found.kinds) if kind in ("kink", "jump"))
    jump = found.kinds[k] == "jump"
    what = "jumps" if jump else "has a kink"
    how = (
        "grows as 1/eps, as at a jump"
        if jump
        else ("does not shrink with eps, as happens only at a kink")
    )
    curve = found.curve
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    evidence = (
        (
            f"At {_element(pair, curve)}, the one-sided differences are "
            f"{curve.one_sided[used]:.3g} apart at eps {eps:g}. This gap {how}."
        ),
    )
    return UnreliableJacobian(
        code="kink",
        message=(
            f"The function {what} at this point and has no derivative there, so the "
            "gradient of {} cannot be judged. Move the point a little."
        ),
        evidence=evidence if k == 0 else (),
    )


def of_unseen_kink() -> UnreliableJacobian:
    """Diagnosis for a kink that no single input shows, as with ties."""
    return UnreliableJacobian(
        code="kink",
        message=(
            "The function has no derivative at this point, for example because it picks "
            "one of several equal inputs, so the gradient of {} cannot be judged. Move "
            "the point a little."
        ),
    )


def note(pair: JacobianPair, found: NumericalErrorCause) -> dict[PairKey, str]:
    """Note that the step is not the cause, for a pair whose gradient is wrong."""
    last, curve = found.readings[-1], found.curve
    if last.kind != "wrong" or len(found.readings) > 1:
        return {}
    size = abs(complex(pair.worst.analytical).real - last.limit)
    near = [
        step
        for step, error in zip(curve.steps, curve.errors, strict=True)
        if abs(error - size) <= 0.1 * size
    ]
    if len(near) < 2:
        return {}
    return {
        pair.place: (
            f"The step is not the cause: at {_element(pair, curve)}, the difference is "
            f"about {size:.3g} at {len(near)} steps between {near[0]:g} and {near[-1]:g}."
        )
    }


def diagnoses(
    said: Mapping[PairKey, UnreliableJacobian],
    asked: Sequence[PairKey],
    pairs: Sequence[JacobianPair],
) -> list[Diagnosis]:
    """One diagnosis per pair, or a single one if all pairs have the same code."""
    codes = {each.code for each in said.values()}
    if len(said) == len(asked) > 1 and len(codes) == 1:
        first = said[asked[0]]
        return [
            Diagnosis(
                code=first.code,
                message=first.message.format("each input"),
                output=None,
                input=None,
                confidence=first.confidence,
                evidence=first.evidence,
            )
        ]
    return [
        pair.diagnosis(
            said[pair.place].code,
            said[pair.place].message.format(pair.input_name),
            confidence=said[pair.place].confidence,
            evidence=said[pair.place].evidence,
        )
        for pair in pairs
        if pair.place in said
    ]


def _best(pair: JacobianPair, curve: ErrorCurve, eps: float) -> str:
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    finite = [k for k, error in enumerate(curve.errors) if error == error]
    best = min(finite, key=lambda k: curve.errors[k], default=used)
    return (
        f"At {_element(pair, curve)}, the difference is {curve.errors[used]:.3g} at eps {eps:g},"
        f" and {curve.errors[best]:.3g} at eps {curve.steps[best]:g}."
    )


def _numbers(found: NumericalErrorCause) -> str:
    return " or ".join(dict.fromkeys(f"{each.best:g}" for each in found.readings))


def _element(pair: JacobianPair, curve: ErrorCurve) -> str:
    names = (pair.input_name, pair.output_name)
    places = (
        _index(curve.row, pair.input_shape),
        _index(curve.column, pair.output_shape),
    )
    return " / ".join(f"{name}{place}" for name, place in zip(names, places, strict=True))


def _index(element: int, shape: tuple[int, ...]) -> str:
    found: list[int] = []
    for size in reversed(shape):
        element, rest = divmod(element, size)
        found.append(rest)
    return f"[{', '.join(map(str, reversed(found)))}]" if shape else ""
