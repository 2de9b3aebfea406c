"""Builds the guide."""

from __future__ import annotations

from gradviz.viewer.guide.controller import GuideController
from gradviz.viewer.panel_context import PanelContext


def make_panel(context: PanelContext) -> None:
    """Build the controller, which creates the panel when its dock is first seen."""
    context.parts.add(GuideController(context))
