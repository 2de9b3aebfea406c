"""Labels for text from outside."""

import pytest
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.plain_text import PlainBlock, PlainLabel

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


TEXTS = (
    "",
    "x",
    "float32 · 2×3 · cpu",
    "two\nlines",
    "中文 text",
    "a_very.long_name/of.a_node" * 3,
    "-1.5e-12\N{NO-BREAK SPACE}…\N{NO-BREAK SPACE}3 · mean\N{NO-BREAK SPACE}0",
    "x ▸ y → z",
    "tab\tand  spaces",
)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [1, 20, 60, 130, 400, 900])
def test_the_height_of_a_label_is_that_of_its_lines(qtbot: QtBot, text: str, width: int) -> None:
    for pixels in (11, 13, 20):
        label = PlainLabel(text, pixels=pixels)
        qtbot.addWidget(label)
        assert label.heightForWidth(width) == QLabel.heightForWidth(label, width)


def test_a_short_line_with_the_signs_of_tensors_is_not_laid_out_to_measure_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out: list[str] = []
    first, second = (PlainLabel(f"float32 · 2×{n} · −1 … 3") for n in (3, 4))
    for label in (first, second):
        qtbot.addWidget(label)
    height = first.heightForWidth(400)
    monkeypatch.setattr(QLabel, "heightForWidth", lambda label, _: laid_out.append(label.text()))
    assert second.heightForWidth(400) == height
    assert laid_out == []


def test_a_text_that_another_widget_has_shown_is_not_laid_out_to_measure_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a sentence that takes several lines " * 5
    labels, blocks = [PlainLabel(text) for _ in range(2)], [PlainBlock(text) for _ in range(2)]
    for widget in (*labels, *blocks):
        qtbot.addWidget(widget)
    heights = [widget.heightForWidth(300) for widget in (labels[0], blocks[0])]
    laid_out: list[object] = []
    monkeypatch.setattr(QLabel, "heightForWidth", lambda *given: laid_out.append(given))
    monkeypatch.setattr(QTextDocument, "setTextWidth", lambda *given: laid_out.append(given))
    assert [widget.heightForWidth(300) for widget in (labels[1], blocks[1])] == heights
    assert laid_out == []
