"""Compare in the real window: choose a run, step together, go through the differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.visible_texts import texts_of
from gradviz.viewer.compare.controller import CompareController
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.session.run_controller import RunController
from tests.accelerator import accelerator
from tests.gui.conftest import PATIENCE_MS, Desk

EDITED = """\
import torch


def model(x):
    return ({body}).sum()


EXAMPLES = {{"model": (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True),)}}
"""


def run(desk: Desk, scene_id: str) -> None:
    desk.window.parts[RunController].run_offer(offer_of(scene(scene_id)))
    desk.wait()


def wait(desk: Desk) -> CompareController:
    control = desk.window.parts[CompareLauncher]
    desk.qtbot.waitUntil(lambda: desk.at_rest() and not control.busy, timeout=PATIENCE_MS)
    QApplication.processEvents()
    return control.controller()


def compare_with(desk: Desk, left: str, right: str) -> CompareController:
    run(desk, left)
    desk.window.parts[CompareLauncher].compare_with_scene(right)
    return wait(desk)


def choose(desk: Desk, text: str) -> CompareController:
    box = desk.window.parts[CompareLauncher].controller().panel.bar.choice
    (at,) = [at for at in range(box.count()) if text in box.itemText(at)]
    box.setCurrentIndex(at)
    box.activated.emit(at)
    return wait(desk)


def cell(compared: CompareController, row: int, column: int) -> str:
    item = compared.panel.table.item(row, column)
    return "" if item is None else item.text()


def test_wrong_and_right_step_together(desk: Desk) -> None:
    panel = compare_with(desk, "linear-wrong", "linear").panel
    assert desk.window.top.tabs.currentIndex() == 2
    assert (
        "In step 5, the gradient returned for weight is the first value to differ"
        in panel.summary.text()
    )
    assert panel.bar.choice.currentText() == "LinearFunction, merged"
    desk.state.go_to(2)
    assert panel.pair == (2, 2)
    desk.window.activateWindow()
    desk.qtbot.waitUntil(desk.window.isActiveWindow)
    panel.left.view.setFocus()
    QTest.keyClick(panel.left.view, Qt.Key.Key_F10)
    assert (desk.state.number, panel.pair) == (3, (3, 3))
    desk.window.commands.next_compare_difference.trigger()
    assert (desk.state.number, panel.pair) == (5, (5, 5))
    assert cell(wait(desk), 0, 4) == "differs by up to 1 at [0, 0]"
    left, right, apart = panel.values.views
    assert left.display is not None
    assert right.display is not None
    assert apart.display is not None
    assert apart.display.value is not None
    assert apart.display.value.array().tolist() == [[1, 1, 1], [-1, -1, -1]]
    # One scale, so that equal colors are equal numbers.
    assert left.limit == right.limit == apart.limit == 5.0
    places = panel.bar.places
    assert places.currentText() == "2 steps differ"
    assert places.itemText(1) == "5: the gradient returned for weight, by up to 1 at [0, 0]"
    places.activated.emit(2)
    assert desk.state.number == 7
    assert places.currentIndex() == 0
    desk.state.go_to(5)
    desk.window.commands.next_compare_difference.trigger()
    assert desk.state.number == 7
    desk.window.commands.previous_compare_difference.trigger()
    assert desk.state.number == 5


def test_both_graphs_say_what_differs(desk: Desk) -> None:
    panel = compare_with(desk, "mark-dirty", "mark-dirty-unmarked").panel
    assert panel.left.stage.scene is not None
    assert panel.right.stage.scene is not None
    left = [text.text for text in texts_of(panel.left.stage.scene)]
    right = [text.text for text in texts_of(panel.right.stage.scene)]
    assert "only here" in left
    assert "only here" not in right
    assert "differs" in left
    assert "differs" in right
    assert panel.left.stage.scene.differences.lines
    # Where the right has no such step, it says so.
    desk.state.go_to(6)
    assert panel.pair == (6, None)
    assert panel.right.place.text().startswith("Only the other run")
    assert cell(wait(desk), 0, 2) == "missing"


def test_a_click_on_the_right_moves_the_left(desk: Desk) -> None:
    panel = compare_with(desk, "my-own-layer", "my-own-layer-torch").panel
    assert "agree except for rounding" in panel.summary.text()
    index = panel.right.stage
    found = panel.found
    assert found is not None
    node = next(each.id for each in found.right.trace.nodes if each.name == "TanhBackward0")
    box = index.box_of(node)
    assert box is not None
    panel.right.view.centre_card(box)
    place = panel.right.view.card_rect(box).center().toPoint()
    QTest.mouseClick(panel.right.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    left, right = panel.pair
    assert desk.state.number == left
    assert right is not None
    assert found.pairs.right(desk.state.number) == right
    # A step that only the right run has leaves the window where it is.
    alone = found.pairs.only_right[0]
    here = desk.state.number
    panel.show_pair((None, alone))
    assert (desk.state.number, panel.pair) == (here, (None, alone))
    assert panel.left.place.text().startswith("Only the other run")


def test_the_same_in_float32(desk: Desk) -> None:
    run(desk, "numpy")
    desk.window.top.show_tab("compare")
    panel = choose(desk, "Same in float32").panel
    assert "each rounding to float32" in panel.summary.text()
    # Run again on the left, it stands beside the new run.
    desk.window.parts[RunController].run_offer(offer_of(scene("numpy")))
    panel = wait(desk).panel
    assert panel.found is not None
    assert panel.bar.choice.currentText() == "Same in float32"


def test_before_and_after_an_edit(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(EDITED.format(body="x * x"))
    # Otherwise the edit runs twice, and the run before is that of the edited file too.
    desk.window.commands.watch.setChecked(False)
    desk.window.parts[RunController].open_path(path)
    desk.wait()
    path.write_text(EDITED.format(body="x * x * x"))
    desk.window.parts[RunController].open_path(path)
    desk.wait()
    desk.window.top.show_tab("compare")
    compared = choose(desk, "Previous run")
    found = compared.panel.found
    assert found is not None
    assert len(found.pairs.only_left) == 2
    # The trace on the right outlives the run that takes its place as the one before.
    run(desk, "exp")
    assert compared.panel.found is None
    assert "Nothing to compare with yet" in compared.panel.notice.text
    run(desk, "linear")


def test_what_goes_wrong_is_one_sentence(desk: Desk, tmp_path: Path) -> None:
    run(desk, "linear")
    control = desk.window.parts[CompareLauncher]
    control.compare_with_scene("nope")
    assert "There is no scene 'nope'" in desk.window.messages.text
    path = tmp_path / "broken.py"
    path.write_text("raise ValueError('broken')\n")
    control.controller().choose_file(path)
    wait(desk)
    assert "broken" in desk.window.messages.text
    assert control.controller().panel.found is None
    assert desk.window.isVisible()


def test_cancel_ends_the_run_on_the_right(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(
        "import time\n\ndef model(x):\n    time.sleep(60)\n    return x\n\n"
        'EXAMPLES = {"model": (1.0,)}\n'
    )
    run(desk, "linear")
    control = desk.window.parts[CompareLauncher]
    desk.window.top.show_tab("compare")
    control.controller().choose_file(path)
    bar = control.controller().panel.bar
    desk.qtbot.waitUntil(lambda: "Running" in bar.doing.text(), timeout=PATIENCE_MS)
    QTest.mouseClick(bar.cancel, Qt.MouseButton.LeftButton)
    wait(desk)
    assert bar.cancel.isHidden()
    assert bar.choice.currentIndex() == 0


def test_nothing_is_told_that_a_room_has_to_guess(desk: Desk) -> None:
    panel = compare_with(desk, "linear-wrong", "linear").panel
    desk.state.go_to(4)
    desk.state.set_quiz_mode()
    desk.state.next_step()
    assert desk.state.revealed.hides_answer
    assert panel.summary.isHidden()
    assert panel.table.isHidden() or not panel.table.isVisible()
    assert "reveal the answer" in panel.notice.text
    desk.state.set_quiz_mode(False)
    assert panel.summary.isVisible()
    assert panel.table.isVisible()


def test_the_panels_around_make_room_and_come_back(desk: Desk) -> None:
    run(desk, "linear")
    shown = [dock.objectName() for dock in desk.window.docks.all() if not dock.isHidden()]
    desk.window.top.show_tab("compare")
    assert desk.window.docks["inspector"].isHidden()
    assert desk.window.docks["source"].isHidden()
    desk.window.top.show_tab("jacobians")
    assert desk.window.docks["source"].isHidden()  # In a low window the maps have its room.
    desk.window.top.show_tab("graph")
    after = [dock.objectName() for dock in desk.window.docks.all() if not dock.isHidden()]
    assert after == shown


def test_without_anything_chosen_there_is_a_hint(desk: Desk) -> None:
    run(desk, "linear-wrong")
    desk.window.commands.show_compare.trigger()
    panel = desk.window.parts[CompareLauncher].controller().panel
    assert "Choose a run to compare with" in panel.notice.text
    titles = [panel.bar.choice.itemText(at) for at in range(panel.bar.choice.count())]
    assert titles[1] == scene(scene("linear-wrong").compare_with[0]).title
    assert not desk.window.commands.next_compare_difference.isEnabled()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_part_has_a_name_to_be_read_out(desk: Desk, theme: str) -> None:
    panel = compare_with(desk, "exp", "exp").panel
    for widget in (panel, panel.left.view, panel.right.view, panel.table, panel.bar.choice):
        assert widget.accessibleName()
    for button in (panel.bar.next, panel.bar.previous):
        assert button.accessibleName()
    assert "bitwise equal" in panel.summary.text()


def test_stepping_goes_on_while_another_run_takes_the_right(desk: Desk) -> None:
    compared = compare_with(desk, "linear-wrong", "linear")
    gone: list[int] = []

    def go() -> None:
        desk.state.go_to(5)
        desk.window.commands.next_compare_difference.trigger()
        gone.append(desk.state.number)
        assert panel.summary.text() == ""

    panel = compared.panel
    # Behind all other receivers: the reader of the right run before is closed then.
    compared.run.shown.connect(go, Qt.ConnectionType.QueuedConnection)
    desk.window.parts[CompareLauncher].compare_with_scene("linear-split")
    wait(desk)
    assert gone == [5]
    assert panel.bar.choice.currentText().startswith("LinearFunction, split")
    assert panel.pair == (5, 5)


@pytest.mark.accelerator
def test_the_same_on_another_device(desk: Desk) -> None:
    device = str(accelerator())
    desk.start()
    offered = [desk.window.top.device.itemData(at) for at in range(desk.window.top.device.count())]
    assert offered[:2] == ["cpu", device]
    run(desk, "linear-split")
    desk.window.top.show_tab("compare")
    found = choose(desk, f"Same on {device}").panel.found
    assert found is not None
    assert found.outcome in ("equal", "rounding")
    devices = [index.trace.origin.device for index in (found.left, found.right)]
    assert devices[0] == "cpu"
    assert devices[1].startswith(device)
    # The device of the form is for the next run.
    desk.window.top.device.setCurrentIndex(1)
    run(desk, "linear-split")
    index = desk.state.index
    assert index is not None
    assert {each.device for each in index.trace.tensors} == {device}
