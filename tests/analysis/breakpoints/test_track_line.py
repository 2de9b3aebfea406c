"""A line breakpoint follows its text if the text occurs exactly once nearby."""

from __future__ import annotations

import pytest

from gradviz.analysis.breakpoints.breakpoint import NEARBY, AtLine, LineMatch, track_line

BEFORE = "def f(x):\n    y = x * 2\n    return y\n"


@pytest.mark.parametrize(
    ("after", "line", "change"),
    [
        (BEFORE, 2, "same"),
        ("def f(x):\n  y = x * 2\n", 2, "same"),
        ("# one more\n\n" + BEFORE, 4, "moved"),
        (BEFORE.replace("* 2", "* 3"), 2, "changed"),
        ("\n" + BEFORE + BEFORE, 2, "changed"),
        ("\n" * (NEARBY + 1) + BEFORE, 2, "changed"),
        ("", 2, "changed"),
    ],
)
def test_a_line_is_followed(after: str, line: int, change: LineMatch) -> None:
    target = AtLine(path="f.py", line=2, text="y = x * 2")
    assert track_line(target, after) == (AtLine(path="f.py", line=line, text=target.text), change)


def test_a_line_whose_text_is_unknown_stays() -> None:
    target = AtLine(path="f.py", line=2)
    assert track_line(target, "other\ntext\n") == (target, "same")
