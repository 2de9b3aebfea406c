"""What is said where the numerical Jacobian is to blame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import torch

from gradviz.checks.diagnosis.pair import Pair, Place
from gradviz.checks.probes.causes import Cause
from gradviz.checks.probes.drowned import Drowned
from gradviz.checks.probes.precision import type_name
from gradviz.model.diagnosis import Confidence, Diagnosis, ErrorCurve


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A diagnosis of one pair, not yet bound to it.

    Attributes:
        code: Of the diagnosis.
        message: Likewise; with ``{}`` for what it is about.
        confidence: Likewise.
        evidence: Likewise.
    """

    code: str
    message: str
    confidence: Confidence = "certain"
    evidence: tuple[str, ...] = ()

    def moved(self, by: float) -> Said:
        """The same, after the point was moved and both Jacobians agreed there."""
        tried = f"With every input moved by {by:g} to {2 * by:g}, all elements agree."
        return replace(self, evidence=(*self.evidence, tried))


def of_precision(
    pair: Pair, found: ErrorCurve | None, low: torch.dtype, eps: float, fine: float
) -> Said:
    """The differences vanish in float64."""
    evidence = [f"With all of it cast to float64, at eps {fine:g}, all elements agree."]
    if found is not None:
        evidence.append(_best(pair, found, eps))
    return Said(
        code="float32_noise",
        message=(
            "The gradient of {} is right; it is the numerical one that is off, since forward"
            f" computes in {type_name(low)}, where a step of {eps:g} measures mostly rounding"
            " errors. Check all of it in float64, or with a larger eps and tolerances."
        ),
        evidence=tuple(evidence),
    )


def of_step(pair: Pair, found: Cause, eps: float, inner: torch.dtype | None) -> Said:
    """All elements agree at a better step."""
    best = found.readings[0].best
    evidence = (
        _best(pair, found.curve, eps),
        f"At eps {_numbers(found)}, all wrong elements agree: {pair.block.wrong}.",
    )
    if inner is not None and best > eps:
        return Said(
            code="float32_noise",
            message=(
                f"The gradient of {{}} is right; it is the numerical one that is off, since forward"
                f" computes in {type_name(inner)}, where a step of {eps:g} measures mostly rounding"
                f" errors. Compute in float64 throughout, or check with an eps of {best:g}."
            ),
            evidence=evidence,
        )
    how = (
        "so large that the function is not nearly straight over it"
        if best < eps
        else "so small that what it changes is lost in rounding"
    )
    return Said(
        code="eps_sensitive",
        message=(
            f"The gradient of {{}} is right; it is the numerical one that is off, since eps"
            f" {eps:g} is {how}. Check with an eps of {best:g}."
        ),
        evidence=evidence,
    )


def of_drowned(found: Drowned, eps: float) -> Said:
    """No difference is larger than the rounding of the output."""
    evidence = [
        f"The output is as large as {found.largest:.3g}: its rounding alone puts up to"
        f" {found.noise:.3g} into the numerical Jacobian, and none of the {found.count} wrong"
        " elements is further off than a few times that."
    ]
    if found.best > eps:
        evidence.append(
            f"At eps {found.best:.1g}, numerical and analytical agree as far as rounding lets it be"
            f" seen, to {found.off:.1%}."
        )
    if found.unresolved:
        evidence.append(f"For {found.unresolved} elements no step gives a number to compare with.")
    how = (
        f"Check with an eps of {found.best:.1g}, or take the large number out of the output."
        if found.is_sure
        else "Take the large number out of the output, and check again: until then nothing"
        " speaks against the gradient, and too little for it."
    )
    return Said(
        code="eps_sensitive",
        message=(
            "The gradient of {} cannot be judged with this step: what an eps of"
            f" {eps:g} changes is lost in the rounding of so large an output. {how}"
        ),
        confidence="certain" if found.is_sure else "likely",
        evidence=tuple(evidence),
    )


def of_kink(pair: Pair, found: Cause, eps: float) -> Said:
    """Some element stands on a kink; the others are seen to when the point is moved."""
    k = next(k for k, kind in enumerate(found.kinds) if kind in ("kink", "jump"))
    jump = found.kinds[k] == "jump"
    what = "jumps" if jump else "has a kink"
    how = "grows as 1/eps, as at a jump" if jump else "does not shrink with eps, as only at a kink"
    curve = found.curve
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    evidence = (
        (
            f"At {_element(pair, curve)}, the one-sided differences are {curve.one_sided[used]:.3g}"
            f" apart at eps {eps:g}, which {how}."
        ),
    )
    return Said(
        code="kink",
        message=(
            f"The function {what} at this point, where it has no derivative, so that the gradient"
            " of {} cannot be judged here. Move the point a little."
        ),
        evidence=evidence if k == 0 else (),
    )


def of_unseen_kink() -> Said:
    """Nothing changes along any one input, and beside the point all is right, as with ties."""
    return Said(
        code="kink",
        message=(
            "The function has no derivative at this point, as where inputs are equal of which it"
            " takes one, so that the gradient of {} cannot be judged here. Move the point a little."
        ),
    )


def note(pair: Pair, found: Cause) -> dict[Place, str]:
    """That it is not the step, for a pair whose gradient is wrong."""
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
            f"It is not the step: at {_element(pair, curve)} the difference is about {size:.3g} at"
            f" {len(near)} steps between {near[0]:g} and {near[-1]:g}."
        )
    }


def diagnoses(
    said: Mapping[Place, Said], asked: Sequence[Place], pairs: Sequence[Pair]
) -> list[Diagnosis]:
    """One for each pair, and one for all where it is the same for all of several."""
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


def _best(pair: Pair, curve: ErrorCurve, eps: float) -> str:
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    finite = [k for k, error in enumerate(curve.errors) if error == error]
    best = min(finite, key=lambda k: curve.errors[k], default=used)
    return (
        f"At {_element(pair, curve)}, the difference is {curve.errors[used]:.3g} at eps {eps:g},"
        f" and {curve.errors[best]:.3g} at eps {curve.steps[best]:g}."
    )


def _numbers(found: Cause) -> str:
    return " or ".join(dict.fromkeys(f"{each.best:g}" for each in found.readings))


def _element(pair: Pair, curve: ErrorCurve) -> str:
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
