"""The command that copies a link to the current view."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from gradviz.analysis.position.position_paths import position_path
from gradviz.analysis.position.view_target import ViewTab, ViewTarget, view_command
from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.actions import Actions
from gradviz.viewer.inputs.remembered_inputs import inputs_of
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar
from gradviz.viewer.window.top_bar import TABS, TopBar


class LinkCommands(QObject):
    """Copies the command that shows this step again, here or on another machine.

    Only a scene with its own inputs and a trace file can be shown again by a command.
    """

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        actions: Actions,
        widgets: tuple[TopBar, MessageBar],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._action = actions.copy_link
        self._top, self._messages = widgets
        self._action.triggered.connect(self._on_copy_link_triggered)
        session.offer_changed.connect(self._on_session_offer_changed)
        self._on_session_offer_changed(session.offer)

    @property
    def tab(self) -> ViewTab:
        """The central tab that is shown."""
        return TABS[self._top.tabs.currentIndex()]

    def target(self) -> ViewTarget | None:
        """The current view; None if no command can show it again."""
        place, offer, path = self._state.place, self._session.offer, self._session.trace_path
        if place is None or path is None or self._session.baseline is not None:
            return None
        step, tab = position_path(place), self.tab
        if offer is None:
            return ViewTarget(trace=str(path), step=step, tab=tab)
        named = offer.subject.scene
        if not named or inputs_of(offer) != inputs_of(offer_of(scene(named))):
            return None
        return ViewTarget(scene=named, step=step, tab=tab)

    def _on_session_offer_changed(self, offer: object) -> None:
        self._action.setEnabled(self.target() is not None)

    def _on_copy_link_triggered(self) -> None:
        target = self.target()
        if target is not None:
            command = view_command(target)
            QGuiApplication.clipboard().setText(command)
            self._messages.say(self.tr("Copied: {0}").format(command), "info")
