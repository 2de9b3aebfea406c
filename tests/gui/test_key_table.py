"""The key table of the documentation, the key sheet and the actual keys agree."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.command_list import key_groups
from gradviz.viewer.commands.controller import CommandController
from gradviz.viewer.console import ConsolePanel
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.architecture.layers import ROOT
from tests.gui.conftest import WindowDriver
from tests.viewer.traces import linear_reader

_KEY = re.compile(
    r"(?:Ctrl\+|Shift\+)*(?:F\d+|Page Down|Page Up|Right|Left|Down|Up|Home|End|Space|Enter|Esc"
    r"|\b[A-Z]\b|\?|\b0\b)"
)
_NAMES = {"Page Down": "PgDown", "Page Up": "PgUp"}

PRODUCT = [
    "Right",
    "Left",
    "F10",
    "Shift+F10",
    "PgDown",
    "PgUp",
    "Down",
    "Up",
    "F11",
    "Shift+F11",
    "F9",
    "F8",
    "Shift+F8",
    "Home",
    "End",
    "Space",
    "Ctrl+R",
    "Enter",
    "F",
    "Ctrl+0",
    "Ctrl+F",
    "Ctrl+Shift+P",
    "?",
    "F5",
    "Esc",
    "B",
    ".",
]
"""What was promised: every key for which there is something to do."""


def documented_rows() -> dict[str, str]:
    text = (ROOT / "docs" / "reference" / "keys.md").read_text(encoding="utf-8")
    table = text.split("| what | keys |", 1)[1].split("\n\n", 1)[0]
    cells = (line.strip("| ").split(" | ", 1) for line in table.splitlines()[2:])
    return {what.strip(): keys.strip() for what, keys in cells}


def keys_in(cell: str) -> set[str]:
    found = {_NAMES.get(key, key) for key in _KEY.findall(cell)}
    if " . " in cell:
        found.add(".")
    return found


def sheet(driver: WindowDriver) -> dict[str, set[str]]:
    groups = key_groups(driver.window.menuBar())
    return {group.title: {key for row in group.rows for key in row.keys} for group in groups}


def documentation_and_key_sheet_agree(driver: WindowDriver) -> None:
    listed = set().union(*(keys_in(cell) for cell in documented_rows().values()))
    shown = set().union(*sheet(driver).values())
    assert listed <= shown
    assert set(PRODUCT) <= listed


def each_key_acts_where_the_sheet_says(driver: WindowDriver) -> None:
    shown = sheet(driver)
    for key in [
        "F10",
        "Shift+F10",
        "PgDown",
        "PgUp",
        "F11",
        "Shift+F11",
        "F8",
        "Shift+F8",
        "F9",
        "Ctrl+R",
        "Ctrl+F",
        "Ctrl+Shift+P",
        "?",
        "F5",
    ]:
        assert key in shown["Anywhere"]
    # Single keys never act window-wide: somebody may be typing.
    assert not {"Space", "Home", "End", "Right", "Left", "F", "B", "."} & shown["Anywhere"]
    for place in ("In the timeline", "In the inspector"):
        assert {"Right", "Left", "Home", "End", "Down", "Up"} <= shown[place]
    assert {"Space", "F", "Enter", "Esc", "Up", "Down"} <= shown["In the graph"]


def press(widget: QWidget, key: str) -> None:
    combination = QKeySequence(key)[0]
    widget.setFocus()
    QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


STEPS: tuple[tuple[str, int, int], ...] = (
    ("Right", 4, 5),
    ("Left", 4, 3),
    ("Home", 4, 1),
    ("End", 4, 8),
    ("F10", 4, 5),
    ("Shift+F10", 4, 3),
    ("PgDown", 4, 5),
    ("PgUp", 4, 3),
)


def steps_in_timeline_and_inspector(used: WindowDriver) -> None:
    window = used.window
    inside = window.parts[Inspector].findChildren(QWidget, "values") or [window.parts[Inspector]]
    for widget in (window.parts[TimelinePanel].bar, inside[0]):
        for key, begin, end in STEPS:
            used.state.go_to(begin)
            press(widget, key)
            assert used.state.number == end, (widget, key)


def steps_anywhere(used: WindowDriver) -> None:
    window = used.window
    for widget in (
        window.parts[GraphPanel].view,
        window.library,
        window.parts[ConsolePanel].view,
        window.top.run,
    ):
        for key, begin, end in STEPS[4:]:
            used.state.go_to(begin)
            press(widget, key)
            assert used.state.number == end, (widget, key)


def keys_that_can_do_nothing_say_why(used: WindowDriver) -> None:
    window, status = used.window, used.window.parts[WindowStatusBar]
    view = window.parts[GraphPanel].view
    used.state.set_level("node")
    for number, key, expected in (
        (8, "F10", "Next Step: there is no later step."),
        (1, "Shift+F10", "Previous Step: there is no earlier step."),
        (2, "F8", "Run to Next Breakpoint: no later step hits a breakpoint."),
        (8, "F11", "Step Into: nothing finer was recorded."),
    ):
        used.state.go_to(number)
        status.say("")
        press(view, key)
        assert status.doing.text() == expected
        assert status.isVisible()
    press(view, "Shift+F10")
    assert status.doing.text() == ""


def single_keys_in_the_graph(used: WindowDriver) -> None:
    window, state = used.window, used.state
    view, player = window.parts[GraphPanel].view, window.parts[TimelinePanel].player
    done: list[tuple[str, Callable[[], bool]]] = [
        ("Home", lambda: state.number == 1),
        ("End", lambda: state.number == 8),
        ("Up", lambda: state.selection is not None),
        ("Esc", lambda: state.selection is None),
        ("Space", lambda: player.playing),
        ("Space", lambda: not player.playing),
        ("Ctrl+0", lambda: view.scale_factor == pytest.approx(1.0)),
    ]
    state.go_to(4)
    for key, happened in done:
        press(view, key)
        assert happened(), key
    state.select(1)
    press(view, "F")
    box = window.parts[GraphPanel].stage.box_of(1)
    assert box is not None
    used.qtbot.waitUntil(lambda: view.is_centred(box))
    state.go_to(1)
    press(view, "Enter")
    assert state.number == 5


def space_plays_from_the_timeline_but_not_from_the_window(used: WindowDriver) -> None:
    window = used.window
    press(window.library, "Space")
    press(window.parts[ConsolePanel].view, "Space")
    assert not window.parts[TimelinePanel].player.playing
    press(window.parts[TimelinePanel].bar, "Space")
    assert window.parts[TimelinePanel].player.playing
    window.parts[TimelinePanel].player.pause()


def windows_keys(used: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    window = used.window
    runs: list[object] = []
    window.commands.run.triggered.disconnect()
    window.commands.run.setEnabled(True)
    window.commands.run.triggered.connect(lambda: runs.append("run"))
    press(window.parts[GraphPanel].view, "Ctrl+R")
    assert runs == ["run"]
    press(window.parts[GraphPanel].view, "Ctrl+F")
    assert window.parts[FindController].field.hasFocus()
    press(window.parts[GraphPanel].view, "Ctrl+Shift+P")
    assert window.parts[CommandController].palette.isVisible()
    window.parts[CommandController].palette.leave()
    presenter = used.controller.presenter
    press(window.parts[GraphPanel].view, "F5")
    assert presenter.presenting
    for key in ("B", "."):
        press(window.parts[GraphPanel].view, key)
        used.qtbot.waitUntil(presenter.black.isVisible)
        presenter.black.uncover()
    press(window.parts[GraphPanel].view, "Esc")
    assert not presenter.presenting


def into_and_out(used: WindowDriver) -> None:
    window, state = used.window, used.state
    state.go_to(5)
    for widget in (window.parts[TimelinePanel].bar, window.parts[Inspector]):
        press(widget, "Down")
        assert (state.level, state.place) == ("stage", TracePosition(step=5, stage="backward"))
        press(widget, "Up")
        assert (state.level, state.place) == ("node", TracePosition(step=5))
    press(window.library, "F11")
    assert state.level == "stage"
    press(window.library, "Shift+F11")
    assert state.level == "node"
    press(window.parts[TimelinePanel].bar, "Up")
    assert (state.level, state.number) == ("pass", 3)


def test_documentation_and_key_sheet_agree_with_each_key(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one window, because opening it takes longer than the rest."""
    documentation_and_key_sheet_agree(driver)
    each_key_acts_where_the_sheet_says(driver)
    driver.state.show(linear_reader())
    driver.wait()
    # Shortcuts need an active window.
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    for part in (
        steps_in_timeline_and_inspector,
        steps_anywhere,
        single_keys_in_the_graph,
        keys_that_can_do_nothing_say_why,
        space_plays_from_the_timeline_but_not_from_the_window,
        into_and_out,
    ):
        driver.state.set_level("node")
        part(driver)
    windows_keys(driver, monkeypatch)


@pytest.mark.quick
def test_the_first_graph_gets_the_keys(driver: WindowDriver) -> None:
    driver.window.hide()
    driver.window.show_on_screen()
    driver.state.show(linear_reader())
    driver.wait()
    view = driver.window.parts[GraphPanel].view
    driver.qtbot.waitUntil(lambda: driver.window.focusWidget() is view)
    # A later one takes nothing from whoever has them.
    driver.window.library.setFocus()
    driver.state.show(linear_reader())
    driver.wait()
    assert driver.window.focusWidget() is driver.window.library
