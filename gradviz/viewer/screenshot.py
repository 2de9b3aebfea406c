"""Renders the real window, off screen, to image files."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QEventLoop, QSize, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.gallery.registry import SCENES, offer_of, scene
from gradviz.host.interruption import DeferredSignals
from gradviz.viewer.faults.qt_messages import QuietOffscreen
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController, make_application

# The panels are imported inside functions, so that the child imports torch at the same time.
if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.analysis.position.view_target import ViewTab, ViewTarget
    from gradviz.host.limits import Limits
    from gradviz.model.inputs import Offer

FIRST_SCENES = 3
SIZE, DEFAULT_SIZE = (1440, 900), (1280, 800)
_WAKE_MS = 10


def write_tour(folder: Path, paths: Sequence[Path] = ()) -> Iterator[Path]:
    """Run files, or the first scenes, and render the window at their main steps.

    Args:
        folder: Folder for the PNG files.
        paths: Python files and traces; if empty, run the first scenes.

    Yields:
        The path of each picture, as soon as it is written.

    Raises:
        ScreenshotError: If a source cannot be run or opened.
    """
    sources: list[str | Path] = [*paths] or [each.id for each in SCENES[:FIRST_SCENES]]
    with WindowCapture("light", SIZE) as photographer:
        for source in sources:
            photographer.load(source)
            index = photographer.place.state.index
            name = source.stem if isinstance(source, Path) else source
            for number in main_steps(index) if index is not None else ():
                photographer.go_to(number)
                yield photographer.take(folder / f"{name}-step-{number}.png")


def write_view(
    folder: Path,
    target: ViewTarget,
    theme: ThemeChoice = "light",
    size: tuple[int, int] = DEFAULT_SIZE,
) -> Iterator[Path]:
    """Render the window at one view, in a theme and with a size in pixels.

    Yields:
        The path of the picture.

    Raises:
        ScreenshotError: If the run cannot be shown, or has no such place.
    """
    yield take_screenshot(
        target.offer or target.scene or Path(target.trace),
        step=target.step or None,
        tab=target.tab or "graph",
        theme=theme,
        size=size,
        out=folder / "view.png",
    )


def main_steps(index: TraceIndex) -> tuple[int, ...]:
    """Return the first custom forward, first custom backward, error and last step."""
    from gradviz.model.step import ErrorStep, ForwardStep, NodeStep

    steps = index.trace.steps
    forward = next((s.number for s in steps if isinstance(s, ForwardStep) and s.call), None)
    backward = next(
        (
            step.number
            for step in steps
            if isinstance(step, NodeStep) and index.node[step.node].kind == "custom"
        ),
        None,
    )
    error = next((step.number for step in steps if isinstance(step, ErrorStep)), None)
    wanted = (forward, backward, error, len(steps) or None)
    return tuple(sorted({number for number in wanted if number is not None}))


PATIENCE_S = 300.0
"""How long the window may take besides the time limit of a run that was asked for."""


class ScreenshotError(Exception):
    """No picture could be made; the message is one sentence for people."""


def take_screenshot(
    source: str | Path | Offer,
    *,
    step: int | str | None = None,
    tab: ViewTab = "graph",
    compare_with: Path | Offer | None = None,
    theme: ThemeChoice = "light",
    size: tuple[int, int] = DEFAULT_SIZE,
    out: Path,
    limits: Limits | None = None,
) -> Path:
    """Render the window to a PNG file.

    Args:
        source: Id of a scene or entry of a file to run, or path of a trace to open.
        step: Number of the step, or a position path such as ``5/backward/line2``; None for the
            last step.
        tab: Tab to show; with ``jacobians`` a scene is also checked.
        compare_with: For ``compare``: path of the trace on the right, or the code to run there.
        theme: Light or dark.
        size: Width and height in pixels.
        out: The file to write.
        limits: What runs may use; None for the preferred limits.

    Raises:
        ScreenshotError: If the source cannot be run or opened, or has no such step.
    """
    with WindowCapture(theme, size, limits) as photographer:
        photographer.load(source)
        if isinstance(step, str):
            photographer.go_to_place(step)
        else:
            photographer.go_to(step)
        if tab == "jacobians":
            photographer.show_jacobians(check=not isinstance(source, Path))
        if tab == "compare":
            photographer.show_compare(compare_with)
        if tab in ("graph", "training"):
            photographer.show_graph(training=tab == "training")
        return photographer.take(out)


class WindowCapture:
    """An off-screen window for taking a series of pictures.

    Attributes:
        place: The window with its state and session.
    """

    def __init__(
        self,
        theme: ThemeChoice = "light",
        size: tuple[int, int] = DEFAULT_SIZE,
        limits: Limits | None = None,
    ) -> None:
        # The time limit of a run ends it before the patience with the window ends.
        self._patience_s = PATIENCE_S + ((limits.time_s or 0) if limits is not None else 0)
        # PySide swallows what their handlers raise inside of a slot.
        self._signals = DeferredSignals().__enter__()
        self._messages = QuietOffscreen()
        self._messages.install()
        self._app = make_application([])
        self.place = WindowController(self._app, theme, remember=False, limits=limits)
        self._window = self.place.window
        self._window.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
        self._window.resize(*size)
        self._window.show()
        self._size = QSize(*size)

    def load(self, source: str | Path | Offer) -> None:
        """Run a scene by its id or an entry of a file, or open a file.

        Raises:
            ScreenshotError: If there is nothing to show afterwards.
        """
        from gradviz.viewer.session.run_controller import RunController

        if isinstance(source, Path):
            self._window.parts[RunController].open_path(source)
        else:
            offer = offer_of(scene(source)) if isinstance(source, str) else source
            run = self._window.parts[RunController]
            (run.run_offer if offer.subject.scene else run.run_entry)(offer)
        self._wait_for_rest()
        if self.place.state.index is None:
            raise ScreenshotError(self._window.messages.text or f"{source} has nothing to show.")

    def go_to(self, step: int | None) -> None:
        """Go to a step; None for the last one.

        Raises:
            ScreenshotError: If there is no such step.
        """
        state = self.place.state
        number = state.count if step is None else step
        if step is not None and not 1 <= step <= state.count:
            raise ScreenshotError(f"Step {step} does not exist: the run has {state.count} steps.")
        state.go_to(number)

    def go_to_place(self, path: str) -> None:
        """Go to a position and set the stepping level to that of the position.

        Args:
            path: For example ``5/backward/line2``.

        Raises:
            ScreenshotError: If there is no such position.
        """
        from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path

        state = self.place.state
        assert state.index is not None
        try:
            place = position_at_path(state.index, path)
        except UnknownPositionError as error:
            raise ScreenshotError(str(error)) from None
        state.go_to_place(place, place.level)

    def show_graph(self, *, training: bool = False) -> None:
        """Show the Graph tab, or the Training tab, which has the graph below the curves."""
        self._window.top.show_tab("training" if training else "graph")
        self._wait_for_rest()

    def show_jacobians(self, *, check: bool, order: int = 1) -> None:
        """Show the Jacobians tab, with a fresh check or the trace's own reports."""
        from gradviz.model.check_settings import CheckSettings

        self._window.top.show_tab(TABS[1])
        if check:
            self.place.session.check(CheckSettings(), order)
            self._wait_for_rest()

    def show_compare(self, compare_with: Path | Offer | None) -> None:
        """Show two runs side by side in the Compare tab.

        Args:
            compare_with: Path of a trace, or code to run; None leaves the right side empty.
        """
        from gradviz.viewer.compare.launcher import CompareLauncher

        control = self._window.parts[CompareLauncher]
        self._window.top.show_tab(TABS[2])
        if isinstance(compare_with, Path):
            control.controller().choose_file(compare_with)
        elif compare_with is not None and compare_with.subject.scene:
            control.compare_with_scene(compare_with.subject.scene)
        elif compare_with is not None:
            control.controller().choose_offers((compare_with,))
        self._wait_for_rest()

    def take(self, out: Path) -> Path:
        """Write what the window shows to an image file.

        Raises:
            ScreenshotError: If the window cannot be that small, or the file cannot be written.
        """
        self._wait_for_rest()
        if self._window.size() != self._size:
            width, height = self._window.size().toTuple()
            raise ScreenshotError(f"The window must be at least {width}x{height} pixels.")
        image = QImage(self._size, QImage.Format.Format_RGB32)
        self._window.render(image)
        if not image.save(str(out)):
            raise ScreenshotError(f"Cannot write {out}.")
        return out

    def close(self) -> None:
        """Close the window and process the remaining deletions."""
        self.place.close()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._messages.remove()
        self._signals.__exit__()

    def _wait_for_rest(self) -> None:
        self._wait(self._at_rest)
        # Handling an event may post further ones, such as layout requests; process these as well.
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QApplication.sendPostedEvents()
        self._wait(self._at_rest)

    def _at_rest(self) -> bool:
        from gradviz.viewer.canvas.graph_panel import GraphPanel
        from gradviz.viewer.compare.launcher import CompareLauncher
        from gradviz.viewer.inspector.inspector import ValueSeriesController

        place = self.place
        idle = place.session.activity == "idle" and not place.background.busy
        settled = (
            self._window.parts[GraphPanel].is_settled
            and not self._window.parts[CompareLauncher].busy
            and self._window.parts[ValueSeriesController].is_resting
        )
        return idle and settled

    def _wait(self, condition: Callable[[], bool]) -> None:
        until = time.monotonic() + self._patience_s
        events = QEventLoop.ProcessEventsFlag.AllEvents
        # With a time limit, `processEvents` would return at once, and this loop would keep the
        # interpreter lock from the jobs that it waits for.
        timer = QTimer()
        timer.start(_WAKE_MS)
        while not condition():
            self._signals.handle()
            if time.monotonic() > until:
                raise ScreenshotError(
                    f"The window was not ready after {self._patience_s:.0f} seconds."
                )
            self._app.processEvents(events | QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        self._app.processEvents(events)

    def __enter__(self) -> WindowCapture:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
