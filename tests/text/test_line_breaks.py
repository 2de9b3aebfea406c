"""Lines of English and Chinese text break where a reader expects it."""

from __future__ import annotations

import pytest

from gradviz.text.line_breaks import unbreakable_parts, wrap

PARTS = {
    "a saved  tensor": ["a ", "saved  ", "tensor"],
    "is “not equal”.": ["is ", "“not ", "equal”."],
    "保存x.grad，即 [2, 3]。": ["保", "存", "x.grad，", "即 ", "[2, ", "3]。"],
    "（反向）：“不一致”": ["（反", "向）：", "“不", "一", "致”"],
    "": [""],
}


@pytest.mark.parametrize("text", PARTS)
def test_only_spaces_and_chinese_characters_break_a_line(text: str) -> None:
    assert unbreakable_parts(text) == PARTS[text]


def test_lines_fit_the_width() -> None:
    assert wrap("one two  three-four five", 8, len) == ["one two", "three-four", "five"]
    assert wrap("前向传播保存了两个张量。", 5, len) == ["前向传播保", "存了两个张", "量。"]
    assert wrap("", 5, len) == []
