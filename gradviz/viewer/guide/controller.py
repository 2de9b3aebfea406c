"""Creates the guide's panel on first use and follows the links that lead out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.registry import SCENES, scene
from gradviz.host.job_ending import JobEnding
from gradviz.viewer.guide.current_scene import scene_of
from gradviz.viewer.panel_context import PanelContext

if TYPE_CHECKING:
    from gradviz.viewer.guide.panel import GuidePanel


class GuideController(QObject):
    """Connects the guide with the run and the window.

    Signals:
        message_emitted: A sentence on a link that could only be followed in part, and its severity.
    """

    message_emitted = Signal(str, str)

    def __init__(self, context: PanelContext) -> None:
        super().__init__(context.window)
        self._state, self._background = context.state, context.background
        self._dock, self._requests = context.dock, context.requests
        actions, dock, session = context.actions, context.dock, context.session
        self._panel: GuidePanel | None = None
        self._awaited: tuple[str, Callable[[], None]] | None = None
        actions.show_guide.triggered.connect(self._on_show_guide_triggered)
        dock.visibilityChanged.connect(self._on_dock_visibility_changed)
        session.ended.connect(self._on_session_ended)
        if dock.isVisible() and not dock.visibleRegion().isEmpty():
            self.panel()

    def panel(self) -> GuidePanel:
        """Return the panel; it is created on first use to keep start-up fast."""
        if self._panel is None:
            from gradviz.viewer.guide.panel import GuidePanel

            self._panel = GuidePanel(self._state, self._background)
            self._panel.link_pressed.connect(self._on_panel_link_pressed)
            self._dock.setWidget(self._panel)
        return self._panel

    def follow(self, kind: str, target: str) -> None:
        """Follow a link; one into the page's scene waits until the scene has run."""
        name = self.panel().name
        match kind:
            case "step":
                self._with_scene(name, lambda: self._go_to(target))
            case "check":
                self._with_scene(name, lambda: self._requests.check(int(target)))
            case "compare":
                self._with_scene(name, lambda: self._requests.compare_with_scene(target))
            case "scene":
                self._requests.run_scene(scene(target))
            case _:
                self._requests.show_part(target)

    def _with_scene(self, name: str, then: Callable[[], None]) -> None:
        """Run an action on the page's scene; on a page without a scene, on the current run."""
        self._awaited = None
        if scene_of(self._state.index) == name or not _is_scene(name):
            then()
            return
        self._requests.run_scene(scene(name))
        self._awaited = (name, then)

    def _go_to(self, path: str) -> None:
        index = self._state.index
        if index is None:
            return
        try:
            place = position_at_path(index, path)
        except UnknownPositionError as error:
            # A run recorded without lines has no such position; its step is the nearest one.
            place = TracePosition(step=int(path.partition("/")[0]))
            self.message_emitted.emit(str(error), "info")
        if place.step <= len(index.trace.steps):
            self._state.go_to_place(place)
        self._requests.show_part("graph")

    @Slot()
    def _on_show_guide_triggered(self) -> None:
        self._dock.show()
        self._dock.raise_()
        self.panel().browser.setFocus()

    @Slot(bool)
    def _on_dock_visibility_changed(self, visible: bool) -> None:
        if visible:
            self.panel()

    @Slot(str, str)
    def _on_panel_link_pressed(self, kind: str, target: str) -> None:
        self.follow(kind, target)

    @Slot(str, object)
    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        awaited, self._awaited = self._awaited, None
        if awaited is not None and activity == "running":
            name, then = awaited
            if scene_of(self._state.index) == name:
                then()


def _is_scene(name: str) -> bool:
    return name in {each.id for each in SCENES}
