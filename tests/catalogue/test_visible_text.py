"""Names with control characters are shown as what they are."""

from __future__ import annotations

from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text


def test_sentences_show_control_characters_of_names() -> None:
    text = say("op.unfinished", op="a\x1b[31m\u202eb", inputs="c\r")
    assert text == r"a\x1b[31m\u202eb was called with c\r but did not finish."


def test_lines_tabs_and_letters_stay() -> None:
    text = "two\n\tlines, \u00e4 \u4e2d \u202f\u00a0"
    assert visible_text(text) == text
