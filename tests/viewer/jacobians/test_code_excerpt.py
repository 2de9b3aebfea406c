"""Which lines of a function are shown in a few rows."""

from __future__ import annotations

import pytest

from gradviz.viewer.jacobians.code_excerpt import CodeExcerpt, excerpt_of
from gradviz.viewer.source.source_text import SourceText, text_of

SOURCE = text_of(
    "import torch\n"
    "\n"
    "class Scale(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def backward(ctx, grad_output):\n"
    '        """Return the gradient.\n'
    "\n"
    "        Twice as large.\n"
    '        """\n'
    "        # Saved in forward.\n"
    "        (x,) = ctx.saved_tensors\n"
    "\n"
    "        first = grad_output * x\n"
    "        second = grad_output * x + first\n"
    "        third = first + second\n"
    "        return third\n"
    "\n"
    "output = Scale.apply(torch.ones(3))\n"
)
BACKWARD = range(4, 17)


def texts(found: CodeExcerpt) -> list[str]:
    return [" " * row.indent + row.text for row in found.rows]


def test_what_fits_is_shown_whole_from_the_def_line_on() -> None:
    found = excerpt_of(SOURCE, BACKWARD, (13, 13), 12, 60)
    assert texts(found)[0] == "def backward(ctx, grad_output):"
    assert texts(found)[-1] == "    return third"
    assert len(found.rows) == 12
    assert (found.leaves_out, found.wraps) == (False, False)


def test_docstrings_comments_and_empty_lines_make_room_for_statements() -> None:
    found = excerpt_of(SOURCE, BACKWARD, (13, 13), 6, 60)
    assert texts(found) == [
        "def backward(ctx, grad_output):",
        "    (x,) = ctx.saved_tensors",
        "    first = grad_output * x",
        "    second = grad_output * x + first",
        "    third = first + second",
        "    return third",
    ]
    assert not found.leaves_out


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (11, ["def backward(ctx, grad_output):", "    (x,) = ctx.saved_tensors", None, "    ⋯"]),
        (15, ["def backward(ctx, grad_output):", "    ⋯", "    third = first + second", None]),
    ],
)
def test_the_current_line_stays_visible_below_the_def_line(
    line: int, shown: list[str | None]
) -> None:
    found = excerpt_of(SOURCE, BACKWARD, (line, line), 4, 60)
    assert found.leaves_out
    assert len(found.rows) == 4
    assert line in [row.line for row in found.rows]
    for text, wanted in zip(texts(found), shown, strict=True):
        assert wanted is None or text == wanted


def test_long_lines_break_at_spaces_and_keep_all_characters() -> None:
    found = excerpt_of(SOURCE, BACKWARD, (14, 14), 20, 24)
    assert found.wraps
    rows = [row for row in found.rows if row.line == 14]
    assert [row.text.rstrip() for row in rows] == ["second = grad_output", "* x + first"]
    assert all(row.indent + len(row.text.rstrip()) <= 24 for row in found.rows)


def test_calls_of_print_make_room_for_statements() -> None:
    text = text_of("def f(x):\n    print(\n        x\n    )\n    y = x\n    return y\n")
    shown = texts(excerpt_of(text, range(1, 7), (5, 5), 3, 40))
    assert shown == ["def f(x):", "    y = x", "    return y"]
    shown = texts(excerpt_of(text, range(1, 7), (2, 4), 6, 40))
    assert shown[1] == "    print("


def _text_without_functions() -> SourceText:
    return text_of("x = 1\ny = x + 1\n")


def test_code_outside_of_functions_is_shown_from_the_start_of_the_file() -> None:
    text = _text_without_functions()
    assert texts(excerpt_of(text, range(1, 3), (2, 2), 5, 40)) == ["x = 1", "y = x + 1"]


def test_a_block_keeps_the_print_that_is_all_of_it() -> None:
    source = text_of(
        "def area(x):\n"
        "    # Metres and seconds.\n"
        "    print(x)\n"
        "    try:\n"
        "        print(length + time)\n"
        "    except UnitError:\n"
        "        print('no')\n"
        "    x.backward()\n"
    )
    found = excerpt_of(source, range(1, 9), (8, 8), 6, 60)
    assert texts(found) == [
        "def area(x):",
        "    try:",
        "        print(length + time)",
        "    except UnitError:",
        "        print('no')",
        "    x.backward()",
    ]
    assert not found.leaves_out
