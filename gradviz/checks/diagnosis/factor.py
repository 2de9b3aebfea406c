"""Investigation of analytical values that equal the numerical ones times one factor.

The factor is a mistake in a constant or a sign, or it comes from a size, as when a mean is
used where a sum is needed. Its value alone does not prove where it comes from, so this is tested:
it comes from a size if it changes with that size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.factor_names import factor_name
from gradviz.checks.diagnosis.factor_numbers import divided, factor_of, is_close
from gradviz.checks.diagnosis.factor_sizes import Following, following
from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Confidence, Diagnosis
from gradviz.model.messages import say_list


@dataclass(frozen=True, slots=True)
class _Scaled:
    """A pair whose analytical values are all the numerical ones times a factor."""

    pair: Pair
    factor: complex
    confidence: Confidence


def factors(case: Case) -> Iterable[Diagnosis]:
    """Yield one diagnosis for all pairs with the same factor."""
    left = [each for each in map(_scaled, unexplained(case)) if each is not None]
    while left:
        same = [each for each in left if is_close(left[0].pair, each.factor, left[0].factor)]
        left = [each for each in left if each not in same]
        yield _diagnosis(case, same)


def unexplained(case: Case) -> Iterator[Pair]:
    """Pairs of a case that no diagnosis explains yet."""
    return (pair for pair in case.pairs if not case.is_explained(pair))


def _scaled(pair: Pair) -> _Scaled | None:
    factor = factor_of(pair)
    if factor is None:
        return None

    def holds(each: Pair) -> bool:
        found = factor_of(each)
        return found is not None and is_close(each, found, factor)

    confidence = pair.confidence(holds)
    return None if confidence is None else _Scaled(pair, factor, confidence)


def _diagnosis(case: Case, same: list[_Scaled]) -> Diagnosis:
    first = same[0]
    pairs = [each.pair for each in same]
    outputs = {pair.block.output for pair in pairs}
    inputs = {pair.block.input for pair in pairs}
    parts = {pair.block.part for pair in pairs}
    named = factor_name(first.factor, _noise(first.pair, first.factor))
    if is_close(first.pair, first.factor, -1):
        code, why = "factor_sign", Following()
    else:
        why = following(case, first.pair, first.factor)
        code = "factor_batch_size" if why.is_size else "factor_constant"
    ambiguous = code == "factor_sign" and len(inputs) == 2
    sure = first.confidence == "certain" and why.is_sure and not ambiguous
    repaired = divided(first.pair.analytical, first.factor)
    alone = len(pairs) == 1
    return Diagnosis(
        code=code,
        message=_message(code, named, pairs, why),
        output=first.pair.block.output if len(outputs) == len(parts) == 1 else None,
        input=first.pair.block.input if len(inputs) == 1 else None,
        part=first.pair.block.part if len(parts) == 1 else "",
        confidence="certain" if sure else "likely",
        evidence=tuple(_evidence(same, named, why)),
        repair=first.pair.repair(f"Divide the gradient by {named}.", repaired) if alone else None,
    )


def _message(code: str, named: str, pairs: list[Pair], why: Following) -> str:
    count = sum(pair.numerical.numel() for pair in pairs)
    names = list(dict.fromkeys(pair.input_name for pair in pairs))
    several = len(names) > 1
    whose = say_list(names)
    subject = f"The gradients of {whose}" if several else f"The gradient of {whose}"
    if code == "factor_sign":
        return (
            f"{subject} {'have' if several else 'has'} the wrong sign: the analytical "
            f"value is -1 times the numerical one, {_everywhere(count)}."
        )
    verb, should = ("are", "they") if several else ("is", "it")
    sentence = f"{subject} {verb} {named} times what {should} should be, {_everywhere(count)}."
    return f"{sentence} {why.message}" if why.message else sentence


def _everywhere(count: int) -> str:
    return "in the only element" if count == 1 else f"in all {count} elements"


def _evidence(same: list[_Scaled], named: str, why: Following) -> Iterator[str]:
    for each in same:
        pair = each.pair
        left = pair.is_same(divided(pair.analytical, each.factor), pair.numerical)
        wrong = 0 if left else pair.block.wrong
        yield (
            f"{pair.output_name} with respect to {pair.input_name}: analytical = "
            f"{_digits(each.factor)} * numerical. After division by {named}, {wrong} of "
            f"{pair.numerical.numel()} elements are wrong."
        )
    if same[0].pair.moved:
        yield "With other input values, the factor is the same."
    if len({each.pair.block.input for each in same}) == 2 and named == "-1":
        yield (
            "If the function is a difference, such as a - b, swapped gradients would look the same."
        )
    yield from why.evidence


def _noise(pair: Pair, factor: complex) -> float:
    """Largest error left after dividing by the factor, relative to the largest value."""
    numerical = pair.numerical.to(pair.analytical.device)
    off = (divided(pair.analytical, factor) - numerical).abs().max()
    return float(off / numerical.abs().max())


def _digits(factor: complex) -> str:
    is_real = abs(factor.imag) <= _ROUNDING * abs(factor)
    return f"{factor.real:.6g}" if is_real else f"({factor:.6g})"


_ROUNDING = 1e-8
