"""Fixtures of all viewer tests: English texts with their plural forms."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import APP_THEME, LIGHT, apply_theme, palette_of
from gradviz.viewer.translation import install_language

_OF_QT = -1
"""Size in pixels of the font of an application without a theme: Qt counts it in points."""


@pytest.fixture(autouse=True)
def layouts(known_layouts: None, heap_stays_frozen: None) -> None:
    """Cache layouts, because viewer tests show the same few graphs."""


@pytest.fixture(autouse=True)
def english(qapp: QApplication) -> None:
    install_language(qapp, "en")


@pytest.fixture(autouse=True)
def theme_of_application(qapp: QApplication) -> Iterator[None]:
    """Begin with the theme of an application that was never started, and leave it so."""
    APP_THEME.become(LIGHT)
    # A window of an earlier test may have left its colors and its size of text.
    has_theme = qapp.font().pixelSize() != _OF_QT
    if has_theme and (qapp.font(), qapp.palette()) != (LIGHT.font(), palette_of(LIGHT)):
        apply_theme(qapp, LIGHT)
    yield
    APP_THEME.become(LIGHT)


@pytest.fixture
def state(qapp: QApplication) -> Iterator[ViewerState]:
    """A state without a trace; what panels delete later is deleted at the end."""
    state = ViewerState(LIGHT)
    yield state
    state.show(None)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
