"""Text from outside stays short, plain and on one line."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.font_metrics import font_measure, read_font
from gradviz.drawing.content.plain_text import label_text, value_text
from gradviz.resource import resource_path
from tests.builders import tensor


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MulBackward0", "MulBackward0"),
        ('<img src=x>"];\x1b[31m', '<img src=x>"];\\x1b[31m'),
        ("a\nb\tc", "a\\nb\\tc"),
        ("right\u202eleft", "right\\u202eleft"),
        ("\ud800", "\\ud800"),
        ("", ""),
        ("权重", "权重"),
    ],
)
def test_what_cannot_be_printed_is_spelt_out(text: str, expected: str):
    assert label_text(text) == expected


def test_long_names_lose_their_middle():
    assert label_text("Very" + "x" * 5000 + "Backward0", 20) == "Veryxxxxx…xBackward0"
    assert len(label_text("\x00" * 10_000_000, 20)) == 20


@given(st.text(st.characters(), max_size=200))
def test_the_result_is_always_printable_and_short(text: str):
    found = label_text(text)
    assert found == visible_text(found)
    assert len(found) <= 44


@pytest.mark.parametrize(
    ("values", "text"),
    [(54.0, "54"), ([[7.3890561]], "7.389"), (np.nan, "nan"), (-np.inf, "-inf"), ([1.0, 2.0], "")],
)
def test_a_value_is_shown_where_there_is_one(values: object, text: str):
    assert value_text(tensor(1, values)[0]) == text  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Inter-Regular.otf", "Inter-SemiBold.otf", "Hack-Regular.ttf"])
def test_a_font_has_widths(name: str):
    table = read_font(resource_path(f"fonts/{name}"))
    assert table.width("iii") <= table.width("WWW")
    assert all(ord(each) in table.advances for each in "aZ09×·…–")
    assert 1.1 < table.height < 1.4


def test_the_measure_agrees_with_qt():
    # Qt with the same file at 13 px measures 155.9; it also kerns.
    width, height = font_measure()("LinearFunctionBackward", "title")
    assert width == pytest.approx(155.9, rel=0.02)
    assert height == pytest.approx(15.7, abs=0.1)


def test_characters_missing_from_the_font_fit():
    assert font_measure()("权重", "title")[0] >= 26
