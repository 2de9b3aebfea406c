"""A user who runs scenes and files, steps through them, and looks at everything."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from gradviz.gallery.registry import SCENES, offer_of
from gradviz.host.job_ending import JobEnding
from gradviz.viewer.app import WindowRegistry
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.what_if.controller import WhatIfController
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController
from tests.soak.looks import LOOKS, SLOW_LOOKS, close_dialogs

_HOSTILE = Path(__file__).parents[1] / "data" / "hostile"
_FAILING = ("exceptions.py", "process_exits.py")
_MOST_S, _PAUSE_S, _REST_S = 120.0, 0.005, 11.0
_PAINTED = 0.25
"""Share of the steps after which the window is painted."""
_STEPS = {
    "next": 40,
    "previous": 25,
    "into": 8,
    "out": 6,
    "first": 2,
    "last": 2,
    "run_to_next_breakpoint": 2,
    "run_to_previous_breakpoint": 2,
    "toggle_breakpoint": 1,
    "play": 1,
    "level": 4,
    "anywhere": 7,
}
"""Commands that step, and how often each is chosen."""


class SoakUser:
    """Uses one window all the time, and others for a while.

    Args:
        app: The application.
        registry: Opens windows; its children are counted.
        folder: Gets one trace, which is opened again and again.
        seed: Another seed gives another order of everything.

    Attributes:
        endings: How the jobs of child processes ended.
        runs: Number of runs so far.
        steps: Number of commands so far that changed the position.
        windows: Number of further windows so far.
    """

    def __init__(
        self, app: QApplication, registry: WindowRegistry, folder: Path, seed: int
    ) -> None:
        self._app, self._registry = app, registry
        self._random = random.Random(seed)
        self._trace = folder / "kept.gradviz"
        self.endings: Counter[str] = Counter()
        self._ways: dict[Callable[[], None], int] = {
            self._run_scene: 12,
            self._check: 2,
            self._compare: 2,
            self._change: 2,
            self._fail: 2,
            self._cancel: 2,
            self._run_too_long: 1,
        }
        self.runs = self.steps = self.windows = 0
        self._place = registry.open()
        self._wait()
        self._place.session.bridge.ended.connect(self._on_bridge_ended)
        self._place.session.save(self._trace)
        self._wait()

    def try_everything(self) -> None:
        """Do each thing once, so that all that is created on first use exists."""
        for way in self._ways:
            way()
            self._wait()
        for look in LOOKS.values():
            look(self._place, self._random)
            self._wait()
            close_dialogs()
        self.use_other_window(10)
        self.runs = self.steps = self.windows = 0
        self.endings.clear()

    def run(self) -> str:
        """Run something in one of the ways there are; return which."""
        (way,) = self._random.choices(list(self._ways), list(self._ways.values()))
        way()
        self._wait()
        self.runs += 1
        return str(way.__name__).strip("_")

    def step(self, count: int, place: WindowController | None = None) -> None:
        """Step forward, back, in, out and anywhere else, until the position changed often enough.

        Args:
            count: How often.
            place: The window; the one that is always open by default.
        """
        place = place or self._place
        state, commands = place.state, place.window.commands
        until, tries = self.steps + count, 4 * count + 40
        while self.steps < until and tries and state.count > 1:
            tries -= 1
            (name,) = self._random.choices(list(_STEPS), list(_STEPS.values()))
            before = state.place, state.level
            if name == "level":
                self._random.choice(commands.levels.actions()).trigger()
            elif name == "anywhere":
                state.go_to(self._random.randint(1, state.count))
            else:
                getattr(commands, name).trigger()
            self.steps += (state.place, state.level) != before
            # A key that is held down steps faster than the window paints.
            if self._random.random() < _PAINTED:
                self._app.processEvents()
        self._wait()

    def look(self) -> str:
        """Look at a part of the window; return which."""
        return self._look_at(self._place)

    def _look_at(self, place: WindowController) -> str:
        name = self._random.choice(list(LOOKS))
        if name in SLOW_LOOKS and self._random.random() < 0.8:
            name = self._random.choice(list(LOOKS))
        LOOKS[name](place, self._random)
        self._wait()
        close_dialogs()
        return name

    def use_other_window(self, steps: int) -> None:
        """Open a second window with a trace or the first scene, step in it and close it."""
        paths = () if self._random.random() < 0.2 else (self._trace,)
        place = self._registry.open(paths)
        self._wait()
        self.step(steps, place)
        self._look_at(place)
        place.window.commands.close.trigger()
        self._wait()
        self.windows += 1

    def done_text(self) -> str:
        """How much was done so far."""
        return f"{self.runs:,} runs, {self.steps:,} steps, {self.windows:,} windows"

    def rest(self) -> None:
        """Leave the window in the same state each time, so that samples can be compared."""
        commands, place = self._place.window.commands, self._place
        for toggle in (commands.present, commands.quiz_mode):
            _check(toggle, False)
        commands.clear_breakpoints.trigger()
        place.window.top.show_tab(TABS[0])
        _named(commands.themes.actions(), "light").trigger()
        _named(commands.depths.actions(), "lines").trigger()
        _named(commands.levels.actions(), "node").trigger()
        place.window.parts[RunController].open_path(self._trace)
        self._wait()
        place.state.first_step()
        place.window.resize(1280, 800)
        self._wait()
        close_dialogs()
        # A spare starts a moment after a job, and what was frozen is collected after a pause.
        self._work(_REST_S)
        for _ in range(3):
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            self._app.processEvents()

    def _run_scene(self) -> None:
        depths = self._place.window.commands.depths.actions()
        if self._random.random() < 0.2:
            self._random.choice(depths).trigger()
        self._place.window.parts[RunController].run_offer(offer_of(self._random.choice(SCENES)))

    def _check(self) -> None:
        self._run_scene()
        self._wait()
        self._place.requests.check(self._random.choice((1, 1, 2)))

    def _compare(self) -> None:
        self._run_scene()
        self._wait()
        self._place.requests.compare_with_scene(self._random.choice(SCENES).id)

    def _change(self) -> None:
        """Change a value with What If, step through the changed run, and go back."""
        self._run_scene()
        self._wait()
        controller = self._place.window.parts[WhatIfController]
        found = controller.finder.at_current_step()
        subject = controller.finder.subject(found[0]) if found else None
        if subject is None or not subject.can_fill:
            return
        controller.change(found[0])
        controller.panel.change_applied.emit(subject.filled(self._random.choice((0.0, 1.0, 2.0))))
        self._place.window.commands.run_changed.trigger()
        self._wait()
        self.step(5)
        if self._random.random() < 0.7:
            self._place.window.commands.back_to_original.trigger()

    def _fail(self) -> None:
        """Run a file that raises or ends its process."""
        path = _HOSTILE / self._random.choice(_FAILING)
        self._place.window.parts[RunController].open_path(path)
        self._wait()
        self._pick_offer_of(path)

    def _cancel(self) -> None:
        self._run_scene()
        self._work(self._random.uniform(0.0, 0.5))
        self._place.window.commands.stop.trigger()

    def _run_too_long(self) -> None:
        preferences = self._place.state.preferences
        before, ended = preferences.time_limit_s, self.endings["timed_out"]
        preferences.time_limit_s = 2
        try:
            self._place.window.parts[RunController].open_path(_HOSTILE / "loop.py")
            # Between listing the file and running it, the window is at rest for a moment.
            self._wait(lambda: self.endings["timed_out"] > ended)
        finally:
            preferences.time_limit_s = before
        # A check of the endless loop would last until the usual limit.
        self._place.window.parts[RunController].open_path(self._trace)

    def _pick_offer_of(self, path: Path) -> None:
        """Run another of a file's offers, as a click in the library does."""
        library = self._place.window.library
        offers = [each.offer for each in library.entries() if each.path == path and each.offer]
        if offers:
            library.picked.emit(self._random.choice(offers))

    def _wait(self, and_until: Callable[[], bool] = lambda: True) -> None:
        until = time.monotonic() + _MOST_S
        while not (all(map(_at_rest, self._registry.places)) and and_until()):
            if time.monotonic() > until:
                busy = "; ".join(map(_describe, self._registry.places))
                raise TimeoutError(f"a window was busy for {_MOST_S:.0f} s: {busy}")
            self._work(_PAUSE_S)
        self._work(0.0)

    def _work(self, seconds: float) -> None:
        """Let the event loop run, for a moment at least."""
        until = time.monotonic() + seconds
        while True:
            self._app.processEvents()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            if time.monotonic() >= until:
                return
            time.sleep(_PAUSE_S)

    def _on_bridge_ended(self, number: int, ending: JobEnding) -> None:
        self.endings[ending.kind] += 1


def _at_rest(place: WindowController) -> bool:
    if not place.is_complete:
        return False
    parts = place.window.parts
    idle = place.session.activity == "idle" and not place.background.busy
    return idle and parts[GraphPanel].is_settled and not parts[CompareLauncher].busy


def _describe(place: WindowController) -> str:
    session, parts = place.session, place.window.parts
    facts = {
        "complete": place.is_complete,
        "activity": session.activity,
        "background": place.background.busy,
        "settled": parts[GraphPanel].is_settled,
        "compares": parts[CompareLauncher].busy,
        "message": place.window.messages.text,
    }
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def _check(action: QAction, checked: bool) -> None:
    if action.isChecked() != checked:
        action.trigger()


def _named(actions: list[QAction], name: str) -> QAction:
    return next(each for each in actions if each.data() == name)
