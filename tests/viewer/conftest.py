"""Fixtures of all viewer tests: English texts with their plural forms."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.translation import install_language


@pytest.fixture(autouse=True)
def layouts(known_layouts: None, heap_stays_frozen: None) -> None:
    """Cache layouts, because viewer tests show the same few graphs."""


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")
