"""Syntax colors and statements of a source text."""

from __future__ import annotations

from gradviz.viewer.source.source_text import (
    MOST_COLUMNS,
    plain_text_of,
    text_of,
)

TEXT = '''\
@decorated
def made(x):
    """A text
    of two lines."""
    y = x + 1.5  # a comment
    return "y"


other = 3
'''


def words(line: int) -> dict[str, str]:
    text = text_of(TEXT)
    shown = text.lines[line - 1]
    return {shown[start : start + length]: role for start, length, role in text.spans[line - 1]}


def test_words_have_their_colors() -> None:
    assert words(1) == {"@decorated": "code_name"}
    assert words(2) == {"def": "code_keyword", "made": "code_name"}
    assert words(5) == {"1.5": "code_number", "# a comment": "code_comment"}
    assert words(6)["return"] == "code_keyword"
    assert "code_string" in words(6).values()


def test_a_line_too_long_to_lay_out_is_cut() -> None:
    code = f"x = [{'1, ' * 10_000}]\ny = 2\n"
    for text in (text_of(code), plain_text_of(code)):
        assert text.lines[0] == code[:MOST_COLUMNS] + "… (28,006 more characters in this line)"
        assert text.lines[1] == "y = 2"
    ends = [start + length for start, length, _ in text_of(code).spans[0]]
    assert MOST_COLUMNS - 3 <= max(ends) <= MOST_COLUMNS


def test_a_very_long_text_is_not_parsed() -> None:
    text = text_of("x = 1\n" * 100_000)
    assert len(text.lines) == 100_000
    assert text.spans[0] == ()
    assert text.executable == frozenset()


def test_a_string_of_several_lines_is_colored_on_each() -> None:
    assert set(words(3).values()) == set(words(4).values()) == {"code_string"}


def test_a_function_ends_where_its_body_does() -> None:
    text = text_of(TEXT)
    assert text.function_at(1) == range(1, 7)
    assert text.statement_at(2) == (1, 2)
    assert text.statement_at(8) == (8, 8)


def test_no_character_makes_a_line_that_python_does_not_count() -> None:
    strange = "a = 1\x0c\nb = 'x\u2028y'\r\nc = 3\rd = 4\n"
    lines = text_of(strange).lines
    assert lines == (r"a = 1\x0c", r"b = 'x\u2028y'", "c = 3", "d = 4")
    assert plain_text_of(strange).lines == lines
    assert text_of(strange).spans[3] == ((4, 1, "code_number"),)


def test_a_text_that_is_no_python_is_shown_all_the_same() -> None:
    text = text_of("this is (no python\n")
    assert text.lines == ("this is (no python",)
    assert text.statement_at(1) == (1, 1)
    assert not text.executable


def test_before_it_is_parsed_a_function_ends_where_its_indentation_ends() -> None:
    code = "def f(x):\n    y = x\n\n    return y\n\n\nz = 1\n"
    assert plain_text_of(code).function_at(1) == text_of(code).function_at(1) == range(1, 5)
