"""Everything that a window needs, made in the order in which it starts quickest."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication

from gradviz.host.limits import Limits
from gradviz.resource import resource_path
from gradviz.viewer.background import Background
from gradviz.viewer.commons import Commons
from gradviz.viewer.main_window import MainWindow
from gradviz.viewer.presenter.presenter import Presenter
from gradviz.viewer.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme import Choice, load_fonts
from gradviz.viewer.theme_control import ThemeControl

_ICON_SIZES = (16, 32, 64, 256)


def make_application(arguments: list[str]) -> QApplication:
    """The one application of this process, with our name and fonts."""
    found = QCoreApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication(["gradviz", *arguments])
    app.setApplicationName("gradviz")
    app.setOrganizationName("gradviz")
    app.setApplicationDisplayName("gradviz")
    app.setDesktopFileName("gradviz")
    app.setWindowIcon(_icon())
    load_fonts()
    return app


def _icon() -> QIcon:
    icon = QIcon()
    for size in _ICON_SIZES:
        icon.addFile(str(resource_path(f"desktop/gradviz-{size}.png")), QSize(size, size))
    return icon


class Workplace:
    """A window with its state, session and background."""

    def __init__(
        self,
        app: QApplication,
        choice: Choice | None = None,
        limits: Limits | None = None,
        *,
        remember: bool = True,
        commons: Commons | None = None,
    ) -> None:
        """Makes everything; the window is not shown yet.

        Args:
            app: The application.
            choice: Which theme, from now on; None for the one that is preferred.
            limits: What children may use; what is preferred if left out.
            remember: Whether the window's layout is restored now and stored at the end.
            commons: What it shares with other windows; its own if left out.
        """
        self._own = Commons(app, stored=remember) if commons is None else None
        self.commons = commons or self._own or Commons(app)
        if choice is not None:
            self.commons.preferences.set_theme(choice)
        themes = self.commons.themes
        self.state = ViewerState(themes.theme, preferences=self.commons.preferences)
        self.background = Background()
        self.session = Session(self.state, self.background, self.commons, limits)
        self.window = MainWindow(
            self.state, self.background, self.session, self.commons.recent, remember=remember
        )
        self.commons.log.listen(self.window.commands.findChildren(QAction))
        self.themes = ThemeControl(themes, self.state, self.window.commands, self.window)
        self.presenter = Presenter(self.window, self.themes)

    def close(self) -> None:
        """Closes the window, waits for everything under way, and lets go of it all."""
        self.window.close()
        if self._own is not None:
            self._own.close()
        for each in (self.window, self.session, self.background, self.state):
            each.deleteLater()
