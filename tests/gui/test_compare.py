"""Compare in the real window: choose a run, step together, go through the differences."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.compare.controller import CompareController
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.compare.panel import ComparePanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.status_bar import WindowStatusBar
from gradviz.viewer.window.top_bar import TABS
from tests.accelerator import accelerator
from tests.builders import write_trace
from tests.gui.conftest import WindowDriver
from tests.training_traces import training_trace
from tests.viewer.canvas.visible_texts import texts_of
from tests.viewer.column_texts import column_texts

EDITED = """\
import torch


def model(x):
    return ({body}).sum()


EXAMPLES = {{"model": (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),)}}
"""


def run(driver: WindowDriver, scene_id: str) -> None:
    driver.window.parts[RunController].run_offer(offer_of(scene(scene_id)))
    driver.wait()


def wait(driver: WindowDriver) -> CompareController:
    control = driver.window.parts[CompareLauncher]
    # What comes of the last result, such as a comparison or a layout, may start only afterwards.
    for _ in range(2):
        driver.qtbot.waitUntil(lambda: driver.at_rest() and not control.busy)
        QApplication.processEvents()
    return control.controller()


def compare_with(driver: WindowDriver, left: str, right: str) -> CompareController:
    run(driver, left)
    driver.window.parts[CompareLauncher].compare_with_scene(right)
    return wait(driver)


def choose(driver: WindowDriver, text: str) -> CompareController:
    box = driver.window.parts[CompareLauncher].controller().panel.bar.choice
    (at,) = [at for at in range(box.count()) if text in box.itemText(at)]
    box.setCurrentIndex(at)
    box.activated.emit(at)
    return wait(driver)


def cell(compared: CompareController, row: int, column: int) -> str:
    return column_texts(compared.panel.table, column)[row]


def wrong_and_right_step_together(driver: WindowDriver, panel: ComparePanel) -> None:
    assert driver.window.top.tabs.currentIndex() == 2
    assert (
        "In step 5, the gradient returned for weight is the first value to differ"
        in panel.summary.text()
    )
    assert panel.bar.choice.currentText() == "LinearFunction, merged"
    driver.state.go_to(2)
    assert panel.pair == (2, 2)
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    panel.left.view.setFocus()
    QTest.keyClick(panel.left.view, Qt.Key.Key_F10)
    assert (driver.state.number, panel.pair) == (3, (3, 3))
    driver.window.commands.next_compare_difference.trigger()
    assert (driver.state.number, panel.pair) == (5, (5, 5))
    assert cell(wait(driver), 0, 4) == "differs by up to 1 at [0, 0]"
    left, right, apart = panel.values.views
    assert left.display is not None
    assert right.display is not None
    assert apart.display is not None
    assert apart.display.value is not None
    assert apart.display.value.array().tolist() == [[1, 1, 1], [-1, -1, -1]]
    # One scale, so that equal colors are equal numbers, also in the other rows of the table.
    assert left.limit == right.limit == apart.limit == 12.0
    assert panel.values.scale.labels == ("-12", "0", "12")
    places = panel.bar.places
    assert places.currentText() == "2 steps differ"
    assert places.itemText(1) == "5: the gradient returned for weight, by up to 1 at [0, 0]"
    places.activated.emit(2)
    assert driver.state.number == 7
    assert places.currentIndex() == 0
    driver.state.go_to(5)
    driver.window.commands.next_compare_difference.trigger()
    assert driver.state.number == 7
    driver.window.commands.previous_compare_difference.trigger()
    assert driver.state.number == 5


def test_both_graphs_say_what_differs(driver: WindowDriver) -> None:
    panel = compare_with(driver, "mark-dirty", "mark-dirty-unmarked").panel
    assert panel.left.stage.scene is not None
    assert panel.right.stage.scene is not None
    left = [text.text for text in texts_of(panel.left.stage.scene)]
    right = [text.text for text in texts_of(panel.right.stage.scene)]
    assert "only here" in left
    assert "only here" not in right
    for texts in (left, right):
        assert any(text.startswith("differs at step ") for text in texts)
    assert panel.left.stage.scene.differences.lines
    # Where the right has no such step, it says so.
    driver.state.go_to(6)
    assert panel.pair == (6, None)
    assert panel.right.place.text().startswith("Only the other side")
    assert cell(wait(driver), 0, 2) == "missing"


def test_a_click_on_the_right_moves_the_left(driver: WindowDriver) -> None:
    panel = compare_with(driver, "my-own-layer", "my-own-layer-torch").panel
    driver.qtbot.waitUntil(lambda: "agree except for rounding" in panel.summary.text())
    found = wait(driver).panel.found
    # The graphs differ in size, but equal nodes must look alike.
    assert panel.left.arrangement == panel.right.arrangement is not None
    index = panel.right.stage
    assert found is not None
    node = next(each.id for each in found.right.trace.nodes if each.name == "TanhBackward0")
    box = index.box_of(node)
    assert box is not None
    panel.right.view.centre_card(box)
    place = panel.right.view.card_rect(box).center().toPoint()
    QTest.mouseClick(panel.right.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    left, right = panel.pair
    assert driver.state.number == left
    assert right is not None
    assert found.pairs.right(driver.state.number) == right
    # A step that only the right run has leaves the window where it is.
    alone = found.pairs.only_right[0]
    here = driver.state.number
    panel.show_pair((None, alone))
    assert (driver.state.number, panel.pair) == (here, (None, alone))
    assert panel.left.place.text().startswith("Only the other side")


def test_the_same_in_float32(driver: WindowDriver) -> None:
    run(driver, "numpy")
    driver.window.top.show_tab("compare")
    panel = choose(driver, "Same in float32").panel
    assert "each rounding to float32" in panel.summary.text()
    # Run again on the left, it stands beside the new run.
    driver.window.parts[RunController].run_offer(offer_of(scene("numpy")))
    panel = wait(driver).panel
    assert panel.found is not None
    assert panel.bar.choice.currentText() == "Same in float32"


def test_before_and_after_an_edit(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(EDITED.format(body="x * x"))
    # Otherwise the edit runs twice, and the run before is that of the edited file too.
    driver.window.commands.watch.setChecked(False)
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    path.write_text(EDITED.format(body="x * x * x"))
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    driver.window.top.show_tab("compare")
    compared = choose(driver, "Previous run")
    found = compared.panel.found
    assert found is not None
    assert len(found.pairs.only_left) == 2
    # The trace on the right outlives the run that takes its place as the one before.
    run(driver, "exp")
    assert compared.panel.found is None
    assert "Nothing to compare with yet" in compared.panel.notice.text
    run(driver, "linear")


def what_goes_wrong_is_one_sentence(driver: WindowDriver, tmp_path: Path) -> None:
    control = driver.window.parts[CompareLauncher]
    control.compare_with_scene("nope")
    assert "There is no scene 'nope'" in driver.window.messages.text
    path = tmp_path / "broken.py"
    path.write_text("raise ValueError('broken')\n")
    control.controller().choose_file(path)
    wait(driver)
    assert "broken" in driver.window.messages.text
    assert control.controller().panel.found is None
    assert driver.window.isVisible()


def cancel_ends_the_run_on_the_right(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(
        "import time\n\ndef model(x):\n    time.sleep(60)\n    return x\n\n"
        'EXAMPLES = {"model": (1.0,)}\n'
    )
    control = driver.window.parts[CompareLauncher]
    driver.window.top.show_tab("compare")
    control.controller().choose_file(path)
    bar, run = control.controller().panel.bar, driver.window.top.run
    status = driver.window.parts[WindowStatusBar]
    driver.qtbot.waitUntil(lambda: "Running" in status.doing.text())
    assert run.text() == "Stop"
    QTest.mouseClick(run, Qt.MouseButton.LeftButton)
    wait(driver)
    assert run.text() == "Run"
    assert bar.choice.currentIndex() == 0


def quiz_mode_hides_the_answer_in_compare(driver: WindowDriver, panel: ComparePanel) -> None:
    driver.state.go_to(4)
    driver.state.set_quiz_mode()
    driver.state.next_step()
    assert driver.state.revealed.hides_answer
    assert panel.summary.isHidden()
    assert panel.table.isHidden() or not panel.table.isVisible()
    assert "reveal the answer" in panel.notice.text
    # Nor is it in an exported page.
    assert driver.window.parts[CompareLauncher].shown is None
    driver.state.set_quiz_mode(False)
    assert panel.summary.isVisible()
    assert panel.table.isVisible()


def other_panels_hide_and_come_back(driver: WindowDriver) -> None:
    shown = [dock.objectName() for dock in driver.window.docks.all() if not dock.isHidden()]
    driver.window.top.show_tab("compare")
    assert driver.window.docks["inspector"].isHidden()
    assert driver.window.docks["source"].isHidden()
    driver.window.top.show_tab("jacobians")
    assert driver.window.docks["source"].isHidden()  # In a low window the maps have its room.
    driver.window.top.show_tab("graph")
    after = [dock.objectName() for dock in driver.window.docks.all() if not dock.isHidden()]
    assert after == shown


def without_anything_chosen_there_is_a_hint(driver: WindowDriver) -> None:
    driver.window.commands.show_compare.trigger()
    panel = driver.window.parts[CompareLauncher].controller().panel
    assert "Choose a run to compare with" in panel.notice.text
    titles = [panel.bar.choice.itemText(at) for at in range(panel.bar.choice.count())]
    assert titles[1] == scene(scene("linear-wrong").compare_with[0]).title
    assert not driver.window.commands.next_compare_difference.isEnabled()


def every_part_has_a_name_to_be_read_out(driver: WindowDriver) -> None:
    panel = compare_with(driver, "exp", "exp").panel
    for widget in (panel, panel.left.view, panel.right.view, panel.table, panel.bar.choice):
        assert widget.accessibleName()
    for button in (panel.bar.next, panel.bar.previous):
        assert button.accessibleName()
    assert "bitwise equal" in panel.summary.text()


def stepping_goes_on_while_another_run_takes_the_right(
    driver: WindowDriver, compared: CompareController
) -> None:
    gone: list[int] = []

    def go() -> None:
        driver.state.go_to(5)
        driver.window.commands.next_compare_difference.trigger()
        gone.append(driver.state.number)
        assert panel.summary.text() == ""

    panel = compared.panel
    # Behind all other receivers: the reader of the right run before is closed then.
    compared.run.shown.connect(go, Qt.ConnectionType.QueuedConnection)
    driver.window.parts[CompareLauncher].compare_with_scene("linear-split")
    wait(driver)
    assert gone == [5]
    assert panel.bar.choice.currentText().startswith("LinearFunction, split")
    assert panel.pair == (5, 5)


def the_exported_page_has_the_comparison_while_it_is_shown(
    driver: WindowDriver, panel: ComparePanel, path: Path
) -> None:
    start, data = exported(driver, path)
    assert start == "compare"
    assert data is not None
    assert data["summary"] == panel.summary.text()
    driver.window.top.show_tab(TABS[0])
    start, data = exported(driver, path)
    assert start.split("/")[0] == str(driver.state.number)
    assert data is None
    driver.window.top.show_tab(TABS[2])


def exported(driver: WindowDriver, path: Path) -> tuple[str, dict[str, Any] | None]:
    """The opening place and the comparison in the page that File > Export writes."""
    path.unlink(missing_ok=True)
    driver.window.commands.export_page.trigger()
    driver.wait()
    assert driver.window.messages.text == f"Saved {path}."
    (island,) = re.findall('id="run">(.*?)</script>', path.read_text("utf-8"))
    data = json.loads(island)
    return data["start"], data["compare"]


@pytest.mark.quick
def test_a_wrong_run_and_a_right_one(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All in one window, because opening it takes longer than most of this."""
    run(driver, "linear-wrong")
    without_anything_chosen_there_is_a_hint(driver)
    driver.window.parts[CompareLauncher].compare_with_scene("linear")
    compared = wait(driver)
    quiz_mode_hides_the_answer_in_compare(driver, compared.panel)
    wrong_and_right_step_together(driver, compared.panel)
    path = tmp_path / "run.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    the_exported_page_has_the_comparison_while_it_is_shown(driver, compared.panel, path)
    stepping_goes_on_while_another_run_takes_the_right(driver, compared)


