"""Fixtures of all viewer tests: English texts with their plural forms."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.translation import install_language


@pytest.fixture(autouse=True)
def layouts(known_layouts: None) -> None:
    """Windows' parts show a few graphs again and again."""


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")
