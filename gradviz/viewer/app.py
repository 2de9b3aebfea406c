"""Starts the application and shuts it down cleanly."""

from __future__ import annotations

import signal
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from gradviz.analysis.position.view_target import ViewTarget
from gradviz.host.interruption import ENDING_SIGNALS
from gradviz.store.rank_files import one_of_each_program
from gradviz.viewer.app_services import AppServices
from gradviz.viewer.faults.crash_report import CrashReport, read_last_crash
from gradviz.viewer.faults.exception_hook import ExceptionHook
from gradviz.viewer.faults.qt_messages import LostDisplay
from gradviz.viewer.questions import Asker, Questions
from gradviz.viewer.session.temporary_traces import remove_stale
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.translation import install_language, translate
from gradviz.viewer.window_controller import WindowController, make_application

MOST = 9
"""Once this many windows are open, further files do not open new ones."""

_SHIFT = QPoint(28, 28)
"""Offset between windows, so that none covers another."""


_PULSE_MS = 250
_DIALOG_MS = 20
"""Time for a dialog that was closed to leave its event loop."""


class Termination(QObject):
    """Handles signals until `stop` is called.

    A signal closes the windows, which may ask about unsaved work. Another one, or one while such a
    question is open, ends the process without an answer.
    """

    def __init__(
        self, close_windows: Callable[[], object], is_asking: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._close_windows = close_windows
        self._is_asking = is_asking
        self._is_closing = False
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._on_soon_timeout)
        for number in ENDING_SIGNALS:
            # A signal that is ignored, as by nohup, stays so.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)
        # Python handles signals only while it runs bytecode, so wake it regularly.
        self._pulse = QTimer(self)
        self._pulse.timeout.connect(lambda: None)
        self._pulse.start(_PULSE_MS)

    def stop(self) -> None:
        """End the process at once on further signals."""
        self._pulse.stop()
        for number in ENDING_SIGNALS:
            if signal.getsignal(number) == self._on_signal:
                signal.signal(number, signal.SIG_DFL)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._is_closing or self._is_asking():
            # By convention 128 plus the number of the signal. This also ends a dialog's event loop.
            QCoreApplication.exit(128 + number)
        else:
            self._is_closing = True
            # Not here, in the middle of any other code.
            self._soon.start(0)

    @Slot()
    def _on_soon_timeout(self) -> None:
        dialog = QApplication.activeModalWidget()
        if dialog is not None and dialog.close():
            self._soon.start(_DIALOG_MS)
            return
        self._close_windows()
        self._is_closing = False


