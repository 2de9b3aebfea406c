"""Everything that a window needs, made in the order in which it starts quickest."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from gradviz.host.limits import Limits
from gradviz.host.pool import Pool
from gradviz.protocol.messages import Ready
from gradviz.viewer.background import Background
from gradviz.viewer.host_bridge import HostBridge, Starter
from gradviz.viewer.main_window import MainWindow
from gradviz.viewer.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import Choice, apply_theme, chosen_theme, load_fonts
from gradviz.viewer.theme_control import ThemeControl


def make_application(arguments: list[str]) -> QApplication:
    """The one application of this process, with our name and fonts."""
    found = QCoreApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication(["gradviz", *arguments])
    app.setApplicationName("gradviz")
    app.setOrganizationName("gradviz")
    app.setApplicationDisplayName("gradviz")
    app.setDesktopFileName("gradviz")
    load_fonts()
    return app


class Workplace:
    """A window with its state, session and background."""

    def __init__(
        self,
        app: QApplication,
        choice: Choice,
        limits: Limits | None = None,
        *,
        remember: bool = True,
    ) -> None:
        """Makes everything; the window is not shown yet.

        Args:
            app: The application.
            choice: Which theme.
            limits: What children may use; the host's defaults if left out.
            remember: Whether the window's layout is restored now and stored at the end.
        """
        # First of all: the child imports torch while the window is built.
        self.bridge = HostBridge(_make_pool)
        theme = chosen_theme(choice, app)
        apply_theme(app, theme)
        self.state = ViewerState(theme)
        self.background = Background()
        self.session = Session(self.state, self.background, self.bridge, limits)
        self.window = MainWindow(self.state, self.background, self.session, remember=remember)
        self.themes = ThemeControl(app, self.state, self.window.commands, choice, self.window)

    def close(self) -> None:
        """Closes the window, waits for everything under way, and lets go of it all."""
        self.window.close()
        for each in (self.window, self.session, self.background, self.bridge, self.state):
            each.deleteLater()


def _make_pool(on_ready: Callable[[Ready], None]) -> Starter:
    return Pool(on_ready=on_ready)
