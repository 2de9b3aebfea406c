"""Investigation of gradients with one wrong factor for each element of the output or the input.

For ``y = tanh(x @ w)``, a backward that forgets the slope of tanh returns the right Jacobian of
each element of ``y``, divided by its slope, for ``x`` and ``w`` alike. For a mean over groups, the
factors are the sizes of the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.rules.wrong_some_indices import wrong_for_some_indices
from gradviz.checks.diagnosis.support.chunks import largest
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import trial_run
from gradviz.checks.diagnosis.support.rule import diagnosed, yields
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis, Repair

_SAME = 1e-5
"""Tolerance relative to the largest value: the numerical side has noise."""

_MOST_NOISE = 0.1
_MOST_ELEMENTS = 4_000_000
_LEAST = 1e-3
_LEAST_LINES = 3
_LEAST_NAMED = 6
"""For fewer distinct factors, some formula fits by chance."""

_MOST_COUNT = 1_000
_MOST_LISTED = 4

_FORMULAS: dict[str, Callable[[Tensor], Tensor]] = {
    "{0}": lambda t: t,
    "{0}**2": torch.square,
    "(1 - {0})": lambda t: 1 - t,
    "(1 + {0})": lambda t: 1 + t,
    "(1 - {0}**2)": lambda t: 1 - t * t,
    "(1 + {0}**2)": lambda t: 1 + t * t,
    "{0} * (1 - {0})": lambda t: t * (1 - t),
    "{0}.exp()": torch.exp,
    "{0}.sin()": torch.sin,
    "{0}.cos()": torch.cos,
    "2 * {0}": lambda t: 2 * t,
    "3 * {0}**2": lambda t: 3 * t * t,
}


class _Factors(Struct, frozen=True):
    """One factor for each row or column of a pair.

    Attributes:
        pair: The pair.
        values: Analytical values divided by numerical ones; 1 where both are zero.
        noise: Relative errors of the values.
        used: The rows or columns that are not zero.
        of_input: Whether they are rows, which belong to elements of the input.
        is_proven: Whether most rows or columns have several values, which share their factor.
    """

    pair: JacobianPair
    values: Tensor
    noise: Tensor
    used: Tensor
    of_input: bool
    is_proven: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the tensor whose elements the factors belong to."""
        return self.pair.input_shape if self.of_input else self.pair.output_shape

    @property
    def name(self) -> str:
        """Name of that tensor."""
        return self.pair.input_name if self.of_input else self.pair.output_name

    @property
    def owner(self) -> tuple[object, ...]:
        """Identifies that tensor, and the part of the output."""
        block = self.pair.block
        return (self.of_input, block.input if self.of_input else block.output, block.part)

    def fits(self, other: _Factors) -> bool:
        """Whether both have the same factors wherever both have one."""
        if self.owner != other.owner:
            return False
        both = self.used & other.used
        noise = torch.maximum(self.noise, other.noise)
        near = (self.values / other.values - 1).abs() <= noise
        return bool(both.any()) and bool(near[both].all())


