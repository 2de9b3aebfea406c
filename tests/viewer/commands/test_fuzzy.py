"""Which command names a few letters match."""

from __future__ import annotations

import pytest

from gradviz.viewer.commands.palette import fuzzy_score

NAMES = (
    "Find Next",
    "Find Previous",
    "Next Step",
    "First Step",
    "Fit Graph",
    "Export Graph as SVG",
)


def best(query: str) -> str:
    return max(NAMES, key=lambda name: fuzzy_score(query, name))


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("find n", "Find Next"),
        ("fn", "Find Next"),
        ("fp", "Find Previous"),
        ("next", "Next Step"),
        ("step f", "First Step"),
        ("svg", "Export Graph as SVG"),
        ("xpo", "Export Graph as SVG"),
        ("fgra", "Fit Graph"),
        ("EXP SVG", "Export Graph as SVG"),
    ],
)
def test_the_best(query: str, name: str) -> None:
    assert best(query) == name


@pytest.mark.parametrize("query", ["z", "find zebra", "txen", "", "  "])
def test_nothing_fits(query: str) -> None:
    assert not any(fuzzy_score(query, name) for name in NAMES)
