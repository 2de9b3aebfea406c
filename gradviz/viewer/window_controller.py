"""Builds one window with everything it needs, ordered for a quick start."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSize
from PySide6.QtGui import QAction, QIcon
from PySide6.QtWidgets import QApplication

from gradviz.resource import resource_path
from gradviz.viewer.app_services import AppServices
from gradviz.viewer.gc_policy import use_single_arena
from gradviz.viewer.preferences import Preferences, leave_special_settings
from gradviz.viewer.theme.theme import APP_THEME, ThemeChoice, load_fonts
from gradviz.viewer.translation import install_language
from gradviz.viewer.window.main_window import MainWindow

if TYPE_CHECKING:
    from gradviz.host.limits import Limits
    from gradviz.viewer.background import Background
    from gradviz.viewer.presenter.presenter import Presenter
    from gradviz.viewer.session.session import Session
    from gradviz.viewer.state import ViewerState
    from gradviz.viewer.theme.theme_controller import ThemeController
    from gradviz.viewer.view_requests import ViewRequests

_ICON_SIZES = (16, 32, 64, 256)


def make_application(arguments: list[str]) -> QApplication:
    """Return the process's only application, with gradviz's name, icon, fonts and language."""
    use_single_arena()
    found = QCoreApplication.instance()
    app = found if isinstance(found, QApplication) else QApplication(["gradviz", *arguments])
    app.setApplicationName("gradviz")
    app.setOrganizationName("gradviz")
    app.setApplicationDisplayName("gradviz")
    app.setDesktopFileName("gradviz")
    app.setWindowIcon(_icon())
    load_fonts()
    leave_special_settings()
    install_language(app, Preferences().language)
    return app


def _icon() -> QIcon:
    icon = QIcon()
    for size in _ICON_SIZES:
        icon.addFile(str(resource_path(f"desktop/gradviz-{size}.png")), QSize(size, size))
    return icon


class WindowController:
    """A window with its state, session and background jobs.

    Attributes:
        window: The main window, available at once.
        is_complete: Whether everything has been built.
        state: Available once complete, like all that follow.
        requests: Carries requests from one part of the window to another.
        background: Runs slow work in threads.
        session: Runs scenes and files and opens traces.
        themes: Applies the theme to the window.
        presenter: Controls presenter mode.
    """

    state: ViewerState
    requests: ViewRequests
    background: Background
    session: Session
    themes: ThemeController
    presenter: Presenter

    def __init__(
        self,
        app: QApplication,
        choice: ThemeChoice | None = None,
        limits: Limits | None = None,
        *,
        remember: bool = True,
        services: AppServices | None = None,
        at_once: bool = True,
    ) -> None:
        """Create a window without showing it.

        Args:
            app: The application.
            choice: The new theme choice; None for the preferred one.
            limits: Resource limits of child processes; the preferred ones if left out.
            remember: Whether to restore the window's layout now and store it on closing.
            services: Services shared with other windows; its own if left out.
            at_once: Whether to build everything now; otherwise only the frame, and the rest with
                `assemble_next`.
        """
        self._own = AppServices(app, stored=remember) if services is None else None
        self.services = services or self._own or AppServices(app)
        if choice is not None:
            self.services.preferences.theme = choice
        # Its own, as it may get another scale.
        self._theme = replace(APP_THEME)
        self.window = MainWindow(self._theme, self.services.recent, remember=remember)
        self._limits = limits
        self.is_complete = False
        self._portions = self._assembly()
        if at_once:
            self.complete()

    def complete(self) -> None:
        """Build everything that is missing."""
        while self.assemble_next():
            pass

    def assemble_next(self) -> bool:
        """Build the next missing part; return whether there are more."""
        return next(self._portions, self) is not self

    def _assembly(self) -> Generator[None, None, None]:
        # First, so that the child imports torch while the rest is built.
        self.services.host()
        yield
        # A part of its own, since this import takes as long as other parts.
        import_module("numpy")
        yield
        from gradviz.viewer.background import Background
        from gradviz.viewer.state import ViewerState
        from gradviz.viewer.view_requests import ViewRequests

        services = self.services
        self.state = ViewerState(self._theme, preferences=services.preferences)
        self.requests = ViewRequests(self.state, self.state)
        self.background = Background()
        yield
        from gradviz.viewer.session.session import Session
        from gradviz.viewer.theme.theme_controller import ThemeController
        from gradviz.viewer.window.window_assembly import assemble_window

        self.session = Session(self.state, self.background, services, self._limits)
        # Before anything is drawn, as it selects the color map.
        self.themes = ThemeController(
            services.themes, self.state, self.window.commands, self.window
        )
        yield
        for each in (self.state, self.session, self.background, self.requests, services.recent):
            self.window.parts.add(each)
        yield from assemble_window(self.window)
        services.log.listen(self.window.commands.findChildren(QAction))
        from gradviz.viewer.presenter.presenter import Presenter

        self.presenter = Presenter(self.window, self.themes)
        self.is_complete = True

    def close(self) -> None:
        """Close the window unasked, wait for running work, and release all objects."""
        self._portions.close()
        self.window.close_unasked()
        if not self.window.is_assembled and hasattr(self, "session"):
            self.session.close()
        if self._own is not None:
            self._own.close()
        for name in ("window", "session", "background", "state"):
            each = getattr(self, name, None)
            if each is not None:
                each.deleteLater()
