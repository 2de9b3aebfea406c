"""Settings of a recording as text."""

from __future__ import annotations

import re

import pytest

from gradviz.model.settings.recording_scope import PassRange, parse_pass_range
from gradviz.model.settings.stop_condition import StopCondition, parse_stop_condition

# Ranges of backward passes as people write them.


def test_ranges() -> None:
    found = [parse_pass_range(text) for text in ("3", "3:5", "3:", ":5", "last", "last:2")]
    assert found == [
        PassRange(first=3, last=3),
        PassRange(first=3, last=5),
        PassRange(first=3),
        PassRange(last=5),
        PassRange(tail=1),
        PassRange(tail=2),
    ]


@pytest.mark.parametrize(
    "text", ["", ":", "0", "3:2", "-1", "a", "1:2:3", "0:4", "last:0", "last:", "2:last"]
)
def test_ranges_that_contain_no_pass(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        parse_pass_range(text)


# Conditions that end a recording, as people write them.


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
