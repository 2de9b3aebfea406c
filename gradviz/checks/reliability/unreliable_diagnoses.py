"""Sentences of diagnoses that blame the numerical Jacobian."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from msgspec import Struct, field
from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, PairKey
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.reliability.cancellation import Cancellation, type_name
from gradviz.checks.reliability.numerical_error_causes import NumericalErrorCause
from gradviz.model.arrays import index_at
from gradviz.model.diagnosis import Confidence, Diagnosis, ErrorCurve


class UnreliableJacobian(Struct, frozen=True, kw_only=True):
    """A diagnosis that is not assigned to a pair yet.

    Attributes:
        code: Code of the diagnosis.
        variant: Variant of its sentence, the template ``numerical.<code><variant>``.
        values: Values of the template, other than the name of the input.
        confidence: Confidence of the diagnosis.
        evidence: What was measured, one sentence each.
    """

    code: str
    variant: str = ""
    values: Mapping[str, object] = field(default_factory=dict)
    confidence: Confidence = "certain"
    evidence: tuple[str, ...] = ()

    def moved(self, by: float) -> UnreliableJacobian:
        """The same diagnosis, with the evidence that all elements agree at a moved point."""
        tried = say("measured.moved", least=by, most=2 * by)
        return replace(self, evidence=(*self.evidence, tried))

    def message(self, name: str) -> str:
        """The sentence for an input with a name."""
        return say(f"numerical.{self.code}{self.variant}", name=name, **self.values)


def of_precision(
    pair: JacobianPair, found: ErrorCurve | None, low: torch.dtype, eps: float, fine: float
) -> UnreliableJacobian:
    """Diagnosis for differences that vanish in float64."""
    evidence = [say("measured.float64", eps=fine)]
    if found is not None:
        evidence.append(_best(pair, found, eps))
    return UnreliableJacobian(
        code="float32_noise",
        values={"dtype": type_name(low), "eps": eps},
        evidence=tuple(evidence),
    )


def rounding_step(pair: JacobianPair, curve: ErrorCurve) -> float | None:
    """The smallest step that can tell a wrong gradient, if rounding explains the difference there.

    Returns:
        None if there is no such step, or if the difference is larger than rounding errors there.
    """
    size = abs(complex(pair.worst.analytical))
    for step, error, floor in zip(curve.steps, curve.errors, curve.floors, strict=True):
        if floor <= _INFORMATIVE * size:
            return step if error <= floor else None
    return None


_INFORMATIVE = 0.05


def of_half_precision(
    pair: JacobianPair, curve: ErrorCurve, eps: float, low: torch.dtype, step: float
) -> UnreliableJacobian:
    """Diagnosis for differences that no step makes smaller than the rounding errors."""
    at = curve.steps.index(step)
    words = {"element": _element(pair, curve), "error": curve.errors[at], "step": step}
    return UnreliableJacobian(
        code="float32_noise",
        variant=".half",
        values={"dtype": type_name(low), "eps": eps},
        confidence="likely",
        evidence=(say("measured.within_rounding", floor=curve.floors[at], **words),),
    )


def of_step(
    pair: JacobianPair, found: NumericalErrorCause, eps: float, inner: torch.dtype | None
) -> UnreliableJacobian:
    """Diagnosis for differences that vanish at a better step."""
    best = found.readings[0].best
    values: dict[str, object] = {"eps": eps, "best": best}
    evidence = (
        _best(pair, found.curve, eps),
        say_count("measured.agree", pair.block.wrong, steps=_best_steps(found)),
    )
    unchanged = found.readings[0].rounds_at
    if inner is None and _is_single(unchanged, found.readings[0].at):
        return UnreliableJacobian(
            code="float32_noise",
            variant=".inside",
            values=values,
            evidence=(*evidence, say("measured.unchanged", step=unchanged)),
        )
    if inner is not None and best > eps:
        values["dtype"] = type_name(inner)
        return UnreliableJacobian(
            code="float32_noise", variant=".eps", values=values, evidence=evidence
        )
    return UnreliableJacobian(
        code="eps_sensitive",
        variant=".large" if best < eps else ".small",
        values=values,
        evidence=evidence,
    )


def _is_single(step: float, at: float) -> bool:
    """Whether a value changes in float32 from about this step on."""
    unit = float(torch.finfo(torch.float32).eps) * abs(at)
    return unit / 8 <= step <= 4 * unit


def of_cancellation(found: Cancellation, eps: float) -> UnreliableJacobian:
    """Diagnosis for differences that are within the rounding of the output."""
    evidence = [say_count("measured.noise", found.count, largest=found.largest, noise=found.noise)]
    if found.best > eps:
        evidence.append(say("measured.rounding", eps=found.best, share=found.off))
    if found.unresolved:
        evidence.append(say_count("measured.unresolved", found.unresolved))
    return UnreliableJacobian(
        code="eps_sensitive",
        variant=".drowned" if found.is_sure else ".open",
        values={"eps": eps, "best": found.best},
        confidence="certain" if found.is_sure else "likely",
        evidence=tuple(evidence),
    )


def of_kink(pair: JacobianPair, found: NumericalErrorCause, eps: float) -> UnreliableJacobian:
    """Diagnosis for an element at a kink; the others are tested by moving the point."""
    k = next(k for k, kind in enumerate(found.kinds) if kind in ("kink", "jump"))
    jump = found.kinds[k] == "jump"
    curve = found.curve
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    evidence = say(
        "measured.jump" if jump else "measured.kink",
        element=_element(pair, curve),
        gap=curve.one_sided[used],
        eps=eps,
    )
    return UnreliableJacobian(
        code="kink", variant=".jump" if jump else "", evidence=(evidence,) if k == 0 else ()
    )


def of_unseen_kink() -> UnreliableJacobian:
    """Diagnosis for a kink that no single input shows, as with ties."""
    return UnreliableJacobian(code="kink", variant=".unseen")


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
        pair.place: say(
            "measured.not_the_step",
            element=_element(pair, curve),
            error=size,
            count=len(near),
            first=near[0],
            last=near[-1],
        )
    }


def diagnoses(
    causes: Mapping[PairKey, UnreliableJacobian],
    requested: Sequence[PairKey],
    pairs: Sequence[JacobianPair],
) -> list[Diagnosis]:
    """One diagnosis per pair, or a single one if all pairs have the same code."""
    codes = {each.code for each in causes.values()}
    if len(causes) == len(requested) > 1 and len(codes) == 1:
        first = causes[requested[0]]
        return [
            diagnosed(
                first.code,
                first.message(say("name.each_input")),
                confidence=first.confidence,
                evidence=first.evidence,
            )
        ]
    return [
        pair.diagnosis(
            causes[pair.place].code,
            causes[pair.place].message(pair.input_name),
            confidence=causes[pair.place].confidence,
            evidence=causes[pair.place].evidence,
        )
        for pair in pairs
        if pair.place in causes
    ]


def _best(pair: JacobianPair, curve: ErrorCurve, eps: float) -> str:
    used = curve.steps.index(min(curve.steps, key=lambda each: abs(each - eps)))
    finite = [k for k, error in enumerate(curve.errors) if error == error]
    best = min(finite, key=lambda k: curve.errors[k], default=used)
    return say(
        "measured.best",
        element=_element(pair, curve),
        error=curve.errors[used],
        eps=eps,
        best_error=curve.errors[best],
        best=curve.steps[best],
    )


def _best_steps(found: NumericalErrorCause) -> str:
    return say_list(list(dict.fromkeys(f"{each.best:g}" for each in found.readings)), "or")


def _element(pair: JacobianPair, curve: ErrorCurve) -> str:
    return say(
        "measured.element",
        input=f"{pair.input_name}{list(index_at(curve.row, pair.input_shape)) or ''}",
        output=f"{pair.output_name}{list(index_at(curve.column, pair.output_shape)) or ''}",
    )
