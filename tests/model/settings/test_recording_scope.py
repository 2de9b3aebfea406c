"""Ranges of backward passes as people write them."""

from __future__ import annotations

import re

import pytest

from gradviz.model.settings.recording_scope import PassRange, parse_pass_range


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
