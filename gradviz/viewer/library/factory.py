"""Builds what the Library panel gets after the window is shown."""

from __future__ import annotations

from gradviz.viewer.library.library_menu import LibraryMenu
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> None:
    """Add the context menu; the panel itself is part of the window's frame."""
    LibraryMenu(context.parts[LibraryPanel])