class WindowRegistry(QObject):
    """Opens windows, disposes of closed ones, and opens all again in another language.

    Signals:
        all_closed: The last window was closed.
    """

    all_closed = Signal()

    def __init__(self, app: QApplication, services: AppServices) -> None:
        super().__init__()
        self._app = app
        self._services = services
        self._places: list[WindowController] = []
        self._asker = Asker(self)
        services.preferences.changed.connect(self._on_preferences_changed)

    @property
    def places(self) -> tuple[WindowController, ...]:
        """The open windows' controllers, the oldest first."""
        return tuple(self._places)

    def open(
        self,
        paths: Sequence[Path] = (),
        target: ViewTarget | None = None,
        size: tuple[int, int] | None = None,
    ) -> WindowController:
        """Show a new window.

        Args:
            paths: Files to open, one after the other; if empty, run the first scene.
            target: A view to show instead.
            size: Width and height in pixels; None for those of the last window.
        """
        place = WindowController(self._app, services=self._services, at_once=False)
        window = place.window
        if self._places:
            window.move(self._places[-1].window.pos() + _SHIFT)
        if size is not None:
            window.resize(*size)
        self._places.append(place)
        window.closed.connect(self._on_window_closed)
        window.window_requested.connect(self._on_window_wanted)
        window.quit_requested.connect(self.close_all)
        window.show_on_screen()
        # Build the rest after the first frame, so that the window appears at once.
        QTimer.singleShot(0, window, partial(self._go_on, place, paths, target))
        return place

    def open_each(
        self,
        paths: Sequence[Path],
        target: ViewTarget | None = None,
        size: tuple[int, int] | None = None,
    ) -> None:
        """Show one window for each file; without files, one with a view or the first scene.

        Traces of the same program's ranks share a window.
        """
        paths = tuple(one_of_each_program(paths))
        self.open(paths[:1], target, size)
        self._on_window_wanted(paths[1:])

    def close_all(self) -> None:
        """Close the windows, one after the other, until one is to stay for its unsaved work."""
        if not self.is_asking:
            self._asker.ask(self._settle_and_close(), bool)

    @property
    def is_asking(self) -> bool:
        """Whether a question before closing is open."""
        askers = [self._asker, *(place.window.asker for place in self._places)]
        return any(each.is_asking for each in askers)

    def _settle_and_close(self) -> Questions:
        for place in self.places:
            if not (yield from place.window.questions()):
                return False
            place.window.close_unasked()
        return True

    def _settle(self) -> Questions:
        for place in self.places:
            if not (yield from place.window.questions()):
                return False
        return True

    def close_unasked(self) -> None:
        """Close every window, as nobody can be asked when the event loop has ended."""
        for place in self.places:
            place.window.close_unasked()

    def _on_preferences_changed(self, name: str) -> None:
        if name == "language":
            # Later, since the dialog that is still handling the choice closes with its window.
            ask = partial(self._asker.ask, self._settle(), self._change_language)
            QTimer.singleShot(0, self, ask)

    def _change_language(self, is_settled: bool) -> None:
        """Open every window again, as most texts are set where a widget is created."""
        places = self.places
        if not is_settled:
            text = translate("App", "The language changes when gradviz is started again.")
            places[0].window.messages.say(text, "info")
            return
        install_language(self._app, self._services.preferences.language)
        self._services.host().replace_spare()
        for place in places:
            self._reopen(place)

    def _reopen(self, place: WindowController) -> None:
        """Replace a window by a new one that shows the same."""
        view, old = place.window.view(), place.window
        paths, target = ([view], None) if isinstance(view, Path) else ([], view)
        new = self.open(paths, target).window
        new.restoreGeometry(old.saveGeometry())
        old.close_unasked()

    def _go_on(
        self, place: WindowController, paths: Sequence[Path], target: ViewTarget | None
    ) -> None:
        """Build one part of a window's content, then return to the event loop."""
        if place not in self._places:
            return
        window = place.window
        if not place.assemble_next():
            window.start(list(paths), target)
            return
        if window.starts_with_recording(paths, target):
            # The panels that are still missing would delay the first scene and cannot be seen.
            build = partial(self._build_rest, place)
            window.skeleton_ended.connect(lambda: QTimer.singleShot(0, window, build))
            window.start([])
        else:
            QTimer.singleShot(0, window, partial(self._go_on, place, paths, target))

    def _build_rest(self, place: WindowController) -> None:
        """Build the parts that are missing while a scene is shown, one per event."""
        if place in self._places and place.assemble_next():
            QTimer.singleShot(0, place.window, partial(self._build_rest, place))

    def _on_window_wanted(self, paths: tuple[Path, ...] | None) -> None:
        """Open a window for each file; None means one window with the first scene."""
        if paths is None:
            self.open()
            return
        for path in paths[: MOST - len(self._places)]:
            self.open((path,))

    def _on_window_closed(self) -> None:
        window = self.sender()
        for place in self.places:
            if place.window is window:
                self._places.remove(place)
                # Later, since the window is still handling its close event.
                QTimer.singleShot(0, self, place.close)
        if not self._places:
            self.all_closed.emit()


_TIDY_MS = 1500
"""Late enough not to delay the first scene."""


def run_app(
    paths: Sequence[Path] = (),
    target: ViewTarget | None = None,
    *,
    theme: ThemeChoice | None = None,
    size: tuple[int, int] | None = None,
) -> int:
    """Open the windows and run the event loop until the last one is closed.

    Args:
        paths: Python files and traces to open, one window each; if empty, run the first scene.
        target: A view to show in the first window instead.
        theme: Theme for now; None for the preferred one.
        size: Width and height of the first window in pixels; None for those of the last one.

    Returns:
        The exit code.
    """
    app = make_application([])
    hook = ExceptionHook()
    hook.install()
    services = AppServices(app, theme=theme)
    hook.facts = services.facts
    faults, display = CrashReport(services.folder.path), LostDisplay()
    display.install()
    windows = WindowRegistry(app, services)
    windows.open_each(list(paths), target, size)
    QTimer.singleShot(_TIDY_MS, windows, lambda: _tidy_up(windows))
    termination = Termination(windows.close_all, lambda: windows.is_asking, windows)
    code = app.exec()
    termination.stop()
    windows.close_unasked()
    app.sendPostedEvents()
    app.processEvents()
    display.remove()
    faults.close()
    services.close()
    hook.remove()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code


def _tidy_up(windows: WindowRegistry) -> None:
    """Remove the folders of crashed processes and point to the crash report, if any."""
    kept: list[Path] = []

    def keep(folder: Path) -> None:
        report = read_last_crash(folder)
        if report is not None:
            kept.append(report)

    remove_stale(keep)
    if kept and windows.places:
        text = translate("App", "gradviz ended unexpectedly last time. The crash report is at {0}.")
        windows.places[0].window.messages.say(text.format(str(kept[-1])), "warning")
