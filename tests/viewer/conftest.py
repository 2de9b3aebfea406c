"""Every test of the window's parts: English texts, with their plural forms."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.translation import install_language


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")