def test_what_the_view_says_and_hides(driver: WindowDriver, tmp_path: Path) -> None:
    """All in one window, because opening it takes longer than most of this."""
    run(driver, "linear")
    other_panels_hide_and_come_back(driver)
    what_goes_wrong_is_one_sentence(driver, tmp_path)
    cancel_ends_the_run_on_the_right(driver, tmp_path)
    every_part_has_a_name_to_be_read_out(driver)


@pytest.mark.quick
@pytest.mark.accelerator
def test_the_same_on_another_device(driver: WindowDriver) -> None:
    device = str(accelerator())
    driver.start()
    offered = [
        driver.window.top.device.itemData(at) for at in range(driver.window.top.device.count())
    ]
    assert offered[:2] == ["cpu", device]
    run(driver, "linear-split")
    driver.window.top.show_tab("compare")
    found = choose(driver, f"Same on {device}").panel.found
    assert found is not None
    assert found.outcome in ("equal", "rounding")
    devices = [index.trace.origin.device for index in (found.left, found.right)]
    assert devices[0] == "cpu"
    assert devices[1].startswith(device)
    # The device of the form is for the next run.
    driver.window.top.device.setCurrentIndex(1)
    run(driver, "linear-split")
    index = driver.state.index
    assert index is not None
    assert {each.device for each in index.trace.tensors} == {device}


def test_two_iterations_are_compared_and_the_left_one_follows_the_window(
    driver: WindowDriver, tmp_path: Path
) -> None:
    trace, values = training_trace([4.0, 2.0, 1.0], [[3.0, 4.0], [0.3, 0.4], [0.0, 1.0]])
    path = write_trace(tmp_path / "train.gradviz", trace, values)
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    driver.window.parts[CompareLauncher].compare_with_iteration(3)
    panel = wait(driver).panel
    assert panel.pair == (1, 13)
    assert panel.summary.text().startswith("After the updates of iterations 1 and 3, w differs")
    driver.state.iterations.go_to(2)
    wait(driver)
    assert panel.pair == (7, 13)
    assert panel.summary.text().startswith("After the updates of iterations 2 and 3, w differs")
    assert panel.bar.choice.currentText() == "Iteration 3"
    assert panel.bar.choice.findText("Iteration 1") > 0
    # Another kind of run takes its place.
    wait(driver).choose_file(path)
    wait(driver)
    assert panel.summary.text() == "The two runs are bitwise equal in all 18 steps."
