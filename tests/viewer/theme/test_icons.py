"""Icons in the colors of the theme."""

import pytest
from PySide6.QtGui import QIcon
from pytestqt.qtbot import QtBot

from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_an_icon_in_a_selected_row_keeps_its_color(qtbot: QtBot, theme: Theme) -> None:
    sign = icon("check", theme, "ok")
    plain = sign.pixmap(16, QIcon.Mode.Normal).toImage()
    assert sign.pixmap(16, QIcon.Mode.Selected).toImage() == plain
    assert sign.pixmap(16, QIcon.Mode.Disabled).toImage() != plain
