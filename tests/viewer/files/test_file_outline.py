"""Whether a saved file may offer other inputs, judged from its text alone."""

from __future__ import annotations

import pytest

from gradviz.viewer.files.rerun_controller import MOST_CHARACTERS, source_outline

FILE = """
import torch

def values(n):
    return torch.ones(size(n))

def size(n):
    return n + 1

def helper(x):
    return x

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return helper(x) * x

EXAMPLES = {"Square": (values(3),)}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("helper(x) * x", "helper(x) * 2"),
        ("    return x\n", "    return x + 1\n"),
        ("import torch\n", "# a comment\nimport torch\n"),
    ],
    ids=["in a class", "in a function that only a class calls", "a comment"],
)
def test_a_change_of_how_something_computes_leaves_it_equal(old: str, new: str) -> None:
    assert FILE.count(old) == 1
    assert source_outline(FILE.replace(old, new)) == source_outline(FILE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("values(3)", "values(4)"),
        ("torch.ones", "torch.zeros"),
        ("n + 1", "n + 2"),
        ("class Square", "class Cube"),
        ("def helper", "def aid"),
        ("import torch\n", "import torch\nSEED = 1\n"),
    ],
)
def test_a_change_that_may_reach_the_inputs_is_seen(old: str, new: str) -> None:
    assert source_outline(FILE.replace(old, new)) != source_outline(FILE)


def test_the_body_of_examples_counts_without_being_named() -> None:
    source = "def examples():\n    return {'f': 1}\n"
    assert source_outline(source) != source_outline(source.replace("1", "2"))


@pytest.mark.parametrize("source", ["def f(:", "x\0y", "(" * 5000, "x = 1\n" * MOST_CHARACTERS])
def test_an_unreadable_file_gives_no_outline(source: str) -> None:
    assert source_outline(source) is None


@pytest.mark.parametrize("count", [1_500, 100_000])
def test_a_source_that_is_too_deep_has_no_outline(count: int) -> None:
    assert source_outline("x = " + "-" * count + "1\n") is None
