"""Diagnoses of functions whose results differ between identical runs: randomness or state.

Snapshot of what a function can reach besides its arguments, to see what changes. This includes
attributes of a Function's class, of the object it belongs to and of modules, variables it closes
over, its defaults, and global variables named in its code.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import types
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import torch
from msgspec import Struct, field
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.jacobians.matrices import byte_view
from gradviz.checks.problem_messages import Attempt, UserCodeAttempt, describe_exception
from gradviz.checks.reliability.repeated_runs import (
    OptionalTensors,
    RepeatedRuns,
    distance_beyond_rounding,
    other_forward,
    seeded_runs,
    values_of,
)
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Confidence, Diagnosis
from gradviz.recorder.error_boundary import safe_exception_text

_DEPTH = 6
_MOST_ITEMS = 64
_MOST_PLACES = 2000
_MOST_BYTES = 1 << 24
_NOT_THEIRS = frozenset({"torch", "numpy", "builtins", "gradviz", "typing", "functools", "math"})
_GENERATORS = (torch.Generator, np.random.Generator, np.random.RandomState, random.Random)
_SIMPLE = (bool, int, float, complex, str, bytes, type(None))


class ReachableValue(Struct, frozen=True):
    """A value that a function can reach.

    Attributes:
        print: Fingerprint; equal values have equal fingerprints.
        is_chance: Whether it is a random generator.
    """

    print: object
    is_chance: bool = False


class _StateWalk(Struct):
    places: dict[str, ReachableValue] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    kept: list[object] = field(default_factory=list)


def reachable(function: Callable[..., Any]) -> dict[str, ReachableValue]:
    """Values that a function can reach, by their names in the code."""
    walk = _StateWalk()
    with Attempt():  # Objects of the user may raise when inspected.
        _look(function, "", _DEPTH, walk)
    return walk.places


def changed(before: dict[str, ReachableValue], after: dict[str, ReachableValue]) -> list[str]:
    """Names whose values have changed or that are new."""
    return [name for name, place in after.items() if before.get(name, place) != place] + [
        name for name in after if name not in before
    ]


def fingerprint_of(value: Tensor) -> object:
    """Fingerprint of a tensor; None if it is not dense or too large."""
    leaf = _leaf(value)
    return None if leaf is None else leaf.print


def _look(value: Any, name: str, depth: int, walk: _StateWalk) -> None:
    if isinstance(value, _SIMPLE):
        walk.places[name] = ReachableValue(value)
        return
    if id(value) in walk.seen or depth == 0 or len(walk.places) > _MOST_PLACES:
        return
    walk.seen.add(id(value))
    walk.kept.append(value)  # Keeps its id from being reused.
    leaf = _leaf(value)
    if leaf is not None:
        walk.places[name] = leaf
        return
    for inner, each in _parts(value, name):
        _look(each, inner, depth - 1, walk)


def _leaf(value: Any) -> ReachableValue | None:
    if isinstance(value, Tensor):
        if value.layout is not torch.strided or value.numel() * value.element_size() > _MOST_BYTES:
            return None
        data = byte_view(value.detach().cpu()).numpy().tobytes()
        return ReachableValue((value.dtype, value.shape, _hash(data)))
    if isinstance(value, np.ndarray):
        fits = value.dtype != object and value.nbytes <= _MOST_BYTES
        return ReachableValue((value.dtype, value.shape, _hash(value.tobytes()))) if fits else None
    if isinstance(value, itertools.count):
        # Its text contains the next number; `next` would change it.
        return ReachableValue(repr(value))
    if isinstance(value, _GENERATORS):
        return ReachableValue(_state(value), is_chance=True)
    return None


def _hash(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def _state(generator: Any) -> str:
    if isinstance(generator, torch.Generator):
        return str(generator.get_state().tolist())
    if isinstance(generator, random.Random):
        return str(generator.getstate())
    chosen = generator.get_state() if hasattr(generator, "get_state") else None
    return str(generator.bit_generator.state if chosen is None else chosen)


def _parts(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, each in list(value.items())[:_MOST_ITEMS]:
            yield f"{name}[{key!r}]" if name else str(key), each
    elif isinstance(value, list | tuple | set | frozenset):
        yield f"len({name})", len(value)
        for k, each in enumerate(list(value)[:_MOST_ITEMS]):
            yield f"{name}[{k}]", each
    elif isinstance(value, staticmethod | classmethod):
        yield name, value.__func__
    elif isinstance(value, types.MethodType):
        yield "self" if not isinstance(value.__self__, type) else "", value.__self__
        yield name, value.__func__
    elif isinstance(value, types.FunctionType):
        yield from _of_function(value)
    elif _is_theirs(value) or isinstance(value, torch.nn.Module):
        owner = value.__name__ if isinstance(value, type) else name or "self"
        for key, each in _attributes(value):
            yield f"{owner}.{key}", each


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes of a class or object, without special ones; of modules also tensors."""
    if isinstance(value, torch.nn.Module):
        yield from value.named_parameters(recurse=False)
        yield from value.named_buffers(recurse=False)
        yield from value.named_children()
    for key, each in list(vars(value).items() if hasattr(value, "__dict__") else ()):
        is_theirs = not key.startswith("__") or isinstance(each, types.FunctionType)
        if is_theirs and key not in _OF_MODULES:
            yield key, each
    if not isinstance(value, type) and _is_theirs(type(value)):
        yield type(value).__name__, type(value)


