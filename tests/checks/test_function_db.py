"""Torch's own database of custom Functions: gradcheck's verdicts in both orders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.testing._internal import autograd_function_db

from gradviz.model.check_settings import CheckSettings
from tests.checks.gradgradcheck_verdict import (
    assert_equal_to_torch_twice,
    checked_twice,
    verdict_twice,
)
from tests.checks.sample_functions import assert_equal_to_torch, checked, verdict_of_torch
from tests.sweeps import paired

MODES = (
    CheckSettings(forward_mode="on"),
    CheckSettings(batched=True),
    CheckSettings(fast=True),
    CheckSettings(fast=True, forward_mode="on", batched=True),
)
EVERY = {each.name: each for each in autograd_function_db.autograd_function_db}


def sample(name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    torch.manual_seed(0)
    info = EVERY[name]
    (given,) = info.sample_inputs("cpu", torch.float64, requires_grad=True)
    return given_keywords(info.op, given.kwargs), (given.input, *given.args)


def given_keywords(op: Callable[..., Any], keywords: dict[str, Any]) -> Callable[..., Any]:
    return (lambda *arguments: op(*arguments, **keywords)) if keywords else op


@pytest.mark.parametrize("name", EVERY)
def test_first_order(name: str) -> None:
    function, arguments = sample(name)
    report, sink = checked(function, arguments)
    assert report.verdict == verdict_of_torch(function, arguments)
    if all_differentiable(function, arguments):
        assert_equal_to_torch(function, arguments, report, sink)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Of forward mode's first use.
@pytest.mark.filterwarnings("ignore::FutureWarning")  # The same, since torch 2.15.
@pytest.mark.parametrize(("name", "mode"), paired(list(EVERY), MODES))
def test_other_modes(name: str, mode: CheckSettings) -> None:
    function, arguments = sample(name)
    report, _ = checked(function, arguments, settings=mode)
    assert report.verdict == verdict_of_torch(function, arguments, mode)


@pytest.mark.parametrize("name", EVERY)
def test_second_order(name: str) -> None:
    function, arguments = sample(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report, sink = checked_twice(function, arguments)
        assert report.verdict == verdict_twice(function, arguments)
        if report.blocks:
            assert_equal_to_torch_twice(function, arguments, report, sink)


def all_differentiable(function: Callable[..., Any], arguments: tuple[Any, ...]) -> bool:
    outputs = function(*arguments)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return all(each.requires_grad for each in outputs)
