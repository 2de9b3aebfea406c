"""What the window gives to a panel that it builds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDockWidget, QWidget

from gradviz.viewer.panel_spec import PanelSpec, WindowParts

if TYPE_CHECKING:
    from gradviz.viewer.actions import Actions
    from gradviz.viewer.background import Background
    from gradviz.viewer.session.session import Session
    from gradviz.viewer.state import ViewerState
    from gradviz.viewer.view_requests import ViewRequests
    from gradviz.viewer.window.main_window import MainWindow


@dataclass(frozen=True, slots=True, kw_only=True)
class PanelContext:
    """What a panel is built from.

    Attributes:
        state: The state shared by all panels.
        session: Runs code and opens traces.
        background: Runs slow work in threads.
        actions: The window's commands.
        requests: Carries requests to other parts of the window.
        window: The window; parent of the panel's controllers.
        parts: The other parts that are built so far.
        dock: The panel's dock.
    """

    state: ViewerState
    session: Session
    background: Background
    actions: Actions
    requests: ViewRequests
    window: MainWindow
    parts: WindowParts
    dock: QDockWidget


PanelFactory = Callable[[PanelContext], QWidget | None]
"""Builds a panel with its controllers; returns None if its dock is filled in another way."""


def build_panel(spec: PanelSpec, context: PanelContext) -> QWidget | None:
    """Import the factory of a panel and build the panel."""
    factory: PanelFactory = spec.load_factory()
    return factory(context)
