"""Uses a real window as a person does, and compares its pixels with a full repaint after each act.

A program of its own, since the scale factor and the platform hold for a whole process. Its argument
is JSON with `traces`, and `themes`, `places`, `motions` and `acts` to combine. It writes JSON:
`checked`, the number of comparisons, and `faults`, a line for each that found a difference.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractAnimation, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget
from shiboken6 import isValid

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.theme.theme_update import update_all_themes
from gradviz.viewer.timeline.timeline_bar import TimelineBar
from gradviz.viewer.window_controller import WindowController, make_application

Pixels = npt.NDArray[np.uint8]

PATIENCE_S = 120.0
_LONG_MS = 3000
"""Timers that run longer are no part of an act and are stopped, such as the stage's clock."""

_ROUNDS = 4
SIZE = (1280, 800)


def _pixels(image: QImage) -> Pixels:
    flat = np.frombuffer(image.constBits(), np.uint8)
    return flat.reshape(image.height(), image.width(), 4)[:, :, :3]


class Person:
    """One window, what is done in it, and what was found."""

    def __init__(self, controller: WindowController) -> None:
        self.controller, self.window = controller, controller.window
        self.state, self.actions = controller.state, controller.window.commands
        self.presenting = False
        self.checked = 0
        self.faults: list[str] = []
        self.about = ""
        self.path = Path()

    def settle(self) -> None:
        """Wait until nothing moves: no job, no layout, no animation, no short timer."""
        began, still = time.monotonic(), 0
        while still < _ROUNDS:
            # Each round lets Qt paint; its own timer for that takes 5 ms.
            QTest.qWait(15)
            moving = self._moving()
            still = 0 if moving else still + 1
            if time.monotonic() - began > PATIENCE_S:
                raise SystemExit(f"{self.about}: never at rest: {moving}")

    def _moving(self) -> str:
        compare = self.window.parts[CompareLauncher]
        if self.controller.session.activity != "idle" or self.controller.background.busy:
            return "a job"
        if compare.busy or not self.window.parts[GraphPanel].is_settled:
            return "a layout"
        for animation in self.window.findChildren(QAbstractAnimation):
            if animation.state() == QAbstractAnimation.State.Running:
                return str(animation)
        for timer in self.window.findChildren(QTimer):
            if timer.isActive() and timer.isSingleShot():
                if timer.interval() < _LONG_MS:
                    return f"{timer} of {timer.parent()}"
                timer.stop()
        return ""

    def check(self, act: str, *, anew: bool) -> None:
        """Compare the screen with itself after a full repaint of everything.

        Args:
            act: What was done.
            anew: Whether also to make anew whatever is kept for painting.
        """
        self.settle()
        for tip in QApplication.topLevelWidgets():
            # Its own time runs out at any moment.
            if tip.inherits("QTipLabel") and tip.isVisible():
                tip.hide()
                self.settle()
        seen = self._picture()
        self._repaint()
        self._compare(act, seen)
        if anew and self.window.devicePixelRatioF().is_integer():
            # Pictures and prepared lines are made for a theme. That also takes away what is shown
            # under the pointer.
            update_all_themes()
            self._repaint()
            self._compare(f"{act}, all made anew", seen)

    def _repaint(self) -> None:
        for widget in QApplication.allWidgets():
            widget.update()
        self.settle()

    def _compare(self, act: str, seen: QImage) -> None:
        whole = self._picture()
        self.checked += 1
        # Qt compares as images, which is much quicker than as arrays, and they rarely differ.
        if seen == whole:
            return
        if seen.size() != whole.size():
            self.faults.append(f"{self.about}, {act}: {seen.size()} became {whole.size()}")
            return
        rows, columns = np.nonzero((_pixels(seen) != _pixels(whole)).any(axis=2))
        box = [int(each) for each in (columns.min(), rows.min(), columns.max(), rows.max())]
        self.faults.append(f"{self.about}, {act}: {len(rows)} pixels differ, in {box}")

    def _picture(self) -> QImage:
        """The pixels of the screen; of the window where there is none."""
        seen = QGuiApplication.platformName() == "xcb"
        screen = self.window.screen()
        image = screen.grabWindow(0 if seen else self.window.winId()).toImage()
        return image.convertToFormat(QImage.Format.Format_RGB32)

    def open(self, path: Path) -> None:
        self.path = path
        self.window.parts[RunController].open_path(path)
        self.settle()

    def show_theme(self, name: str) -> None:
        self.state.preferences.theme = name
        self.settle()

    def present(self, presenting: bool) -> None:
        if presenting != self.presenting:
            self.presenting = presenting
            if presenting:
                self.controller.presenter.enter()
            else:
                self.controller.presenter.leave()
            self.settle()

    # What a person does. Each yields the name of an act that is over.

    def slow(self) -> Iterator[str]:
        self.state.go_to(1)
        for number in range(3):
            self.actions.next.trigger()
            yield f"step {number + 2} slowly"

    def fast(self) -> Iterator[str]:
        self.state.go_to(1)
        for _ in range(5):
            self.actions.next.trigger()
            QTest.qWait(60)
        yield "steps without waiting"

    def back(self) -> Iterator[str]:
        self.state.go_to(min(5, self.state.count))
        for _ in range(2):
            self.actions.previous.trigger()
            yield "a step back"

    def jump(self) -> Iterator[str]:
        for action in (self.actions.last, self.actions.first):
            action.trigger()
            yield "a jump"

    def drag(self) -> Iterator[str]:
        if self.presenting:
            # The stage has no timeline.
            return
        bar = next(each for each in self.window.findChildren(TimelineBar) if each.isVisible())
        row, left = bar.height() // 2, Qt.MouseButton.LeftButton
        QTest.mousePress(bar, left, pos=QPoint(8, row))
        for tenth in range(1, 9):
            QTest.mouseMove(bar, QPoint(tenth * bar.width() // 10, row))
            QTest.qWait(20)
        yield "dragging the timeline"
        QTest.mouseRelease(bar, left, pos=QPoint(8 * bar.width() // 10, row))
        yield "releasing the timeline"

    def pan(self) -> Iterator[str]:
        place, left = self._port, Qt.MouseButton.LeftButton
        start = place.rect().center()
        QTest.mousePress(place, left, pos=start)
        for part in range(1, 6):
            QTest.mouseMove(place, start + QPoint(31 * part, 17 * part))
            QTest.qWait(10)
        yield "panning"
        QTest.mouseRelease(place, left, pos=start + QPoint(155, 85))
        self.actions.next.trigger()
        yield "a step after panning"

    def zoom(self) -> Iterator[str]:
        for notches in (3, -7):
            for _ in range(abs(notches)):
                self._turn_wheel(1 if notches > 0 else -1)
                QTest.qWait(10)
            yield f"{notches} notches of the wheel"
            self.actions.next.trigger()
            yield f"a step after {notches} notches"
        self.actions.fit.trigger()
        yield "fitting"

    def hover(self) -> Iterator[str]:
        for at in self._cards()[:: max(1, len(self._cards()) - 1)]:
            QTest.mouseMove(self._port, at)
            yield "hovering over a card"
        QTest.mouseMove(self._port, QPoint(2, 2))
        yield "hovering over nothing"

    def hover_others(self) -> Iterator[str]:
        """All other widgets that react to a mouse that only moves, such as heat maps."""
        for widget in self.window.findChildren(QWidget):
            # What is below the pointer may make and remove others.
            alive = isValid(widget) and widget.isVisible() and widget is not self._port
            if alive and widget.hasMouseTracking() and widget.height() > 40:
                QTest.mouseMove(widget, widget.rect().center() / 2)
                QTest.mouseMove(widget, widget.rect().center())
                yield f"hovering over {type(widget).__name__}"

    def scroll(self) -> Iterator[str]:
        for area in self.window.findChildren(QAbstractScrollArea):
            alive = isValid(area) and area.isVisible() and area.viewport() is not self._port
            if alive and area.verticalScrollBar().maximum() > 0:
                for notches in (-1, -1, 1):
                    self._turn_wheel(notches, area.viewport())
                    QTest.qWait(10)
                yield f"scrolling {type(area).__name__}"

    def draw(self) -> Iterator[str]:
        """On the stage, with the pen; then move the spotlight."""
        if not self.presenting:
            return
        for action in (self.actions.pen, self.actions.spotlight):
            action.trigger()
            self.settle()
            place, left = QPoint(301, 203), Qt.MouseButton.LeftButton
            over = self.window.childAt(place) or self.window
            at = over.mapFrom(self.window, place)
            QTest.mousePress(over, left, pos=at)
            for part in range(1, 8):
                QTest.mouseMove(over, at + QPoint(13 * part, 7 * part))
                QTest.qWait(10)
            QTest.mouseRelease(over, left, pos=at + QPoint(91, 49))
            yield f"drawing with {type(over).__name__}"
            self.actions.next.trigger()
            yield f"a step under {type(over).__name__}"
            action.trigger()
            yield "no longer drawing"

    def select(self) -> Iterator[str]:
        for at in self._cards()[:1]:
            QTest.mouseClick(self._port, Qt.MouseButton.LeftButton, pos=at)
        yield "selecting a card"
        self.actions.next.trigger()
        yield "a step with a selected card"
        self.state.select(None)
        yield "selecting nothing"

    def find(self) -> Iterator[str]:
        for _ in range(4):
            self._turn_wheel(1)
        index = self.state.index
        assert index is not None
        for nodes in (frozenset(index.node), frozenset[int]()):
            self.state.show_hits(nodes)
            yield f"{len(nodes)} matches of a search"
        self.actions.fit.trigger()
        yield "fitting after a search"

    def panels(self) -> Iterator[str]:
        if self.presenting:
            return
        for name in list(self.window.sides.pinned):
            self.window.sides.title(name).pin.click()
            yield f"closing {name}"
            self.window.sides.title(name).pin.click()
            yield f"opening {name}"
        self.actions.legend.trigger()
        yield "the legend"
        self.actions.legend.trigger()
        yield "the legend again"

    def themes(self) -> Iterator[str]:
        before = self.state.preferences.theme
        for name in ("dark" if before == "light" else "light", before):
            self.state.preferences.theme = name
            yield f"the {name} theme"
            self.actions.next.trigger()
            yield f"a step in the {name} theme"

    def tabs(self) -> Iterator[str]:
        for action in (self.actions.show_jacobians, self.actions.show_compare):
            action.trigger()
            yield "another tab"
            self.actions.next.trigger()
            yield "a step in another tab"
        self.actions.show_graph.trigger()
        yield "back to the graph"

    def compare(self) -> Iterator[str]:
        self.actions.show_compare.trigger()
        self.window.parts[CompareLauncher].controller().choose_file(self.path)
        yield "a comparison"
        for _ in range(3):
            self.actions.next.trigger()
            yield "a step in Compare"
        self.actions.show_graph.trigger()
        yield "back from Compare"

    def resize(self) -> Iterator[str]:
        if self.presenting:
            self.present(False)
            yield "leaving the stage"
            self.present(True)
            yield "presenting again"
            return
        for width, height in ((1160, 677), SIZE):
            self.window.resize(width, height)
            yield f"{width} x {height}"
            self.actions.next.trigger()
            yield f"a step at {width} x {height}"

    @property
    def _port(self) -> QWidget:
        panel = self.window.parts[GraphPanel]
        return panel.view.viewport() if panel.view.isVisible() else panel.dispatch.viewport()

    def _cards(self) -> list[QPoint]:
        panel = self.window.parts[GraphPanel]
        count = 0 if panel.scene is None else len(panel.scene.picture.nodes)
        return [panel.view.card_rect(card).center().toPoint() for card in range(count)]

    def _turn_wheel(self, notches: int, widget: QWidget | None = None) -> None:
        port = widget or self._port
        at = QPointF(port.rect().center())
        event = QWheelEvent(
            at,
            QPointF(port.mapToGlobal(at.toPoint())),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(port, event)


def main(wanted: dict[str, list[str]]) -> None:
    """Does each act in each combination, and writes what was found."""
    app = make_application([])
    app.setCursorFlashTime(0)
    Preferences().hint_seen = True
    person = Person(WindowController(app, "light"))
    person.window.resize(*SIZE)
    person.window.show()
    for trace in map(Path, wanted["traces"]):
        person.open(trace)
        for place, theme, motion in product(wanted["places"], wanted["themes"], wanted["motions"]):
            person.present(place == "stage")
            person.state.preferences.motion = motion
            person.show_theme(theme)
            person.about = f"{trace.stem}, {place}, {theme}, animations {motion}"
            for act in wanted["acts"]:
                for number, done in enumerate(getattr(person, act)()):
                    # Once for each act, since it takes as long as all the rest.
                    person.check(done, anew=number == 0 and not act.startswith("hover"))
        person.present(False)
    json.dump({"checked": person.checked, "faults": person.faults}, sys.stdout)
    person.controller.close()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
