"""The table of value pairs follows the theme."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gradviz.viewer.compare.value_pairs import (
    PAIR_WIDTHS,
    PairedValue,
    SideValue,
    pairs_document,
    side_by_side,
)
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from tests.viewer.themes import change_theme


def paired(*, limit: float = 1.0, equal: bool = True) -> PairedValue:
    side = SideValue(text="None")
    return PairedValue(
        name="x",
        role="returned",
        left=side,
        right=side,
        difference=None,
        limit=limit,
        comparison="",
        agrees=equal,
        same=equal,
    )


def test_equal_rows_are_muted_in_the_current_theme(qtbot: QtBot) -> None:
    table = RowsView(APP_THEME, PAIR_WIDTHS, wraps=True)
    qtbot.addWidget(table)
    table.show_document(pairs_document([paired(), paired(equal=False)], "change"))
    for theme in (LIGHT, DARK):
        change_theme(theme)
        muted = theme.color("text_muted")
        role, model = Qt.ItemDataRole.ForegroundRole, table.model()
        assert [model.index(row, 0).data(role) for row in range(2)] == [muted, None]


def test_rows_of_one_table_share_a_color_scale() -> None:
    rows = [paired(limit=limit) for limit in (2.0, 121.0, 60.0)]
    assert [row.limit for row in side_by_side(rows)] == [pytest.approx(2 / 0.15), 121, 121]
