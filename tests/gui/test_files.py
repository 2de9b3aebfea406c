"""Files in the window: dropped, reopened, and rerun when saved."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.viewer.files.file_drop import FileDrop
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver

TWICE = """
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g
EXAMPLES = {"Twice": (torch.ones(3, requires_grad=True),)}
"""


def data_of(paths: Sequence[Path]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return data


def enter(widget: QWidget, data: QMimeData) -> QDragEnterEvent:
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDragEnterEvent(QPoint(100, 100), copy, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)
    return event


def drop(widget: QWidget, paths: Sequence[Path]) -> None:
    data = data_of(paths)
    assert enter(widget, data).isAccepted()
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    event = QDropEvent(QPointF(100, 100), copy, data, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(widget, event)


def run_after(driver: WindowDriver, path: Path, text: str) -> None:
    """Saves a file and waits until its run is shown."""
    with driver.qtbot.waitSignal(driver.session.offer_changed):
        path.write_text(text)
    driver.wait()


def times_in_status(driver: WindowDriver, name: str) -> int:
    """How often the status names a file that is watched: as a message, then as a fact."""
    status = driver.window.parts[WindowStatusBar]
    return sum(label.text().count(name) for label in (status.doing, status.facts))


def dragging_shows_what_a_drop_would_do(used: WindowDriver, tmp_path: Path) -> None:
    overlay = used.window.parts[FileDrop].overlay
    data = data_of([tmp_path / "mine.py"])
    enter(used.window, data)
    assert overlay.isVisible()
    assert overlay.text == "Drop to open mine.py"
    assert overlay.size() == used.window.size()
    # From the window the drag goes to the overlay over it, and then away.
    QApplication.sendEvent(used.window, QDragLeaveEvent())
    enter(overlay, data)
    used.qtbot.wait(150)
    assert overlay.isVisible()
    QApplication.sendEvent(overlay, QDragLeaveEvent())
    used.qtbot.waitUntil(lambda: not overlay.isVisible())


def dragged_text_is_left_alone(used: WindowDriver, tmp_path: Path) -> None:
    data = QMimeData()
    data.setText("hello")
    assert not enter(used.window, data).isAccepted()
    assert not used.window.parts[FileDrop].overlay.isVisible()


def a_wrong_file_gets_a_sentence(used: WindowDriver, tmp_path: Path) -> None:
    drop(used.window, [tmp_path / "notes.txt"])
    sentence = (
        "notes.txt is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz)"
        " or a lesson (.gradviz-lesson)."
    )
    assert used.window.messages.text == sentence
    assert not used.window.parts[FileDrop].overlay.isVisible()
    assert used.session.activity == "idle"


def a_missing_recent_file_is_reported_and_removed(used: WindowDriver, tmp_path: Path) -> None:
    recent = used.controller.services.recent
    recent.add(tmp_path / "gone.py")
    entry = next(each for each in used.window.recent_menu.actions() if each.data())
    entry.trigger()
    assert "gone.py no longer exists" in used.window.messages.text
    assert recent.paths == ()
    assert used.session.activity == "idle"


def a_recent_file_is_opened_from_the_library(used: WindowDriver, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "old.gradviz", linear_trace())
    used.controller.services.recent.add(path)
    library = used.window.library
    entry = next(library.entries())
    assert entry.row.texts == ("old.gradviz",)
    library.go_to(entry.key)
    used.qtbot.keyClick(library, Qt.Key.Key_Return)
    used.wait()
    assert used.session.trace_path == path


def several_files_open_here_and_elsewhere(used: WindowDriver, tmp_path: Path) -> None:
    first = write_trace(tmp_path / "a.gradviz", linear_trace())
    others = (tmp_path / "b.gradviz", tmp_path / "c.py")
    with used.qtbot.waitSignal(used.window.window_requested) as caught:
        drop(used.window, [first, tmp_path / "notes.txt", *others])
    used.wait()
    assert caught.args == [others]
    assert used.session.trace_path == first
    assert "notes.txt" in used.window.messages.text


def test_a_file_that_offers_nothing_runs_as_soon_as_it_does(
    driver: WindowDriver, tmp_path: Path
) -> None:
    driver.start()
    path = tmp_path / "later.py"
    path.write_text(TWICE.partition("class")[0])
    with driver.qtbot.waitSignal(driver.session.described):
        driver.window.parts[RunController].open_path(path)
    driver.wait()
    assert "later.py defines no Function or Module" in driver.window.messages.text
    run_after(driver, path, TWICE)
    assert driver.session.offer is not None
    assert Path(driver.session.offer.subject.path) == path
    assert times_in_status(driver, "later.py") == 1


@pytest.mark.quick
def test_files_are_dropped_opened_and_listed(driver: WindowDriver, tmp_path: Path) -> None:
    """All in one window, because opening it takes longer than most of this."""
    for part in (
        dragging_shows_what_a_drop_would_do,
        dragged_text_is_left_alone,
        a_wrong_file_gets_a_sentence,
        a_missing_recent_file_is_reported_and_removed,
        a_recent_file_is_opened_from_the_library,
        several_files_open_here_and_elsewhere,
    ):
        part(driver, tmp_path)


def what_was_opened_is_in_menu_library_and_title(used: WindowDriver, twice: Path) -> None:
    assert used.window.windowTitle() == "Twice – mine.py – gradviz"
    menu, library = used.window.recent_menu, used.window.library
    shown = [action.text() for action in menu.actions() if action.isVisible() and action.data()]
    assert shown == ["&1  mine.py"]
    # Its Function is listed, so the file itself is not listed a second time.
    texts = [each.row.texts for each in library.entries() if each.path is not None]
    assert texts == [("Twice", "mine.py:3")]


def a_saved_file_runs_again_at_the_same_step(used: WindowDriver, twice: Path) -> None:
    assert times_in_status(used, "mine.py") == 1
    before = used.session.offer
    assert before is not None
    used.window.parts[RunController].run_offer(structs.replace(before, seed=5))
    used.wait()
    asked: list[str] = []
    used.session.activity_changed.connect(asked.append)
    run_after(used, twice, TWICE.replace("return 2 * x", "return 2 * x + 1"))
    index = used.state.index
    assert index is not None
    assert used.state.number == 2
    assert any("2 * x + 1" in source.text for source in index.trace.sources)
    assert used.session.offer is not None
    assert used.session.offer.seed == 5
    # Only how it computes has changed, so the file was not asked for its inputs.
    assert "describing" not in asked


def new_inputs_of_a_saved_file_reach_form_and_run(used: WindowDriver, twice: Path) -> None:
    run_after(used, twice, TWICE.replace("torch.ones(3,", "torch.ones(4,"))
    offer = used.session.offer
    assert offer is not None
    assert offer.inputs[0].shape == (4,)
    assert used.window.messages.text == ""
    shown = used.window.parts[InputsForm].offer()
    assert shown is not None
    assert shown.inputs[0].shape == (4,)


def a_file_saved_with_a_mistake_keeps_the_last_run(used: WindowDriver, twice: Path) -> None:
    before = used.state.index
    with used.qtbot.waitSignal(used.session.described):
        twice.write_text(TWICE.replace("return 2 * x", "return 2 *"))
    used.wait()
    assert "mine.py" in used.window.messages.text
    assert used.state.index is before
    run_after(used, twice, TWICE)
    assert used.state.index is not before
    assert used.window.messages.text == ""


def the_only_entry_of_a_file_runs_under_its_new_name(used: WindowDriver, twice: Path) -> None:
    run_after(used, twice, TWICE.replace("Twice", "Double"))
    assert used.session.offer is not None
    assert (used.session.offer.title, used.window.messages.text) == ("Double", "")


def what_the_file_no_longer_offers_is_reported(used: WindowDriver, twice: Path) -> None:
    more = "EXAMPLES['Triple'] = EXAMPLES['Double']\n\n\ndef Triple(x):\n    return 3 * x\n"
    with used.qtbot.waitSignal(used.session.described):
        twice.write_text(TWICE.replace("Twice", "Double") + more)
    used.wait()
    assert used.window.messages.text == "mine.py no longer defines Twice."


def watching_can_be_switched_off(used: WindowDriver, twice: Path) -> None:
    used.window.commands.watch.trigger()
    assert not used.controller.services.preferences.watch_files
    assert "when saved" not in used.window.parts[WindowStatusBar].facts.toolTip()
    with used.qtbot.assertNotEmitted(used.session.activity_changed, wait=500):
        twice.write_text(TWICE + "\n")


@pytest.mark.quick
def test_a_file_that_is_saved_runs_again(driver: WindowDriver, tmp_path: Path) -> None:
    """All in one window, too; each part begins at the second step of the same run."""
    path = tmp_path / "mine.py"
    path.write_text(TWICE)
    driver.window.start([path])
    driver.wait()
    for part in (
        what_was_opened_is_in_menu_library_and_title,
        a_saved_file_runs_again_at_the_same_step,
        new_inputs_of_a_saved_file_reach_form_and_run,
        a_file_saved_with_a_mistake_keeps_the_last_run,
        the_only_entry_of_a_file_runs_under_its_new_name,
        what_the_file_no_longer_offers_is_reported,
        watching_can_be_switched_off,
    ):
        if path.read_text() != TWICE:
            run_after(driver, path, TWICE)
        driver.state.go_to(2)
        part(driver, path)
