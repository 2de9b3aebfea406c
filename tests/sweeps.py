"""Parameters of which `make test` runs a representative part and `make test-all` all."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet

from gradviz.gallery.registry import SCENES

PARTS = [0, *(pytest.param(part, marks=pytest.mark.sweep) for part in (1, 2, 3))]
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


def representative_scenes() -> set[str]:
    """Names of the first scene of each group, and of some that are wrong on purpose or fail."""
    firsts = {scene.group: scene.id for scene in reversed(SCENES)}
    return {*firsts.values(), "linear-wrong", "cube-wrong", "functional-linear", "saved-changed"}


def scene_of_each_kind() -> list[ParameterSet]:
    """All scenes; those that are not representative are a sweep."""
    chosen = representative_scenes()
    return [
        pytest.param(each, id=each.id, marks=() if each.id in chosen else pytest.mark.sweep)
        for each in SCENES
    ]
