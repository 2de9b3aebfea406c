"""Investigation of a backward that is the derivative of a slightly different forward.

Forward is run again under autograd with one call differentiated in another way: with another flag
or dimension, without its slope or mask, with another value as an operand or that of another time
step, with another factor. If its derivative is then what backward returns, for several random
gradients and at a second point, this is the mistake.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from msgspec import Struct, structs
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.investigations.element_factor import find_element_factors
from gradviz.checks.diagnosis.investigations.factor import (
    factor_cause,
    find_common_factors,
    rounded,
)
from gradviz.checks.diagnosis.investigations.missing_term import may_lack, replay_of_case
from gradviz.checks.diagnosis.rules.wrong_some_indices import (
    wrong_for_a_condition,
    wrong_for_some_indices,
)
from gradviz.checks.diagnosis.support.derivative_bench import (
    SEEDS,
    CallChange,
    DerivativeBench,
    ValueSource,
    benches,
)
from gradviz.checks.diagnosis.support.jacobian_pair import Cause, JacobianPair, PairKey
from gradviz.checks.diagnosis.support.perturbed_rerun import trial_run
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.checks.reference.changed_derivative import (
    DerivativeChange,
    ForwardCall,
    offered_choices,
    offered_options,
    offered_skips,
    offered_turns,
)
from gradviz.checks.reference.held_constant import RESULT
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

_SECONDS = 3.0
"""Limit of processor time."""

_NEAR = 0.5
"""A factor is refined as long as each step leaves less than this share of the error."""

_REFINEMENTS = 6
_EVERY = slice(None)

_CONSTANT = {"round", "floor", "ceil", "trunc", "fix", "sign", "sgn", "heaviside"}
"""Functions whose derivative is zero: to pass the gradient is a straight-through estimator."""

_SATURATING = {"clamp", "clip", "clamp_min", "clamp_max", "hardtanh", "relu6"}
"""Functions whose derivative is zero for some elements, which is often ignored on purpose."""

_MASKING = {"relu", "threshold", "where", "masked_fill", "maximum", "minimum"}
"""Functions whose derivative is zero for some elements, which is usually forgotten."""


@yields("straight_through")
def find_passed_steps(case: CheckContext) -> Iterator[Diagnosis]:
    """Find step functions that backward passes the gradient through, as in quantization."""
    yield from _searched(case, _DerivativeSearch.run_steps)


@yields("wrong_operation")
def find_other_receivers(case: CheckContext) -> Iterator[Diagnosis]:
    """Find elements chosen by forward, such as a maximum, whose gradient goes to others."""
    yield from _searched(case, _DerivativeSearch.run_choices)


@yields(
    "missing_term",
    "wrong_operation",
    *find_common_factors.yields,
    "straight_through",
    *find_element_factors.yields,
    *wrong_for_some_indices.yields,
)
def find_other_derivatives(case: CheckContext) -> Iterator[Diagnosis]:
    """Find the calls of forward that backward differentiates wrongly."""
    found = list(_searched(case, _DerivativeSearch.run))
    patterns = list(find_element_factors(case)) if found else []
    for pattern in patterns:
        covered = [each for each in found if _covers(pattern, each)]
        if covered:
            yield _together(pattern, covered[0])
            found = [each for each in found if each not in covered]
    yield from found


def _covers(pattern: Diagnosis, found: Diagnosis) -> bool:
    """Whether a pattern of the values is about at least the same inputs."""
    same = (pattern.output, pattern.part) == (found.output, found.part)
    return same and found.code == "wrong_operation" and pattern.input in (None, found.input)


def _together(pattern: Diagnosis, operation: Diagnosis) -> Diagnosis:
    """What the values show, and the call that explains it."""
    message = say("diagnosis.and_operation", found=pattern.message, operation=operation.message)
    return structs.replace(
        pattern,
        message=message,
        confidence=operation.confidence if pattern.confidence == "certain" else "likely",
        evidence=(*pattern.evidence, *operation.evidence),
    )


def _searched(
    case: CheckContext, run: Callable[[_DerivativeSearch], Iterable[Diagnosis]]
) -> Iterator[Diagnosis]:
    if case.subject.order != 1:
        return
    pairs = [each for each in case.unexplained() if may_lack(each)]
    found: list[Diagnosis] = []
    # Processor time, so that a busy machine does not change what is found.
    until = time.process_time() + _SECONDS
    for output in dict.fromkeys(pair.block.output for pair in pairs):
        chosen = [pair for pair in pairs if pair.block.output == output]
        with trial_run(case) as attempt:
            replay = replay_of_case(case)
            if replay is not None:
                search = _DerivativeSearch(case, *benches(case, replay, chosen), chosen, until)
                found += run(search)
        if attempt.error is not None:
            return
    yield from found


_CallGroup = tuple[list[ForwardCall], slice]


class _ChangeFound(Struct, frozen=True):
    tried: CallChange
    places: frozenset[PairKey]


class _DerivativeSearch:
    def __init__(
        self,
        case: CheckContext,
        here: DerivativeBench,
        elsewhere: Sequence[DerivativeBench],
        pairs: Sequence[JacobianPair],
        until: float,
    ) -> None:
        self._case, self._here, self._elsewhere = case, here, elsewhere
        self._pairs, self._until = pairs, until

    def run(self) -> Iterator[Diagnosis]:
        """The changes of all kinds that explain a pair."""
        yield from self._of_stages(
            lambda: self._scales(self._whole()),
            lambda: self._operations(self._whole()),
            lambda: self._values(self._whole()),
            lambda: self._scales(self._parts()),
            lambda: self._values(self._parts()),
        )

    def run_choices(self) -> Iterator[Diagnosis]:
        """The chosen elements that explain a pair."""
        yield from self._of_stages(self._choices)

    def run_steps(self) -> Iterator[Diagnosis]:
        """The step functions that explain a pair."""
        yield from self._of_stages(self._steps)
        if self._case.was_found("straight_through"):
            yield from self._consequences()

    def _consequences(self) -> Iterator[Diagnosis]:
        """Other gradients that depend on how a step function is differentiated."""
        for tried in self._steps():
            found, whole = self._here.products(tried), self._here.whole
            if found is None or whole is None:
                continue
            call = str(self._here.calls[tried.key][0].at(RESULT))
            for pair, one, other in zip(self._pairs, found, whole, strict=True):
                if not torch.equal(one, other):
                    yield pair.diagnosis(
                        "straight_through.consequence", confidence="likely", call=call
                    )
            return

    def _of_stages(self, *stages: Callable[[], Iterator[CallChange]]) -> Iterator[Diagnosis]:
        if not all(each.is_faithful(each.whole) for each in (self._here, *self._elsewhere)):
            return
        left = {pair.place for pair in self._pairs}
        for stage in stages:
            found = [each for each in self._confirmed(stage()) if each.places & left]
            # One change that explains most, rather than several that explain parts.
            for each in sorted(found, key=lambda each: -len(each.places)):
                if each.places <= left:
                    left -= each.places
                    yield self._diagnosis(each)
            if not left:
                return

    def _confirmed(self, candidates: Iterable[CallChange]) -> Iterator[_ChangeFound]:
        count = len(self._pairs)
        for each in candidates:
            if time.process_time() > self._until:
                return
            places = self._here.matching(each)
            if not places or any(
                not places <= self._here.matching(each, seed) for seed in SEEDS[1:]
            ):
                continue
            benches = [(bench, seed) for bench in self._elsewhere for seed in SEEDS]
            if any(not places <= bench.matching(each, seed) for bench, seed in benches):
                continue
            yield _ChangeFound(each, places)
            if len(places) == count:
                return

    def _whole(self) -> Iterator[_CallGroup]:
        """All executions of a call together."""
        return ((calls, _EVERY) for calls in self._here.calls.values())

    def _parts(self) -> Iterator[_CallGroup]:
        """In a loop, the last or the first executions alone."""
        for calls in self._here.calls.values():
            if len(calls) > 1:
                yield from ((calls, slice(-1, None)), (calls, slice(1)))
                yield from ((calls, slice(1, None)), (calls, slice(-1)))

    def _steps(self) -> Iterator[CallChange]:
        for calls in self._here.calls.values():
            if calls[0].name in _CONSTANT:
                for place in calls[-1].differentiated:
                    yield CallChange(calls[0].key, _EVERY, DerivativeChange("skip", place))

    def _choices(self) -> Iterator[CallChange]:
        for calls in self._here.calls.values():
            for change in offered_choices(calls[0]):
                yield CallChange(calls[0].key, _EVERY, change)

    def _scales(self, groups: Iterable[_CallGroup]) -> Iterator[CallChange]:
        for calls, which in groups:
            # The first state of a loop often has no gradient.
            for place in (*calls[-1].differentiated, RESULT):
                tried = CallChange(calls[0].key, which, DerivativeChange("scale", place))
                # The parts of a loop depend on a factor as a polynomial.
                yield from self._measured(tried, refined=len(calls) > 1)

    def _measured(self, tried: CallChange, *, refined: bool) -> Iterator[CallChange]:
        """The change with the factor that comes nearest to backward; nothing without an effect."""
        for k in range(len(self._pairs)):
            factor, step, last = 1.0, 1e-3, torch.inf
            for _ in range(_REFINEMENTS if refined else 1):
                at, near = self._row(tried, factor, k), self._row(tried, factor + step, k)
                if at is None or near is None:
                    return
                slope, missing = (near - at) / step, self._here.wanted[1][k] - at
                size = float(slope @ slope)
                if not 1e-20 < size < torch.inf:
                    break
                change = float(slope @ missing) / size
                if not refined and float((missing - change * slope).norm()) > 1e-6 * float(
                    missing.norm()
                ):
                    break
                factor += max(-2.0, min(2.0, change)) if refined else change
                if abs(change) < 1e-9 or float(missing.norm()) > _NEAR * last:
                    break
                last = float(missing.norm())
            if abs(factor - 1) > 1e-4:
                yield replace(tried, change=replace(tried.change, factor=rounded(factor)))

    def _row(self, tried: CallChange, factor: float, pair: int) -> Tensor | None:
        scaled = replace(tried, change=replace(tried.change, factor=factor))
        found = self._here.products(scaled)
        return None if found is None else found[pair]

    def _operations(self, groups: Iterable[_CallGroup]) -> Iterator[CallChange]:
        for calls, which in groups:
            first = calls[0]
            every = [*offered_options(first)]
            every += [
                each for place in calls[-1].differentiated for each in offered_skips(first, place)
            ]
            operands = [place for place in first.values if place != RESULT]
            every += [each for place in operands for each in offered_turns(first, place)]
            for change in every:
                yield CallChange(first.key, which, change)

    def _values(self, groups: Iterable[_CallGroup]) -> Iterator[CallChange]:
        # Names first: people confuse variables more often than results without a name.
        sources = sorted(self._here.sources(), key=lambda each: not self._name(each))
        for calls, which in groups:
            for place, own in calls[0].values.items():
                for source in sources if place != RESULT else ():
                    value = self._here.value(source, len(calls) // 2)
                    if value is not None and value.shape == own.shape and value.dtype == own.dtype:
                        change = DerivativeChange("use", place)
                        yield CallChange(calls[0].key, which, change, source)

    def _name(self, source: ValueSource) -> str:
        return _name_of(self._here.calls[source.key][0], source.place)

    def _diagnosis(self, found: _ChangeFound) -> Diagnosis:
        pairs = [pair for pair in self._pairs if pair.place in found.places]
        names = say_list(list(dict.fromkeys(pair.input_name for pair in pairs)))
        calls = self._here.calls[found.tried.key]
        cause = _cause(self._case, self._here, found.tried, calls, names)
        evidence = say("missing_term.constant.evidence")
        operation = cause.diagnosis(pairs, moved=bool(self._elsewhere), evidence=[evidence])
        is_plain = len(pairs) == 1 and cause.code in ("wrong_operation", "factor_constant")
        where = wrong_for_some_indices if calls[0].name in _MASKING else wrong_for_a_condition
        pattern = where(pairs[0]) if is_plain else None
        return operation if pattern is None else _together(pattern, operation)


def _cause(
    case: CheckContext,
    bench: DerivativeBench,
    tried: CallChange,
    calls: Sequence[ForwardCall],
    names: str,
) -> Cause:
    call, change = calls[0], tried.change
    values: dict[str, object] = {"inputs": names, "value": str(call.at(change.place))}
    if change.kind == "scale":
        if change.factor == 0:
            results = {"input": names, "results": values["value"]}
            return Cause("missing_term", say("missing_term.constant", **results))
        return factor_cause(case, change.factor, "part", values)
    if change.kind == "option":
        values |= {"call": str(call.at(RESULT)), "given": call.options[change.place]}
        values |= {"other": change.option}
        key = "wrong_operation.option"
    elif change.kind == "skip":
        values["call"] = str(call.at(RESULT))
        operand = call.source.operand(change.place)
        values["value"] = f"`{operand}`" if operand else values["value"]
        if call.name in _CONSTANT and not change.recomputes:
            return Cause("straight_through", say("straight_through.step", **values))
        if call.name in (*_SATURATING, *_MASKING) and not change.recomputes:
            code = "straight_through" if _saturates(call) else "wrong_operation"
            return Cause(code, say("straight_through.saturating", **values))
        key = "wrong_operation.recomputed" if change.recomputes else "wrong_operation.passed"
    elif change.kind == "choice":
        values["call"] = f"`{call.source.call}`" if call.source.call else str(call.at(RESULT))
        key = f"wrong_operation.choice.{change.option}"
    elif change.kind == "turn":
        key = f"wrong_operation.{change.option}"
    else:
        assert tried.source is not None  # Only this kind has one.
        key, other = _of_value(bench, tried.source)
        values["other"] = other
    return Cause("wrong_operation", say(key, **values))


def _saturates(call: ForwardCall) -> bool:
    """Whether a call has two bounds; with one, it is a ReLU."""
    bounds = [each for each in call.options.values() if isinstance(each, int | float)]
    return call.name in _SATURATING and (len(bounds) > 1 or not call.name.startswith("cl"))


def _of_value(bench: DerivativeBench, source: ValueSource) -> tuple[str, str]:
    call = bench.calls[source.key][0]
    name = _name_of(call, source.place)
    # Where a variable is used does not matter.
    other = f"`{name}`" if name else str(call.at(source.place))
    steps = {-1: "wrong_operation.value.before", 1: "wrong_operation.value.after"}
    return steps.get(source.shift, "wrong_operation.value"), other


def _name_of(call: ForwardCall, place: int) -> str:
    """The variable that an operand is; empty for other expressions."""
    written = "" if place == RESULT else call.source.operand(place)
    return written if written.isidentifier() else ""
