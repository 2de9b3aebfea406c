"""Labels for text from outside."""

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.plain_text import PlainLabel

LONG = "a_really_long_argument_name_" * 4


@pytest.mark.parametrize("word", [LONG, "Long" * 30, "/a/path/with.dots/" * 6])
def test_a_word_wider_than_the_panel_is_broken(qtbot: QtBot, word: str) -> None:
    label = PlainLabel(f"It takes {word} and {LONG}.")
    qtbot.addWidget(label)
    label.show()
    lines = label.heightForWidth(200) / label.fontMetrics().lineSpacing()
    assert lines > 4
    assert label.text() == f"It takes {word} and {LONG}."


def test_ordinary_words_stay_whole(qtbot: QtBot) -> None:
    label = PlainLabel("LinearFunction.backward receives grad_output")
    qtbot.addWidget(label)
    assert label.text() == super(PlainLabel, label).text()