_OF_MODULES = frozenset({"_buffers", "_parameters", "_modules"})


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    if function.__module__.partition(".")[0] in _NOT_THEIRS:
        return
    code = function.__code__
    for key, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        yield from ((key, each) for each in _content(cell))
    for key in code.co_names:
        if key in function.__globals__ and not isinstance(
            function.__globals__[key], types.ModuleType
        ):
            yield key, function.__globals__[key]
    yield f"{function.__name__}.defaults", [*(function.__defaults__ or ())]
    yield from ((f"{function.__name__}.{key}", each) for key, each in vars(function).items())


def _content(cell: types.CellType) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:  # Not bound yet.
        return []


def _is_theirs(value: Any) -> bool:
    cls = value if isinstance(value, type) else type(value)
    module = getattr(cls, "__module__", "") or ""
    return module.partition(".")[0] not in _NOT_THEIRS and hasattr(cls, "__dict__")


ComparedPhase = Literal["forward", "backward", "both"]

_MORE = 6
"""Additional runs that show whether results drift in one direction."""

_MOST_NAMES = 3

# The first seed again at the end: only seeded randomness repeats for it and differs between.
_SEEDS = (1, 2, 3, 4, 1)

_FREED = "backward through the graph a second time"


def diagnose_nondeterminism(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``nondeterministic`` or ``hidden_state`` if identical runs differ."""
    if seen.error is not None:
        yield from _raised(case, seen)
    elif seen.output_distance:
        yield _differing(case, "forward", seen.output_distance)
    elif seen.repeated_backward_distance:
        yield _differing(case, "backward", seen.repeated_backward_distance)
    elif seen.fresh_backward_distance:
        yield _overtaken(case, seen)


def diagnose_constant_outputs(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``hidden_state`` if forward returns what it stored in an earlier call."""
    if not seen.is_stuck or case.findings.verdict() == "match":
        return
    places = reachable(case.subject.function).items()
    given = [fingerprint_of(each) for each in case.subject.arguments if isinstance(each, Tensor)]
    kept = {fingerprint_of(each) for each in seen.outputs} - {None}
    # An argument that forward returns as it is was not stored by an earlier call.
    names = [name for name, place in places if place.print in kept and place.print not in given]
    if names:
        evidence = (say("state.stuck.stored", names=_listed(names)),)
        yield _hidden(say("state.stuck"), evidence=evidence)


def _raised(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Diagnose an error in a repeated run after the first one succeeded."""
    if (
        seen.error is None
        or seen.stage in ("forward", "backward")
        or _FREED in safe_exception_text(seen.error)
    ):
        return
    if case.findings.verdict() == "match":
        return
    yield _hidden(
        say(f"state.fails.{seen.stage}"),
        confidence="likely",
        evidence=(say("state.fails.raised", error=describe_exception(seen.error)),),
    )


def _differing(case: CheckContext, stage: ComparedPhase, far: float) -> Diagnosis:
    """Diagnose randomness if the same seed gives the same results, otherwise some state."""
    how = _how_much(case, stage, far)
    seeded = _results(case, stage, _SEEDS)
    if seeded and not distance_beyond_rounding(seeded[0], seeded[-1]) and not _all_equal(seeded):
        return _by_chance(stage, how, say("random.seed"))
    names, by_chance, later = _what_changes(case, stage)
    if by_chance:
        return _by_chance(stage, how, say("random.generator"))
    if names:
        return _depends(stage, how, say("random.unseeded"), ".values", names=_listed(names))
    if stage == "backward" and _is_first_of_its_forward(case):
        return _depends(stage, how, say("state.first_backward"), ".ctx")
    if _wanders([_size(each) for each in later]):
        later += _results(case, stage, (1,) * _MORE)
        if _wanders([_size(each) for each in later]):  # A few results may do so by chance.
            return _depends(stage, how, say("state.drifts", count=len(later)))
    if seeded and later and _all_equal([*seeded, *later]):
        if stage == "forward":
            return _differing(case, "both", far)
        return _depends(stage, how, say("state.after_others"))
    return _by_chance(stage, how, say("random.unseeded"), confidence="likely")


def _what_changes(
    case: CheckContext, stage: ComparedPhase
) -> tuple[list[str], bool, list[OptionalTensors]]:
    """Names that change in further identical runs, whether one is random, and the results."""
    before = reachable(case.subject.function)
    later = _results(case, stage, (1,) * _MORE)
    after = reachable(case.subject.function)
    names = changed(before, after)
    if not names:  # Identical runs may leave the same state, or backward undo what forward did.
        case.evaluations.expect(1)
        with (
            restore_arguments(case.subject.arguments),
            seeded_runs(case.subject, case.evaluations) as runs,
        ):
            other_forward(case, runs)
        names = changed(after, reachable(case.subject.function))
    return names, any(name in after and after[name].is_chance for name in names), later


def _is_first_of_its_forward(case: CheckContext) -> bool:
    """Whether only repeated backward passes differ, so that the state is on ctx.

    State has the same effect every time; randomness does not.
    """
    found = _results(case, "both", range(1, 1 + _MORE))
    if not found or not _all_equal(found):
        return False
    first, again = (_results(case, "backward", (1,) * _MORE) for _ in range(2))
    return (
        bool(first)
        and len(first) == len(again)
        and not any(map(distance_beyond_rounding, first, again))
    )


def _all_equal(results: Sequence[OptionalTensors]) -> bool:
    return not any(distance_beyond_rounding(results[0], each) for each in results[1:])


def _results(
    case: CheckContext, stage: ComparedPhase, seeds: Sequence[int]
) -> list[OptionalTensors]:
    """Results of identical runs, one per seed; empty if one raised an error."""
    found: list[OptionalTensors] = []
    with (
        UserCodeAttempt(),
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        if stage == "backward":
            case.evaluations.expect(1 + len(seeds))
            outputs = runs.forward(1)
            found = [runs.backward(outputs, seed) for seed in seeds]
        elif stage == "forward":
            case.evaluations.expect(len(seeds))
            found = [values_of(runs.forward(seed)) for seed in seeds]
        else:
            case.evaluations.expect(2 * len(seeds))
            found = [runs.backward(runs.forward(seed), seed) for seed in seeds]
    return found


def _size(values: OptionalTensors) -> float:
    return sum(float(each.abs().sum()) for each in values if each is not None)


def _wanders(sizes: Sequence[float]) -> bool:
    steps = [b - a for a, b in pairwise(sizes)]
    return bool(steps) and (all(each > 0 for each in steps) or all(each < 0 for each in steps))


def _overtaken(case: CheckContext, seen: RepeatedRuns) -> Diagnosis:
    """Diagnose whether the forward in between changes the gradient, or any other run does."""
    results = _results(case, "both", (1, 2))
    if len(results) != 2 or distance_beyond_rounding(
        results[0], results[1], case.settings.nondet_tol
    ):
        return _differing(case, "both", seen.fresh_backward_distance)
    return _hidden(
        say("state.latest_forward"),
        evidence=(
            say("state.latest_forward.differ", distance=seen.fresh_backward_distance),
            say("state.latest_forward.equal"),
        ),
    )


def _how_much(case: CheckContext, stage: ComparedPhase, far: float) -> str:
    return say(f"differ.{stage}", distance=far, noise=far / (2 * case.settings.eps))


def _by_chance(
    stage: ComparedPhase, how: str, why: str, confidence: Confidence = "certain"
) -> Diagnosis:
    return diagnosed(
        "nondeterministic",
        say("random.nondeterministic", stage=_text(stage)),
        confidence=confidence,
        evidence=(how, why),
    )


def _depends(
    stage: ComparedPhase, how: str, why: str, variant: str = "", **values: str
) -> Diagnosis:
    """Diagnose hidden state; certain only if it is known what changes, as in a variant."""
    return _hidden(
        say(f"state.depends{variant}", stage=_text(stage), **values),
        confidence="certain" if variant else "likely",
        evidence=(how, why),
    )


def _hidden(
    message: str, *, confidence: Confidence = "certain", evidence: tuple[str, ...] = ()
) -> Diagnosis:
    return diagnosed("hidden_state", message, confidence=confidence, evidence=evidence)


def _listed(names: list[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return say_list(names)
    return say("names.more", names=", ".join(names[:_MOST_NAMES]))


def _text(stage: ComparedPhase) -> str:
    return say_list(["forward", "backward"]) if stage == "both" else stage
