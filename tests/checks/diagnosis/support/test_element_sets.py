"""Descriptions of sets of elements, by index and by value."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from gradviz.checks.diagnosis.support.element_sets import (
    listed,
    words_for,
    words_for_bound,
    words_for_values,
)


def places(shape: tuple[int, ...], chosen: str) -> tuple[Tensor, Tensor]:
    """The elements that an index chooses, and the others."""
    mask = torch.zeros(shape, dtype=torch.bool)
    mask[eval(f"np.s_[{chosen}]", {"np": np})] = True
    return mask, ~mask


@pytest.mark.parametrize(
    ("shape", "chosen"),
    [
        ((5,), "-1"),
        ((5,), "0"),
        ((6,), "4:"),
        ((6,), ":2"),
        ((6,), "2:4"),
        ((7,), "::2"),
        ((7,), "1::2"),
        ((3, 4), ":, -1"),
        ((3, 4), "0, :"),
        ((3, 4), "1, 2"),
        ((2, 3, 4), ":, 1, :"),
        ((2, 3, 4), ":, :, 2:"),
    ],
)
def test_the_words_choose_the_same_elements(shape: tuple[int, ...], chosen: str) -> None:
    mask, others = places(shape, chosen)
    words = words_for(mask, others, "x")
    assert words.startswith("x[")
    assert torch.equal(places(shape, words[2:-1])[0], mask)


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        (torch.eye(4).bool(), "on the diagonal of x"),
        (torch.ones(4, 4).triu(1).bool(), "above the diagonal of x"),
        (torch.ones(4, 4).tril().bool(), "on or below the diagonal of x"),
    ],
)
def test_relations_of_two_dimensions(relation: Tensor, words: str) -> None:
    assert words_for(relation, ~relation, "x") == words


def test_the_border() -> None:
    border = torch.ones(5, 4).bool()
    border[1:-1, 1:-1] = False
    assert words_for(border, ~border, "x") == "on the border of x"


def test_what_does_not_matter_may_be_in_it_or_not() -> None:
    mask, others = places((3, 4), ":, -1")
    mask[0, -1] = False
    assert words_for(mask, others, "x") == "x[:, -1]"


def test_nothing_is_made_up() -> None:
    mask = torch.tensor([[1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 1, 0]]).bool()
    assert words_for(mask, ~mask, "x") == ""
    assert listed(mask, "x") == "x[0, 0], x[0, 3], x[1, 1], x[2, 0] and 1 more"


@pytest.mark.parametrize(
    ("values", "chosen", "words"),
    [
        ([-1.0, 2, -3, 4], [1, 0, 1, 0], "x is negative"),
        ([-1.0, 2, -3, 4], [0, 1, 0, 1], "x is positive"),
        ([0.0, 2, 0, 4], [1, 0, 1, 0], "x is zero"),
        ([0.0, 2, 0, 4], [0, 1, 0, 1], "x is not zero"),
    ],
)
def test_values(values: list[float], chosen: list[int], words: str) -> None:
    mask = torch.tensor(chosen).bool()
    assert words_for_values(mask, ~mask, torch.tensor(values), "x") == words


def test_bounds() -> None:
    values = torch.tensor([-3.0, 0.5, 2.0, -0.25])
    assert words_for_bound(values.abs() > 1, values.abs() <= 1, values, "x") == "|x| is 2 or more"
    assert words_for_bound(values > 0, values <= 0, values, "x") == "x is 0.5 or more"
    mixed = torch.tensor([1, 0, 0, 1]).bool()
    assert words_for_bound(mixed, ~mixed, torch.tensor([1.0, 2, 3, 4]), "x") == ""
