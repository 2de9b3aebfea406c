"""The table of value pairs follows the theme."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gradviz.viewer.compare.differences_table import DifferencesTable
from gradviz.viewer.compare.value_pairs import PairedValue, SideValue
from gradviz.viewer.theme.theme import DARK, LIGHT


def test_equal_rows_are_muted_in_the_current_theme(qtbot: QtBot) -> None:
    side = SideValue(text="None")
    same, other = (
        PairedValue(
            name="x",
            role="returned",
            left=side,
            right=side,
            difference=None,
            limit=1.0,
            comparison="",
            agrees=equal,
            same=equal,
        )
        for equal in (True, False)
    )
    table = DifferencesTable(LIGHT)
    qtbot.addWidget(table)
    table.show_rows([same, other])
    for theme in (LIGHT, DARK):
        table.set_theme(theme)
        muted = theme.color("text_muted")
        colors = [table.item(row, 0).foreground().color() for row in range(2)]
        assert colors[0] == muted
        assert colors[1] != muted
