"""Investigation of a backward that treats an intermediate result as a constant.

Forward is run again under autograd with one result, or one use of a result, treated as a constant.
If its derivative is then exactly what backward returns, this is the missing term: the sum in a
softmax, the mean in a layer norm, a factor of a product.

Investigation of a wrong factor together with another mistake in one pair. Divided by the right
factor, the analytical values fit a rule. The factor shows in the elements that the other mistake
leaves alone, or in the size of the whole matrix if it only moves elements.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import torch
from msgspec import Struct, structs
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.backward_function import differentiable, nodes_of
from gradviz.checks.diagnosis.investigations.factor import (
    factor_name,
    factor_repair,
    is_simple,
    rounded,
)
from gradviz.checks.diagnosis.rules.missing_sum import extra_sum, missing_sum
from gradviz.checks.diagnosis.rules.transposed import transposed
from gradviz.checks.diagnosis.rules.wrong_some_indices import (
    lost_for_some_indices,
    wrong_for_some_indices,
)
from gradviz.checks.diagnosis.support.chunks import largest
from gradviz.checks.diagnosis.support.derivative_bench import SAME, SEEDS, ReplayBench, is_near
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import trial_run
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.reference.forward_replay import replay_of, replay_within
from gradviz.checks.reference.held_constant import ConstantResult, HoldConstantMode
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis, Repair
from gradviz.recorder.compat import BackwardNode

_RULES = (missing_sum, extra_sum, transposed, lost_for_some_indices, wrong_for_some_indices)
_LEAST_SHARE = 0.3
"""At least this share of the elements must have the factor, if it is read from single elements."""

_LEAST_FITTING = 1e-3
_MOST_ELEMENTS = 1_000_000


@yields(
    "factor_constant", "factor_sign", "missing_sum", "extra_sum", "transposed", "wrong_some_indices"
)
def find_two_mistakes(case: CheckContext) -> Iterator[Diagnosis]:
    """Yield two diagnoses for each pair that fits a rule after division, the larger one first."""
    for pair in list(case.unexplained()):
        if _may_have_two(pair) and not wrong_for_some_indices(pair):
            yield from _two(pair)


def _may_have_two(pair: JacobianPair) -> bool:
    matrices = pair.analytical, pair.numerical
    if pair.order != 1 or any(each.is_complex() for each in matrices):
        return False
    small = pair.numerical.numel() <= _MOST_ELEMENTS
    return small and all(0 < largest(each) < math.inf for each in matrices)


def _two(pair: JacobianPair) -> Sequence[Diagnosis]:
    for factor in _factors(pair):
        divided = pair.divided(factor)
        for rule in _RULES:
            found = rule(divided)
            if found is not None and found.code in _CODES:
                return _in_order(pair, divided, factor, found)
    return ()


_CODES = {
    "missing_sum",
    "extra_sum",
    "transposed",
    "wrong_some_indices",
}


def _factors(pair: JacobianPair) -> Iterator[float]:
    """Simple factors that the values may have been multiplied by."""
    both = pair.support(pair.analytical) & pair.support(pair.numerical)
    ratios = (pair.analytical[both] / pair.numerical[both]).real.double()
    found: list[float] = []
    if ratios.numel():
        # The most frequent ratio is that of the elements which the other mistake leaves alone.
        distinct, counts = (ratios * 1e5).round().unique(return_counts=True)
        if int(counts.max()) >= _LEAST_SHARE * ratios.numel():
            found.append(float(distinct[counts.argmax()]) / 1e5)
    sizes = [float(torch.linalg.vector_norm(each)) for each in (pair.analytical, pair.numerical)]
    # A mistake that only moves elements keeps the norm; the norm does not show the sign.
    found += [sizes[0] / sizes[1], -sizes[0] / sizes[1]]
    for factor in found:
        exact = rounded(factor)
        if exact and is_simple(exact) and abs(exact - 1) > _LEAST_FITTING:
            yield exact


def _in_order(
    pair: JacobianPair, divided: JacobianPair, factor: float, found: Diagnosis
) -> Sequence[Diagnosis]:
    named = factor_name(factor)
    names = {"input": pair.input_name, "output": pair.output_name, "factor": named}
    code = "factor_sign" if factor == -1 else "factor_constant"
    if found.code == "wrong_some_indices" and lost_for_some_indices(divided) is None:
        # Two different factors, each for some elements, look the same.
        found = structs.replace(found, confidence="likely")
    one = pair.diagnosis(
        code,
        say("factor_constant.and_more", **names),
        confidence=found.confidence,
        evidence=(say("factor_constant.and_more.evidence", **names),),
    )
    other = structs.replace(
        found,
        message=say("diagnosis.after_division", found=found.message, factor=named),
        repair=_repair(found.repair, factor),
    )
    shares = _size(divided.analytical * (factor - 1)), _size(divided.analytical - pair.numerical)
    return (one, other) if shares[0] >= shares[1] else (other, one)


def _repair(repair: Repair | None, factor: float) -> Repair | None:
    if repair is None:
        return None
    message = say("diagnosis.and_operation", found=factor_repair(factor), operation=repair.message)
    return structs.replace(repair, message=message)


def _size(difference: Tensor) -> float:
    return float(torch.linalg.vector_norm(difference))


_SECONDS = 2.0
"""Limit of processor time: one more sentence is not worth a longer wait."""

_MOST_CUTS = 24
_LEAST = 1e-4
"""A smaller part of the true gradient, relative to it, does not count."""

_BETTER = (transposed, lost_for_some_indices)
"""Mistakes of these rules can also look like a missing term, but the rules are more specific."""


class _Term(Struct, frozen=True):
    """What a cut removes from the product of the Jacobian with one vector."""

    cuts: tuple[ConstantResult, ...]
    taken: Tensor


@yields("missing_term")
def find_missing_terms(case: CheckContext) -> Iterator[Diagnosis]:
    """Find the terms that each unexplained pair lacks."""
    if case.subject.order != 1:
        return
    pairs = [each for each in case.unexplained() if may_lack(each)]
    if not pairs:
        return
    found: list[Diagnosis] = []
    with trial_run(case):
        # Processor time, so that a busy machine does not change what is found.
        until = time.process_time() + _SECONDS
        replay = replay_of_case(case)
        if replay is not None:
            tried = [_TermSearch(case, pair, replay, until).run() for pair in pairs]
            found = [each for each in tried if each is not None]
    yield from found


def replay_of_case(case: CheckContext) -> Callable[..., Any] | None:
    """The checked function with custom forwards visible to autograd; None if it has none."""
    function = case.subject.function
    own = replay_of(function)
    if own is not None:
        return own
    outputs = [value for _, value in differentiable(case.evaluator.evaluate())]
    nodes = [node for node in nodes_of(outputs) if isinstance(node, BackwardNode)]
    classes = dict.fromkeys(getattr(type(node), "_forward_cls", None) for node in nodes)
    found = [each for each in classes if each is not None]
    return replay_within(function, found) if found else None


def may_lack(pair: JacobianPair) -> bool:
    """Whether a pair has finite real values, and no rule explains it better."""
    matrices = (pair.analytical, pair.numerical)
    real = not pair.block.part and all(each.dtype is torch.float64 for each in matrices)
    if not (real and pair.analytical.numel()):
        return False
    ours, theirs = map(largest, matrices)
    if not (math.isfinite(ours) and math.isfinite(theirs)):
        return False
    return ours > _LEAST * theirs > 0 and not any(rule(pair) for rule in _BETTER)


class _TermSearch:
    """Search for the missing terms of one pair."""

    def __init__(
        self, case: CheckContext, pair: JacobianPair, replay: Callable[..., Any], until: float
    ) -> None:
        self._case = case
        self._pair = pair
        self._replay = replay
        self._until = until
        self._idle: tuple[ConstantResult, ...] = ()
        self._here = ReplayBench(case, replay, case.subject.arguments, [pair])

    def run(self) -> Diagnosis | None:
        """Find cuts that give forward the derivative of backward; None if there are none."""
        mode = HoldConstantMode()
        whole = self._here.run(mode)
        if whole is None or not self._here.is_faithful(whole):
            return None
        idle: list[ConstantResult] = []
        found = self._among(mode.offered, whole[0], idle)
        if found is not None or not idle:
            return found
        # Cutting a maximum that is subtracted before exp only matters if a sum is cut as well.
        self._idle = tuple(idle)
        still = self._product(())
        if still is None or not _same(still, whole[0]):
            return None
        return self._among([each for each in mode.offered if each not in idle], whole[0], [])

    def _among(
        self, offered: Sequence[ConstantResult], whole: Tensor, idle: list[ConstantResult]
    ) -> Diagnosis | None:
        """Try the offered cuts; those that make no difference are added to ``idle``."""
        terms: list[_Term] = []
        for cuts in _candidates(offered):
            if time.process_time() > self._until:
                break
            left = self._product(cuts)
            if left is None:
                continue
            if _same(left, whole):
                idle += cuts
                continue
            if self._here.agreeing([left]) and self._holds(cuts):
                return self._diagnosis(cuts)
            term = _Term(cuts, whole - left)
            if not any(is_near(each.taken, term.taken, _allowed(whole)) for each in terms):
                terms.append(term)
        return self._of_several(terms[:_MOST_CUTS], whole)

    def _of_several(self, terms: Sequence[_Term], whole: Tensor) -> Diagnosis | None:
        for count in (2, 3):
            for chosen in combinations(terms, count):
                left = whole - sum((each.taken for each in chosen), torch.zeros_like(whole))
                cuts = tuple(cut for each in chosen for cut in each.cuts)
                if self._here.agreeing([left]) and self._holds(cuts):
                    return self._diagnosis(cuts)
        return None

    def _product(self, cuts: Sequence[ConstantResult]) -> Tensor | None:
        found = self._here.run(HoldConstantMode((*self._idle, *cuts)))
        return None if found is None else found[0]

    def _holds(self, cuts: Sequence[ConstantResult]) -> bool:
        """Whether the cuts together explain the derivative for other vectors and values as well."""
        # One product may agree by chance; three with random vectors do not.
        return all(
            bench.agreeing(bench.run(HoldConstantMode((*self._idle, *cuts)), seed), seed)
            for bench in self._benches()
            for seed in SEEDS
        )

    def _benches(self) -> Iterator[ReplayBench]:
        """The given point, and the one with other input values if there is one."""
        yield self._here
        reruns = self._pair.reruns
        arguments = None if reruns is None else reruns.moved_arguments()
        if arguments is not None and self._pair.moved:
            yield ReplayBench(self._case, self._replay, arguments, self._pair.moved)

    def _diagnosis(self, cuts: Sequence[ConstantResult]) -> Diagnosis:
        pair = self._pair
        what = say_list(list(dict.fromkeys(map(str, cuts))))
        return pair.diagnosis(
            "missing_term.constant",
            confidence="certain" if pair.moved else "likely",
            evidence=(say("missing_term.constant.evidence"),),
            results=what,
        )


def _candidates(offered: Sequence[ConstantResult]) -> Iterator[tuple[ConstantResult, ...]]:
    """Single cuts, then all cuts at one place in the source together, as in a loop."""
    places: dict[tuple[object, ...], list[ConstantResult]] = {}
    for cut in offered:
        places.setdefault((cut.name, cut.place, cut.line), []).append(cut)
        yield (cut,)
    yield from (tuple(each) for each in places.values() if len(each) > 1)


def _same(left: Tensor, whole: Tensor) -> bool:
    return is_near(left, whole, _allowed(whole))


def _allowed(whole: Tensor) -> float:
    return SAME * float(whole.abs().max())
