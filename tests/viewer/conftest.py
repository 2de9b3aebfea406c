"""Fixtures of all viewer tests: English texts with their plural forms."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.theme.theme import APP_THEME, LIGHT
from gradviz.viewer.translation import install_language


@pytest.fixture(autouse=True)
def layouts(known_layouts: None, heap_stays_frozen: None) -> None:
    """Cache layouts, because viewer tests show the same few graphs."""


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")


@pytest.fixture(autouse=True)
def theme_of_application() -> Iterator[None]:
    """Begin with the theme of an application that was never started, and leave it so."""
    APP_THEME.become(LIGHT)
    yield
    APP_THEME.become(LIGHT)
