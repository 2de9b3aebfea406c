"""Shows traces in a real window without a screen, one after the other."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from gradviz.viewer.app_services import AppServices
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.faults.qt_messages import QuietOffscreen
from gradviz.viewer.session.host_bridge import HostBridge
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController, make_application
from tests.fuzz.pool import HANGS_S

_PAUSE_S = 0.002
_MOST_CPU_S = 20.0
_MOST_S = HANGS_S - 30
"""Only for what waits without working, as other programs may take the CPU for minutes."""


class _NoPool:
    """In place of child processes: a trace needs none."""

    def start(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("a trace was run")

    def close(self) -> None:
        """Nothing to end."""


class FuzzWindow:
    """A window that stays open from case to case."""

    def __init__(self) -> None:
        QuietOffscreen().install()
        self._app = make_application([])
        services = AppServices(self._app, stored=False)
        services._bridge = HostBridge(lambda _: _NoPool(), services)  # noqa: SLF001
        self._place = WindowController(self._app, "light", remember=False, services=services)
        self._place.window.resize(1280, 800)
        self._place.window.show()
        self._errors: list[BaseException] = []

    def show(self, path: Path, damage: bytes | None = None) -> None:
        """Open a trace and look at it in every panel and tab, at some of its steps.

        Args:
            path: The trace.
            damage: What the file is overwritten with while it is open; None for nothing.

        Raises:
            BaseException: The first exception that nothing caught.
        """
        self._errors.clear()
        hooks = sys.excepthook, sys.unraisablehook
        sys.excepthook = sys.unraisablehook = self._take
        try:
            self._open(path, damage)
        finally:
            # An exception of the fuzzer itself goes to stderr.
            sys.excepthook, sys.unraisablehook = hooks
        if self._errors:
            raise self._errors[0]

    def _open(self, path: Path, damage: bytes | None) -> None:
        state, window = self._place.state, self._place.window
        window.parts[RunController].open_path(path)
        self._wait()
        if damage is not None:
            path.write_bytes(damage)
        count = state.count
        for number in sorted({1, count // 3, 2 * count // 3, count} - {0}):
            state.go_to(number)
            self._look()
        for tab in TABS[1::-1]:
            window.top.show_tab(tab)
            self._look()
        if state.index is not None and state.index.node:
            state.select(next(iter(state.index.node)))
        for _ in range(5):
            state.into()
        for dock in window.docks.all():
            dock.show()
            dock.raise_()
            self._look()

    def _look(self) -> None:
        self._wait()
        self._place.window.grab()

    def _wait(self) -> None:
        began, worked = time.monotonic(), time.process_time()
        while not self._at_rest():
            if time.process_time() - worked > _MOST_CPU_S:
                raise TimeoutError(f"the window worked for {_MOST_CPU_S:.0f} s: {self._activity()}")
            if time.monotonic() - began > _MOST_S:
                raise TimeoutError(f"the window was busy for {_MOST_S:.0f} s: {self._activity()}")
            self._app.processEvents()
            # Waiting must not count as work of the case.
            time.sleep(_PAUSE_S)
        self._app.processEvents()

    def _at_rest(self) -> bool:
        return not self._activity()

    def _activity(self) -> str:
        place = self._place
        if place.session.activity != "idle":
            return place.session.activity
        if place.background.busy:
            return "background"
        return "" if place.window.parts[GraphPanel].is_settled else "layout"

    def _take(self, *details: Any) -> None:
        for each in details:
            error = getattr(each, "exc_value", each)
            if isinstance(error, BaseException):
                self._errors.append(error)

    def close(self) -> None:
        """Close the window."""
        self._place.close()
        QApplication.processEvents()
