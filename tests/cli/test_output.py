"""Text from outside reaches a terminal as text."""

import pytest

from gradviz.cli.output import clean


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07rest", "rest"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\rb\x08c\x7f\x9b2Jd", "abcd"),
        ("\x1bPq#0\x1b\\x", "x"),
        ("\x1bcreset", "reset"),
        ('<img src=x>"];\x1b[31m', '<img src=x>"];'),
        ("2×3 ε", "2×3 ε"),
    ],
)
def test_escapes_are_stripped(text: str, expected: str) -> None:
    assert clean(text) == expected
