"""Names with control characters are shown as what they are."""

from __future__ import annotations

import unicodedata
from pathlib import PurePath

from hypothesis import given
from hypothesis import strategies as st

from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text


def test_sentences_show_control_characters_of_names() -> None:
    text = say("op.unfinished", op="a\x1b[31m\u202eb", inputs="c\r")
    assert text == r"a\x1b[31m\u202eb was called with c\r but did not finish."


def test_a_value_begins_no_line_in_a_sentence() -> None:
    text = say("file.unreadable", path=PurePath("a\nb"), reason=OSError("first\nsecond"))
    assert text == r"a\nb cannot be read: first\nsecond."
    assert "\n" in say("help.record.usage")


def test_lines_tabs_and_letters_stay() -> None:
    text = "two\n\tlines, \u00e4 \u4e2d \u202f\u00a0"
    assert visible_text(text, lines=True) == text
    assert visible_text(text) == r"two\n\tlines, " + "\u00e4 \u4e2d \u202f\u00a0"


@given(st.text(st.characters(), max_size=50))
def test_nothing_is_hidden_and_nothing_escaped_twice(text: str) -> None:
    shown = visible_text(text)
    assert all(each.isprintable() or unicodedata.category(each) == "Zs" for each in shown)
    assert visible_text(shown) == shown
    assert visible_text(text, lines=True).count("\n") == text.count("\n")