@yields("factor_elements", "factor_count")
def find_element_factors(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield one diagnosis for all inputs that have the same factors."""
    pairs = [pair for pair in case.unexplained() if _is_plain(pair)]
    # The output first: a forgotten slope gives every input the same factors there.
    for of_input in (False, True):
        made = (_factors(pair, of_input=of_input) for pair in pairs if not case.is_explained(pair))
        left = [each for each in made if each is not None]
        # Proven ones first, so that the others are compared with them.
        left.sort(key=lambda each: not each.is_proven)
        while left:
            same = [each for each in left if each is left[0] or each.fits(left[0])]
            left = [each for each in left if each not in same]
            found = _diagnosis(case, same)
            if found is not None:
                yield found


def _is_plain(pair: JacobianPair) -> bool:
    real = not (pair.analytical.is_complex() or pair.numerical.is_complex())
    return real and pair.order == 1 and 0 < pair.numerical.numel() <= _MOST_ELEMENTS


def _factors(pair: JacobianPair, *, of_input: bool) -> _Factors | None:
    """The factors of the rows or columns; None if no factors explain the difference."""
    across = 1 if of_input else 0
    analytical, numerical = (each.cpu().double() for each in (pair.analytical, pair.numerical))
    support = pair.support(numerical)
    used = support.any(across)
    size = (numerical * numerical).sum(across)
    # The factors with the least squared error: large elements, which have the least noise, decide.
    values = torch.where(used, (numerical * analytical).sum(across) / size, 1.0)
    if not bool(used.any()) or not bool((values.abs() > _SAME).all()):
        return None  # A mask is another mistake.
    lost = ~used & numerical.any(across)  # So small that only noise is left of it.
    divided = (analytical / values.unsqueeze(across)).masked_fill(lost.unsqueeze(across), 0.0)
    if not _is_same(divided, numerical):
        return None
    noise = _SAME * largest(numerical) / numerical.abs().amax(across)
    several = support.count_nonzero(across) > 1
    proven = 2 * int(several.count_nonzero()) >= int(used.count_nonzero()) >= _LEAST_LINES
    return _Factors(pair, values, noise.clamp(max=_MOST_NOISE), used, of_input, proven)


def _is_same(one: Tensor, other: Tensor) -> bool:
    return largest(one - other) <= _SAME * max(largest(one), largest(other))


def _diagnosis(case: CheckContext, same: Sequence[_Factors]) -> Diagnosis | None:
    first = same[0]
    factors = first.values[first.used]
    lasting = [each.pair.confidence(_has_factors, each) for each in same]
    if _is_same(factors, factors[:1].expand_as(factors)) or None in lasting:
        return None
    # With so few distinct factors, the gradient is rather wrong at some indices.
    if len((factors * 1e4).round().unique()) < _LEAST_LINES and any(
        wrong_for_some_indices(each.pair) for each in same
    ):
        return None
    sure = set(lasting) == {"certain"}
    pair = first.pair
    values: dict[str, object] = {
        "inputs": say_list([each.pair.input_name for each in same]),
        "output": pair.output_name,
        "name": first.name,
        "count": sum(each.pair.numerical.numel() for each in same),
    }
    counted = _counts(first) if first.is_proven and not first.of_input else None
    named = None if counted else _named(case, first)
    if counted:
        kind, counts = counted
        key, code = f"factor_count.{kind}", "factor_count"
        evidence = say("factor_count.evidence", **values)
        values["counts"] = counts
    elif named or (first.is_proven and _changes(first)):
        where = "factor_elements.input" if first.of_input else "factor_elements.output"
        key, code = (f"factor_elements.{named[0]}" if named else where), "factor_elements"
        least, most = float(factors.min()), float(factors.max())
        evidence = say("factor_elements.evidence", least=least, most=most, **values)
        values["factor"] = named[1] if named else ""
    else:
        return None
    return diagnosed(
        code,
        say(key, **values),
        about=(pair.block.output, pair.block.input if len(same) == 1 else None, pair.block.part),
        # The quotient of two tensors may also equal a factor by chance.
        confidence="certain"
        if sure and (named[0] != "mistaken" if named else first.is_proven)
        else "likely",
        evidence=(evidence, say("diagnosis.moved")) if pair.moved else (evidence,),
        repair=_repair(first, named) if named and len(same) == 1 else None,
    )


def _has_factors(pair: JacobianPair, like: _Factors) -> bool:
    """Whether another point has one factor for each row or column too."""
    found = _factors(pair, of_input=like.of_input)
    return found is not None and found.is_proven == like.is_proven


def _changes(factors: _Factors) -> bool:
    """Whether the factors are others for other input values, as slopes are."""
    moved = [_factors(each, of_input=factors.of_input) for each in factors.pair.moved]
    return any(
        each is not None and not bool(((each.values / factors.values - 1).abs() <= _LEAST).all())
        for each in moved
    )


def _counts(factors: _Factors) -> tuple[str, str] | None:
    """Whether the factors are whole numbers or their inverses, wherever the point is moved to."""
    for kind, inverse in (("missing", False), ("surplus", True)):
        found = _whole(factors, inverse=inverse)
        moved = [_factors(each, of_input=factors.of_input) for each in factors.pair.moved]
        others = [None if each is None else _whole(each, inverse=inverse) for each in moved]
        if (
            found is None
            or not moved
            or not all(other is not None and torch.equal(found, other) for other in others)
        ):
            continue
        distinct = [str(int(each)) for each in found.unique()]
        listed = distinct[:_MOST_LISTED] + (["..."] if len(distinct) > _MOST_LISTED else [])
        return kind, ", ".join(listed)
    return None


def _whole(factors: _Factors, *, inverse: bool) -> Tensor | None:
    values = 1 / factors.values if inverse else factors.values
    whole = values.round()
    near = (values - whole).abs() <= factors.noise * whole.abs()
    fits = near & (whole >= 1) & (whole <= _MOST_COUNT)
    return whole if bool(fits.all()) and len(whole[factors.used].unique()) > 1 else None


def _named(case: CheckContext, factors: _Factors) -> tuple[str, str] | None:
    """Whether a factor is missing, too many or mistaken for another, and its formula."""
    found, noise = factors.values[factors.used], factors.noise[factors.used]
    if len(found.unique()) < _LEAST_NAMED:
        return None
    tensors = [
        (name, tensor.detach().cpu().double().reshape(-1)[factors.used])
        for name, tensor in _tensors(case, factors)
    ]
    for name, at in tensors:
        for formula, compute in _FORMULAS.items():
            expected = compute(at)
            for kind, ratio in (("missing", found * expected), ("surplus", found / expected)):
                if bool(((ratio - 1).abs() <= noise).all()):
                    return kind, formula.format(name)
    for (used, numerator), (correct, denominator) in permutations(tensors, 2):
        if bool(((found * denominator / numerator - 1).abs() <= noise).all()):
            return "mistaken", say("factor_elements.instead", used=used, correct=correct)
    return None


def _tensors(case: CheckContext, factors: _Factors) -> list[tuple[str, Tensor]]:
    """Real tensors of the factors' shape, with their names."""
    pair = factors.pair
    outputs = []
    with trial_run(case):
        outputs = [(pair.output_name, case.evaluator.evaluate()[pair.block.output])]
    return [
        (name, each)
        for name, each in (*outputs, *pair.values)
        if tuple(each.shape) == factors.shape and each.is_floating_point()
    ]


def _repair(factors: _Factors, named: tuple[str, str]) -> Repair:
    pair, across = factors.pair, 1 if factors.of_input else 0
    divided = pair.analytical / factors.values.to(pair.analytical).unsqueeze(across)
    return pair.repair(say(f"factor_elements.repair.{named[0]}", factor=named[1]), divided)
