"""What all windows of the program share: children, preferences, the look, recent files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from gradviz.viewer.faults.action_log import ActionLog
from gradviz.viewer.files.recent_files import RecentFiles
from gradviz.viewer.look.themes import Themes
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.running.own_folder import OwnFolder
from gradviz.viewer.smooth import Smooth

if TYPE_CHECKING:
    from gradviz.protocol.messages import Ready
    from gradviz.viewer.running.host_bridge import HostBridge, Starter


class Commons(QObject):
    """Made before the first window, closed after the last."""

    def __init__(self, app: QApplication, *, stored: bool = True) -> None:
        """Reads what is stored, and gives the application its look.

        Args:
            app: The application.
            stored: Whether what is preferred is read and written.
        """
        super().__init__()
        self._bridge: HostBridge | None = None
        self.preferences = Preferences(self, stored=stored)
        self.themes = Themes(app, self.preferences, self)
        self.recent = RecentFiles(self, stored=stored)
        self.folder = OwnFolder()
        self.log = ActionLog(self)
        self.smooth = Smooth(self)

    def host(self) -> HostBridge:
        """The way to the children; asked for the first time, it starts the first one."""
        if self._bridge is None:
            from gradviz.viewer.running.host_bridge import HostBridge

            self._bridge = HostBridge(_make_pool, self)
        return self._bridge

    def facts(self) -> str:
        """What a report of a crash says beside the error."""
        from gradviz.viewer.window.about import versions_text

        ready = None if self._bridge is None else self._bridge.last_ready
        versions = versions_text("" if ready is None else ready.torch)
        return f"{versions}\n\nLast commands:\n{self.log.text() or 'none'}\n"

    def close(self) -> None:
        """Ends all children and removes the temporary files."""
        self.smooth.release()
        if self._bridge is not None:
            self._bridge.close()
        self.folder.remove()
        self.deleteLater()


def _make_pool(on_ready: Callable[[Ready], None]) -> Starter:
    from gradviz.host.pool import Pool

    return Pool(on_ready=on_ready)
