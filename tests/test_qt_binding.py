"""PySide6 keeps Python's None alive: 6.12.0 does not before Python 3.12, and then aborts."""

from __future__ import annotations

import sys

import pytest
from pytestqt.qtbot import QtBot


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal from Python 3.12 on")
def test_calls_take_no_reference_off_none(qtbot: QtBot) -> None:
    from PySide6.QtWidgets import QLabel

    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(300):
        label.setText(str(number))
    assert sys.getrefcount(None) > before - 100
