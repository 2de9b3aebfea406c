"""Creates the guide's panel on first use and follows the links that lead out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gradviz.analysis.position.view_target import ViewTarget
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.gallery.registry import SCENES, scene
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.session.view_navigator import ViewNavigator

if TYPE_CHECKING:
    from gradviz.viewer.guide.panel import GuidePanel


class GuideController(QObject):
    """Connects the guide with the run and the window."""

    def __init__(self, context: PanelContext) -> None:
        super().__init__(context.window)
        self._state, self._background = context.state, context.background
        self._dock, self._requests = context.dock, context.requests
        self._navigator = context.parts[ViewNavigator]
        actions, dock = context.actions, context.dock
        self._panel: GuidePanel | None = None
        actions.show_guide.triggered.connect(self._on_show_guide_triggered)
        context.requests.page_requested.connect(self._on_requests_page_requested)
        dock.visibilityChanged.connect(self._on_dock_visibility_changed)
        if dock.isVisible() and not dock.visibleRegion().isEmpty():
            self.panel()

    def panel(self) -> GuidePanel:
        """Return the panel; it is created on first use to keep start-up fast."""
        if self._panel is None:
            from gradviz.viewer.guide.panel import GuidePanel

            self._panel = GuidePanel(self._state, self._background)
            self._panel.link_pressed.connect(self.follow)
            self._dock.setWidget(self._panel)
        return self._panel

    def lend_panel(self) -> GuidePanel:
        """Return the panel at the page of the run's scene; `take_back_panel` ends its use."""
        panel = self.panel()
        panel.open(scene_of(self._state.index))
        return panel

    def take_back_panel(self) -> None:
        """Put the panel back into its dock."""
        self._dock.setWidget(self.panel())

    def follow(self, kind: str, target: str) -> None:
        """Follow a link; one into the page's scene waits until the scene has run."""
        # A page without a scene is about the current run.
        named = self.panel().name
        page = named if _is_scene(named) else ""
        show, requests = self._navigator.show, self._requests
        match kind:
            case "step":
                show(ViewTarget(scene=page, step=target, tab="graph"))
            case "check":
                show(ViewTarget(scene=page), lambda: requests.check(int(target)))
            case "compare":
                show(ViewTarget(scene=page), lambda: requests.compare_with_scene(target))
            case "scene":
                self._requests.run_scene(scene(target))
            case _:
                self._requests.show_part(target)

    def _on_show_guide_triggered(self) -> None:
        # Presenter Mode has a place of its own for it.
        if self._state.presentation.presenting:
            return
        self._dock.show()
        self._dock.raise_()
        self.panel().browser.setFocus()

    def _on_requests_page_requested(self, name: str) -> None:
        self.panel().open(name)

    def _on_dock_visibility_changed(self, visible: bool) -> None:
        if visible:
            self.panel()


def _is_scene(name: str) -> bool:
    return name in {each.id for each in SCENES}


def make_panel(context: PanelContext) -> None:
    """Build the controller, which creates the panel when its dock is first seen."""
    context.parts.add(GuideController(context))
