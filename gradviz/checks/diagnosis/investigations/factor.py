"""Investigation of analytical values that equal the numerical ones times one factor.

The factor is a mistake in a constant or a sign, or it comes from a size, as when a mean is
used where a sum is needed. Its value alone does not prove where it comes from, so this is tested:
it comes from a size if it changes with that size.

Investigation of a missing conjugate in the backward of a complex function. For ``y = a * b``, the
gradient of ``a`` is ``g * b.conj()``. The Jacobian of the real part of ``y`` is this for ``g = 1``,
that of the imaginary part is this for ``g = 1j``. Without the conjugate, they are ``b`` instead of
``b.conj()``, and ``1j * b`` instead of ``1j * b.conj()``: each is the conjugate of the correct
value, for the imaginary part with the opposite sign. With ``g.conj()`` instead of ``g``, only the
imaginary part is wrong, by its sign.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import (
    Cause,
    JacobianPair,
    common_place,
    divided,
    factor_of,
    has_factor,
    is_close,
)
from gradviz.checks.diagnosis.support.rule import diagnosed, say_dimensions_of, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import BlockPart, Confidence, Diagnosis


@yields("missing_conjugate")
def find_missing_conjugate(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield one diagnosis for all pairs that differ, if all of them are conjugated."""
    pairs = list(case.unexplained())
    if not pairs or not all(pair.confidence(_is_mirrored) for pair in pairs):
        return
    inputs = {pair.block.input: pair.input_name for pair in pairs}
    names = say_list(list(inputs.values()))
    alone = pairs[0].block if len(pairs) == 1 else None
    count = sum(pair.numerical.numel() for pair in pairs)
    yield diagnosed(
        "missing_conjugate.message",
        about=(
            None if alone is None else alone.output,
            next(iter(inputs)) if len(inputs) == 1 else None,
            "" if alone is None else alone.part,
        ),
        confidence="likely",
        evidence=(say("missing_conjugate.evidence", count=count),),
        inputs=names,
    )


_OTHER: Mapping[str, BlockPart] = {"real": "imag", "imag": "real"}


