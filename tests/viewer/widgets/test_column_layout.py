"""Columns and blocks of text are laid out only when something has changed."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.theme import LIGHT
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget
from gradviz.viewer.widgets.plain_text import PlainBlock
from tests.viewer.themes import change_theme


class CountingColumn(ColumnLayoutWidget):
    """Counts how often its parts are moved."""

    moves = 0

    def place(self, width: int, *, move: bool) -> int:
        self.moves += move
        return 20


def test_a_column_is_not_laid_out_while_layout_is_suspended(qtbot: QtBot) -> None:
    outer = CountingColumn()
    qtbot.addWidget(outer)
    outer.show()
    with outer.hold():
        inner = CountingColumn(outer)
        inner.show()
        inner.resize(150, 20)
        assert inner.moves == 0
    inner.resize(160, 20)
    assert inner.moves == 1


def test_a_block_sets_its_text_only_if_it_changes(qtbot: QtBot) -> None:
    block = PlainBlock("a = b")
    qtbot.addWidget(block)
    texts: list[str] = []
    block.textChanged.connect(lambda: texts.append(block.toPlainText()))
    for text in ("a = b", "c = d", "c = d", "a = b"):
        block.show_text(text)
    assert texts == ["c = d", "a = b"]


def test_the_height_of_a_block_follows_text_width_and_font(qtbot: QtBot) -> None:
    block = PlainBlock("word " * 40)
    qtbot.addWidget(block)
    for width in (400, 100, 400):
        for scale in (1.0, 1.6):
            for text in ("word " * 40, "one line", "two\nlines"):
                change_theme(replace(LIGHT, scale=scale))
                block.show_text(text)
                fresh = PlainBlock(text)
                qtbot.addWidget(fresh)
                fresh.setFont(block.font())
                assert block.heightForWidth(width) == fresh.heightForWidth(width)
