"""Lines of a source are counted as Python counts them."""

from __future__ import annotations

import ast

import pytest

from gradviz.analysis.source_statements import statements_of
from gradviz.model.source import source_lines

ENDS = ("\n", "\r", "\r\n")
WITHIN = ("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029")
"""At these ``str.splitlines`` breaks."""


@pytest.mark.parametrize("sign", [*ENDS, *WITHIN])
def test_lines_are_those_of_python(sign: str) -> None:
    text = f"a = 1  #{sign}b = 2\nc = 3"
    assert len(source_lines(text)) == ast.parse(text).body[-1].lineno


def test_ends_of_lines_are_distinguished() -> None:
    text = "".join(f"{at}{end}" for at, end in enumerate(ENDS)) + "3"
    assert source_lines(text) == ("0", "1", "2", "3")


@pytest.mark.parametrize(("text", "count"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2)])
def test_an_end_begins_no_line(text: str, count: int) -> None:
    assert len(source_lines(text)) == count


@pytest.mark.parametrize("sign", WITHIN)
@pytest.mark.parametrize("end", ENDS)
def test_heads_end_before_their_body(sign: str, end: str) -> None:
    rows = ["a = 1  # !", "if (", "  a # !", "):", "  # ! no", "  b = 2"]
    text = end.join(rows).replace("!", sign)
    assert [(each.line, each.last_line) for each in statements_of(text)] == [(1, 1), (2, 4), (6, 6)]
