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


@pytest.fixture
def twice(driver: WindowDriver, tmp_path: Path) -> Path:
    """A file that is shown, at its second step."""
    path = tmp_path / "mine.py"
    path.write_text(TWICE)
    driver.window.start([path])
    driver.wait()
    driver.state.go_to(2)
    return path


def test_dragging_shows_what_a_drop_would_do(driver: WindowDriver, tmp_path: Path) -> None:
    overlay = driver.window.parts[FileDrop].overlay
    data = data_of([tmp_path / "mine.py"])
    enter(driver.window, data)
    assert overlay.isVisible()
    assert overlay.text == "Drop to open mine.py"
    assert overlay.size() == driver.window.size()
    # From the window the drag goes to the overlay over it, and then away.
    QApplication.sendEvent(driver.window, QDragLeaveEvent())
    enter(overlay, data)
    driver.qtbot.wait(150)
    assert overlay.isVisible()
    QApplication.sendEvent(overlay, QDragLeaveEvent())
    driver.qtbot.waitUntil(lambda: not overlay.isVisible())


def test_text_that_is_dragged_is_none_of_the_windows_business(driver: WindowDriver) -> None:
    data = QMimeData()
    data.setText("hello")
    assert not enter(driver.window, data).isAccepted()
    assert not driver.window.parts[FileDrop].overlay.isVisible()


def test_a_wrong_file_gets_a_sentence(driver: WindowDriver, tmp_path: Path) -> None:
    drop(driver.window, [tmp_path / "notes.txt"])
    sentence = (
        "notes.txt is not a Python file (.py), a notebook (.ipynb), a trace (.gradviz)"
        " or a lesson (.gradviz-lesson)."
    )
    assert driver.window.messages.text == sentence
    assert not driver.window.parts[FileDrop].overlay.isVisible()
    assert driver.session.activity == "idle"


def test_several_files_open_here_and_elsewhere(driver: WindowDriver, tmp_path: Path) -> None:
    first = write_trace(tmp_path / "a.gradviz", linear_trace())
    others = (tmp_path / "b.gradviz", tmp_path / "c.py")
    with driver.qtbot.waitSignal(driver.window.window_requested) as caught:
        drop(driver.window, [first, tmp_path / "notes.txt", *others])
    driver.wait()
    assert caught.args == [others]
    assert driver.session.trace_path == first
    assert "notes.txt" in driver.window.messages.text


def test_what_was_opened_is_in_menu_and_library(driver: WindowDriver, twice: Path) -> None:
    menu, library = driver.window.recent_menu, driver.window.library
    shown = [action.text() for action in menu.actions() if action.isVisible() and action.data()]
    assert shown == ["&1  mine.py"]
    # Its Function is listed, so the file itself is not listed a second time.
    texts = [each.row.texts for each in library.entries() if each.path is not None]
    assert texts == [("Twice", "mine.py:3")]


def test_a_recent_file_is_opened_from_the_library(driver: WindowDriver, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "old.gradviz", linear_trace())
    driver.controller.services.recent.add(path)
    library = driver.window.library
    entry = next(library.entries())
    assert entry.row.texts == ("old.gradviz",)
    library.go_to(entry.key)
    driver.qtbot.keyClick(library, Qt.Key.Key_Return)
    driver.wait()
    assert driver.session.trace_path == path


def test_a_missing_recent_file_is_reported_and_removed(
    driver: WindowDriver, tmp_path: Path
) -> None:
    recent = driver.controller.services.recent
    recent.add(tmp_path / "gone.py")
    entry = next(each for each in driver.window.recent_menu.actions() if each.data())
    entry.trigger()
    assert "gone.py no longer exists" in driver.window.messages.text
    assert recent.paths == ()
    assert driver.session.activity == "idle"


def run_after(driver: WindowDriver, path: Path, text: str) -> None:
    """Saves a file and waits until its run is shown."""
    with driver.qtbot.waitSignal(driver.session.offer_changed):
        path.write_text(text)
    driver.wait()


def times_in_status(driver: WindowDriver, name: str) -> int:
    """How often the status names a file that is watched: as a message, then as a fact."""
    status = driver.window.parts[WindowStatusBar]
    return sum(label.text().count(name) for label in (status.doing, status.facts))


def test_a_saved_file_runs_again_at_the_same_step(driver: WindowDriver, twice: Path) -> None:
    assert times_in_status(driver, "mine.py") == 1
    before = driver.session.offer
    assert before is not None
    driver.window.parts[RunController].run_offer(structs.replace(before, seed=5))
    driver.wait()
    asked: list[str] = []
    driver.session.activity_changed.connect(asked.append)
    run_after(driver, twice, TWICE.replace("return 2 * x", "return 2 * x + 1"))
    index = driver.state.index
    assert index is not None
    assert driver.state.number == 2
    assert any("2 * x + 1" in source.text for source in index.trace.sources)
    assert driver.session.offer is not None
    assert driver.session.offer.seed == 5
    # Only how it computes has changed, so the file was not asked for its inputs.
    assert "describing" not in asked


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


def test_the_title_names_function_and_file(driver: WindowDriver, twice: Path) -> None:
    assert driver.window.windowTitle() == "Twice – mine.py – gradviz"


def test_new_inputs_of_a_saved_file_reach_form_and_run(driver: WindowDriver, twice: Path) -> None:
    run_after(driver, twice, TWICE.replace("torch.ones(3,", "torch.ones(4,"))
    offer = driver.session.offer
    assert offer is not None
    assert offer.inputs[0].shape == (4,)
    assert driver.window.messages.text == ""
    shown = driver.window.parts[InputsForm].offer()
    assert shown is not None
    assert shown.inputs[0].shape == (4,)


def test_a_file_saved_with_a_mistake_keeps_the_last_run(driver: WindowDriver, twice: Path) -> None:
    before = driver.state.index
    with driver.qtbot.waitSignal(driver.session.described):
        twice.write_text(TWICE.replace("return 2 * x", "return 2 *"))
    driver.wait()
    assert "mine.py" in driver.window.messages.text
    assert driver.state.index is before
    run_after(driver, twice, TWICE)
    assert driver.state.index is not before
    assert driver.window.messages.text == ""


def test_the_only_entry_of_a_file_runs_under_its_new_name(
    driver: WindowDriver, twice: Path
) -> None:
    run_after(driver, twice, TWICE.replace("Twice", "Double"))
    assert driver.session.offer is not None
    assert (driver.session.offer.title, driver.window.messages.text) == ("Double", "")


def test_what_the_file_no_longer_offers_is_reported(driver: WindowDriver, twice: Path) -> None:
    more = "EXAMPLES['Triple'] = EXAMPLES['Double']\n\n\ndef Triple(x):\n    return 3 * x\n"
    with driver.qtbot.waitSignal(driver.session.described):
        twice.write_text(TWICE.replace("Twice", "Double") + more)
    driver.wait()
    assert driver.window.messages.text == "mine.py no longer defines Twice."


def test_watching_can_be_switched_off(driver: WindowDriver, twice: Path) -> None:
    driver.window.commands.watch.trigger()
    assert not driver.controller.services.preferences.watch_files
    assert "when saved" not in driver.window.parts[WindowStatusBar].facts.toolTip()
    with driver.qtbot.assertNotEmitted(driver.session.activity_changed, wait=500):
        twice.write_text(TWICE + "\n")