@yields("missing_conjugate")
def conjugated_grad_output(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose a gradient that has the wrong sign for only one part of grad_output."""
    other = _other_part(pair)
    if other is None or other.block.wrong or other.numerical_is_zero:
        return None
    if not pair.confidence(has_factor, -1):
        return None
    return pair.diagnosis(f"missing_conjugate.{pair.block.part}")


def _is_mirrored(pair: JacobianPair) -> bool:
    if not (pair.numerical.is_complex() and pair.analytical.is_complex()):
        return False
    sign = -1 if pair.block.part == "imag" else 1
    opposite = pair.is_same(-pair.analytical, pair.numerical)  # A wrong sign explains it too.
    return not opposite and pair.is_same(sign * pair.analytical.conj(), pair.numerical)


_LARGEST_DENOMINATOR = 12
_PRECISION = 1e-6
_MOST_NOISE = 1e-4

_CONSTANTS = {
    "pi": math.pi,
    "2 pi": 2 * math.pi,
    "sqrt(2)": math.sqrt(2),
    "sqrt(3)": math.sqrt(3),
    "sqrt(pi)": math.sqrt(math.pi),
    "sqrt(2 pi)": math.sqrt(2 * math.pi),
    "ln 2": math.log(2),
    "ln 10": math.log(10),
    "e": math.e,
    "180 / pi": 180 / math.pi,
}


def factor_name(factor: complex, noise: float = 0.0) -> str:
    """Format a factor as in a formula; with six digits if it has no name.

    Args:
        factor: Measured value.
        noise: Noise of the values it was measured from, relative to the largest one.
    """
    whole = round(factor.real)
    if whole and abs(factor - whole) <= min(noise, _MOST_NOISE) * abs(whole):
        factor = complex(whole)
    if abs(factor.imag) > _PRECISION * abs(factor):
        return f"({factor.real:.6g}{factor.imag:+.6g}j)"
    value = factor.real
    sign = "-" if value < 0 else ""
    return sign + _positive(abs(value))


def factor_repair(factor: complex, noise: float = 0.0) -> str:
    """The sentence that tells how to remove a constant factor from a gradient."""
    if abs(factor) < 1:
        return say("factor_elements.repair.missing", factor=factor_name(1 / factor, noise))
    return say("factor_elements.repair.surplus", factor=factor_name(factor, noise))


def _positive(value: float) -> str:
    fraction = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    if fraction and _is(value, float(fraction)):
        return str(fraction)
    for name, constant in _CONSTANTS.items():
        if _is(value, constant):
            return name
        if _is(value, 1 / constant):
            return f"1 / ({name})" if name[0].isdigit() else f"1 / {name}"
    return f"{value:.6g}"


def _is(value: float, constant: float) -> bool:
    return abs(value - constant) <= _PRECISION * constant


_BOTTOMS = (1, 2, 3, 4, 5, 6, 8, 10)
_NEAR = 1e-5


def is_simple(factor: float) -> bool:
    """Whether a factor is a simple fraction, which a measured one is only by chance."""
    return any(round(factor * bottom) / bottom == factor for bottom in _BOTTOMS)


def rounded(factor: float) -> float:
    """A measured factor without its noise, if it is near a simple fraction."""
    for bottom in _BOTTOMS:
        near = round(factor * bottom) / bottom
        if abs(factor - near) <= _NEAR * max(1.0, abs(factor)):
            return near
    return factor


def factor_cause(case: CheckContext, factor: float, part: str, values: dict[str, object]) -> Cause:
    """The cause of differences that a factor in one part of the gradient explains.

    Args:
        case: The case.
        factor: The factor, measured.
        part: Last part of the keys of the sentences about it.
        values: Values of these sentences.
    """
    if factor == -1:
        return Cause("factor_sign", say(f"factor_sign.{part}", **values))
    named = factor_name(factor)
    sentence = say(f"factor_constant.{part}", **{**values, "factor": named})
    guessed = _size_of(sizes_of(case), factor, _PRECISION)
    if guessed is None:
        return Cause("factor_constant", sentence, is_simple(factor) or "." not in named)
    origin = say("factor_batch_size.guessed", size=guessed)
    message = say("factor_constant.and_origin", sentence=sentence, origin=origin)
    return Cause("factor_batch_size", message, is_sure=False)


_MOST_SIZES = 4
_SIZE_PRECISION = 1e-3
_LEAST_TELLING = 3
"""Smallest size that allows a conclusion: 2 is a common constant, whatever it comes from."""


class FactorOrigin(Struct, frozen=True, kw_only=True):
    """Where a factor comes from.

    Attributes:
        is_size: Whether it is the size of a tensor, or its inverse.
        is_sure: Whether this was tested.
        message: A sentence about it; empty if there is nothing to say.
        evidence: What was measured.
    """

    is_size: bool = False
    is_sure: bool = True
    message: str = ""
    evidence: tuple[str, ...] = ()


def find_factor_origin(case: CheckContext, pair: JacobianPair, factor: complex) -> FactorOrigin:
    """Find the size of the arguments that a factor changes with, by trying each of them."""
    sizes = list(sizes_of(case))
    tried = False
    constant: list[str] = []
    for size in sizes[:_MOST_SIZES]:
        for other in pair.resized(size):
            found = factor_of(other)
            if found is None:
                continue
            tried = True
            evidence_text = _with_size(size, 1, found)
            kind = _kind(size, found / factor)
            if kind == "constant":
                constant.append(evidence_text)
            else:
                further = _further(pair, size)
                corrected = _is_corrected(size, [factor, found, *further])
                key = _ORIGINS["corrected" if corrected else kind]
                return FactorOrigin(
                    is_size=kind != "root" or corrected,
                    message=say(key, size=size, where=_where(case, size)),
                    evidence=(evidence_text, *(_with_size(size, 2, each) for each in further)),
                )
    if tried or not sizes:
        return FactorOrigin(evidence=tuple(constant))
    return _guessed(sizes, pair, factor)


_ORIGINS = {
    "size": "factor_batch_size.size",
    "corrected": "factor_batch_size.corrected",
    "root": "factor_constant.root",
    "other": "factor_batch_size.other",
}


def _kind(size: int, change: complex) -> str:
    """Kind of dependence that a factor's change shows after a size has grown by one."""
    more = (size + 1) / size
    # How (n - 1) / n changes, the correction of a sample variance.
    corrected = size * size / ((size + 1) * (size - 1)) if size > 1 else math.inf

    def is_power(base: float, power: float) -> bool:
        return bool(abs(change - base**power) <= _SIZE_PRECISION * abs(change))

    if abs(change - 1) <= _SIZE_PRECISION * 0.1:
        return "constant"
    roots = any(is_power(more, power) for power in (0.5, -0.5))
    sizes = any(is_power(more, power) for power in (1, -1, 2, -2, 3, -3))
    if roots and not sizes and not is_power(corrected, 1):
        return "root"
    return "size" if sizes else "other"


def _with_size(size: int, by: int, factor: complex) -> str:
    values = {"larger": size + by, "size": size, "factor": factor_name(factor)}
    return say("factor_batch_size.evidence", **values)


def _further(pair: JacobianPair, size: int) -> list[complex]:
    """The factor with a size that is larger by two; empty if there is none."""
    found = [factor_of(each) for each in pair.resized(size, 2)]
    return [each for each in found if each is not None]


def _is_corrected(size: int, factors: list[complex]) -> bool:
    """Whether factors for this size and the next two are powers of (n - 1) / n with n elements."""

    def is_share(power: float) -> bool:
        first = abs(factors[0]) ** (1 / power)
        if not 0 < first < 1:
            return False
        # The variance may be over several dimensions, one of which has this size.
        others = 1 / (1 - first) / size
        if abs(others - round(others)) > _SIZE_PRECISION * others:
            return False
        counts = [round(others) * (size + by) for by in range(len(factors))]
        shares = [((count - 1) / count) ** power for count in counts]
        pairs = zip(factors, shares, strict=True)
        return all(abs(abs(each) - share) <= _SIZE_PRECISION * share for each, share in pairs)

    return size > 1 and len(factors) > 2 and any(map(is_share, (1, -1, 0.5, -0.5)))


def sizes_of(case: CheckContext) -> Iterator[int]:
    """Distinct sizes of the arguments, those of first dimensions first."""
    tensors = [each for each in case.subject.arguments if isinstance(each, Tensor)]
    first = [each.shape[0] for each in tensors if each.dim() > 0]
    every = [size for each in tensors for size in each.shape]
    yield from dict.fromkeys(size for size in (*first, *every) if size > 1)


def _where(case: CheckContext, size: int) -> str:
    """The first dimension of an argument that has this size, in words."""
    for name, each in zip(case.subject.names, case.subject.arguments, strict=True):
        if isinstance(each, Tensor) and size in each.shape:
            return say_dimensions_of((tuple(each.shape).index(size),), name)
    return say("factor_batch_size.some_dimension")


def _guessed(sizes: list[int], pair: JacobianPair, factor: complex) -> FactorOrigin:
    """Judge by the value alone, if the function runs with no other size."""
    elements = math.prod(pair.input_shape), math.prod(pair.output_shape)
    counts = (*sizes, *pair.output_shape, *elements, max(elements) // min(elements))
    size = _size_of(counts, factor, _SIZE_PRECISION)
    if size is None:
        return FactorOrigin(is_sure=False)
    message = say("factor_batch_size.guessed", size=size)
    return FactorOrigin(is_size=True, is_sure=False, message=message)


def _size_of(sizes: Iterable[int], factor: complex, precision: float) -> int | None:
    """The first size that a factor is equal to, or the inverse of; None if there is none."""
    for size in sizes:
        for value in (size, 1 / size):
            if size >= _LEAST_TELLING and abs(abs(factor) - value) <= precision * value:
                return size
    return None


class _Scaled(Struct, frozen=True):
    """A pair whose analytical values are all the numerical ones times a factor."""

    pair: JacobianPair
    factor: complex
    confidence: Confidence


@yields("factor_constant", "factor_sign", "factor_batch_size")
def find_common_factors(case: CheckContext) -> Iterable[Diagnosis]:
    """Yield one diagnosis for all pairs with the same factor."""
    left = [each for each in map(_scaled, case.unexplained()) if each is not None]
    while left:
        same = [each for each in left if is_close(left[0].pair, each.factor, left[0].factor)]
        left = [each for each in left if each not in same]
        yield _diagnosis(case, same)


def _scaled(pair: JacobianPair) -> _Scaled | None:
    factor = factor_of(pair)
    if factor is None or not _is_of_both_parts(pair, factor):
        return None
    confidence = pair.confidence(has_factor, factor)
    return None if confidence is None else _Scaled(pair, factor, confidence)


def _is_of_both_parts(pair: JacobianPair, factor: complex) -> bool:
    """Whether real and imaginary grad_output have the factor, so that the whole gradient has it."""
    other = _other_part(pair)
    return other is None or other.both_are_zero() or has_factor(other, factor)


def _other_part(pair: JacobianPair) -> JacobianPair | None:
    """The pair of the other part of a complex output, for other input values; None if unknown."""
    block = pair.block
    if block.part not in _OTHER or pair.reruns is None:
        return None
    return pair.reruns.moved().get((block.output, block.input, _OTHER[block.part]))


def _diagnosis(case: CheckContext, same: list[_Scaled]) -> Diagnosis:
    first = same[0]
    pairs = [each.pair for each in same]
    inputs = {pair.block.input for pair in pairs}
    noise = _noise(first.pair, first.factor)
    named = factor_name(first.factor, noise)
    if is_close(first.pair, first.factor, -1):
        code, why = "factor_sign", FactorOrigin()
    else:
        why = find_factor_origin(case, first.pair, first.factor)
        code = "factor_batch_size" if why.is_size else "factor_constant"
    # Two wrong signs may also mean that the operands of a difference are swapped.
    ambiguous = code == "factor_sign" and len(inputs) == 2
    sure = first.confidence == "certain" and why.is_sure and not ambiguous
    repaired = divided(first.pair.analytical, first.factor)
    alone = len(pairs) == 1
    return diagnosed(
        code,
        _message(code, named, pairs, why),
        about=common_place(pairs),
        confidence="certain" if sure else "likely",
        evidence=tuple(_evidence(same, named, why)),
        repair=first.pair.repair(factor_repair(first.factor, noise), repaired) if alone else None,
    )


def _message(code: str, named: str, pairs: list[JacobianPair], why: FactorOrigin) -> str:
    count = sum(pair.numerical.numel() for pair in pairs)
    names = list(dict.fromkeys(pair.input_name for pair in pairs))
    whose, several = say_list(names), len(names) > 1
    where = "diagnosis.only_element" if count == 1 else "diagnosis.all_elements"
    everywhere = say(where, count=count)
    if code == "factor_sign":
        key = "factor_sign.several" if several else "factor_sign.one"
        return say(key, inputs=whose, where=everywhere)
    key = "factor_constant.several" if several else "factor_constant.one"
    sentence = say(key, inputs=whose, factor=named, where=everywhere)
    if not why.message:
        return sentence
    return say("factor_constant.and_origin", sentence=sentence, origin=why.message)


def _evidence(same: list[_Scaled], named: str, why: FactorOrigin) -> Iterator[str]:
    for each in same:
        pair = each.pair
        left = pair.is_same(divided(pair.analytical, each.factor), pair.numerical)
        wrong = 0 if left else pair.block.wrong
        yield say(
            "factor_constant.evidence",
            output=pair.output_name,
            input=pair.input_name,
            measured=_digits(each.factor),
            factor=named,
            wrong=wrong,
            count=pair.numerical.numel(),
        )
    if same[0].pair.moved:
        yield say("factor_constant.evidence.moved")
    if len({each.pair.block.input for each in same}) == 2 and named == "-1":
        yield say("factor_sign.evidence.difference")
    yield from why.evidence


def _noise(pair: JacobianPair, factor: complex) -> float:
    """Largest error left after dividing by the factor, relative to the largest value."""
    numerical = pair.numerical.to(pair.analytical.device)
    off = (divided(pair.analytical, factor) - numerical).abs().max()
    return float(off / numerical.abs().max())


def _digits(factor: complex) -> str:
    is_real = abs(factor.imag) <= _ROUNDING * abs(factor)
    return f"{factor.real:.6g}" if is_real else f"({factor:.6g})"


_ROUNDING = 1e-8
