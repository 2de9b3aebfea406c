"""Parameters of which `make test` runs a representative part and `make test-all` all."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.gallery.registry import GROUPS, SCENES, Scene


def thinned(items: Iterable[Any], kept: int = 3) -> list[ParameterSet]:
    """All of them; one of so many neighbors is quick, and the others are a sweep."""
    return [
        pytest.param(each, marks=pytest.mark.sweep if at % kept else ())
        for at, each in enumerate(items)
    ]


PARTS = thinned(range(4), 4)
"""Of four interleaved parts, ``items[part::4]``, the last three are a sweep."""


def paired(*factors: Sequence[Any]) -> list[ParameterSet]:
    """The product of some lists, of which all but a covering part is a sweep.

    The part has every value, and of three or more lists every pair of values.
    """
    shortest = min(map(len, factors))
    product = itertools.product(*map(enumerate, factors))
    return [
        pytest.param(
            *(value for _, value in chosen),
            marks=() if sum(place for place, _ in chosen) % shortest == 0 else pytest.mark.sweep,
        )
        for chosen in product
    ]


def generated(
    *strategies: st.SearchStrategy[Any],
    few: int,
    many: int,
    derandomize: bool = False,
    **named: st.SearchStrategy[Any],
) -> Callable[[Callable[..., None]], Callable[[int], None]]:
    """Test generated examples: a few, and in a sweep many.

    Args:
        strategies: Of the positional arguments, as for Hypothesis's `given`.
        few: Number of examples.
        many: Number of examples in the sweep.
        derandomize: Whether they are the same in each run; the few are then the first of the many.
        named: Strategies of the arguments by name.
    """
    whole = pytest.param(many, marks=pytest.mark.sweep)

    def decorate(check: Callable[..., None]) -> Callable[[int], None]:
        @pytest.mark.parametrize("examples", [few, whole])
        def test(examples: int) -> None:
            chosen = settings(max_examples=examples, derandomize=derandomize)
            chosen(given(*strategies, **named)(check))()

        return test

    return decorate


def representative_scenes() -> set[str]:
    """Names of the first scene of each group, and of those that are wrong on purpose."""
    firsts = {group.scenes[0].id for group in GROUPS}
    return {*firsts, "linear-wrong", "cube-wrong", "functional-linear"}


def scene_of_each_kind(scenes: Sequence[Scene] = SCENES) -> list[ParameterSet]:
    """All scenes; those that are not representative, except for one that fails, are a sweep."""
    chosen = {*representative_scenes(), "saved-changed"}
    return [
        pytest.param(each, id=each.id, marks=() if each.id in chosen else pytest.mark.sweep)
        for each in scenes
    ]
