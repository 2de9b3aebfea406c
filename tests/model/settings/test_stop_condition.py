"""Conditions that end a recording, as people write them."""

from __future__ import annotations

import re

import pytest

from gradviz.model.settings.stop_condition import StopCondition, parse_stop_condition


def test_conditions() -> None:
    assert parse_stop_condition("nan") == StopCondition(kind="nan")
    assert parse_stop_condition(" inf ") == StopCondition(kind="inf")
    loss = parse_stop_condition("loss > 10")
    assert [loss.holds_for(value) for value in (10, 10.5, float("nan"))] == [False, True, False]
    assert parse_stop_condition("loss<=-1e-3").holds_for(-0.001)
    assert not parse_stop_condition("loss >= inf").holds_for(1e30)
    assert not parse_stop_condition("nan").holds_for(1)


@pytest.mark.parametrize("text", ["", "loss", "loss > nan", "loss == 1", "x > 1", "loss > __x"])
def test_texts_that_are_no_condition(text: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(text)}|could not convert"):
        parse_stop_condition(text)
