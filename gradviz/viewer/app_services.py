"""Services shared by all windows: child processes, preferences, theme, recent files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from gradviz.viewer.faults.crash_report import ActionLog
from gradviz.viewer.files.recent_files import RecentFiles
from gradviz.viewer.gc_policy import GcPolicy
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.temporary_traces import ProcessFolder
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.theme.theme_controller import AppTheme

if TYPE_CHECKING:
    from gradviz.protocol.messages import Ready
    from gradviz.viewer.session.host_bridge import HostBridge, Starter


class AppServices(QObject):
    """Services shared by all windows, created before the first and closed after the last."""

    def __init__(
        self, app: QApplication, *, stored: bool = True, theme: ThemeChoice | None = None
    ) -> None:
        """Read the stored settings and apply the theme to the application.

        Args:
            app: The application.
            stored: Whether to read and write settings on disk.
            theme: Theme for now, instead of the preferred one.
        """
        super().__init__()
        self._bridge: HostBridge | None = None
        self.preferences = Preferences(self, stored=stored, theme=theme)
        self.themes = AppTheme(app, self.preferences, self)
        self.recent = RecentFiles(self, stored=stored)
        self.folder = ProcessFolder()
        self.log = ActionLog(self)
        self.gc_policy = GcPolicy(self)

    def host(self) -> HostBridge:
        """Return the bridge to the child processes; the first call starts the first child."""
        if self._bridge is None:
            from gradviz.viewer.session.host_bridge import HostBridge

            self._bridge = HostBridge(_make_pool, self)
        return self._bridge

    def facts(self) -> str:
        """Return the details added to a crash report: versions and the last commands."""
        from gradviz.viewer.window.about_dialog import versions_text

        ready = None if self._bridge is None else self._bridge.last_ready
        versions = versions_text("" if ready is None else ready.torch)
        return f"{versions}\n\nLast commands:\n{self.log.text() or 'none'}\n"

    def close(self) -> None:
        """End all child processes and remove the temporary files."""
        self.gc_policy.release()
        if self._bridge is not None:
            self._bridge.close()
        self.folder.remove()
        self.deleteLater()


def _make_pool(on_ready: Callable[[Ready], None]) -> Starter:
    from gradviz.host.pool import ChildPool

    return ChildPool(on_ready=on_ready)
