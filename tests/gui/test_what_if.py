"""What If in the real window: change a value, rerun, see the differences, go back."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton

from gradviz.gallery.registry import offer_of, scene
from gradviz.model.check_settings import CheckSettings
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep
from gradviz.model.what_if import GradientTarget, InputTarget, SavedTarget
from gradviz.viewer.commands.node_commands import NodeCommands
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.what_if.controller import WhatIfController
from gradviz.viewer.what_if.panel import WhatIfPanel
from tests.gui.conftest import WindowDriver
from tests.viewer.column_texts import column_texts
from tests.viewer.painted_texts import painted_texts


def start(driver: WindowDriver) -> WhatIfPanel:
    driver.window.parts[RunController].run_offer(offer_of(scene("linear")))
    driver.wait()
    driver.window.parts[WhatIfController].plan.clear()
    driver.window.docks["changes"].show()
    driver.window.docks["changes"].raise_()
    QApplication.processEvents()
    return driver.window.parts[WhatIfController].panel


def go_to(driver: WindowDriver, kind: type, name: str) -> int:
    index = driver.state.index
    assert index is not None
    for number, step in enumerate(index.trace.steps, 1):
        node = getattr(step, "node", None)
        known = index.node.get(node or 0)
        names = (known.name, known.variable_name) if known else ()
        if isinstance(step, kind) and name in names:
            driver.state.go_to(number)
            return number
    raise AssertionError(f"no step of {name}")


def choose(menu: QMenu, text: str) -> None:
    menu.aboutToShow.emit()
    found = [action for action in menu.actions() if text in action.text()]
    assert found, [action.text() for action in menu.actions()]
    found[0].trigger()


def choose_none(menu: QMenu, why: str) -> None:
    menu.aboutToShow.emit()
    (only,) = menu.actions()
    assert why in only.text()
    assert not only.isEnabled()


def type_element(panel: WhatIfPanel, row: int, column: int, text: str) -> None:
    view = panel.editor.cells.view
    place = view.model().index(row, column)
    view.setCurrentIndex(place)
    QTest.keyClicks(view, text[0])
    # The first key opens a field, which gets the others.
    field = QApplication.focusWidget() or view
    QTest.keyClicks(field, text[1:])
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()


def press(button: QToolButton) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def run_changed(driver: WindowDriver) -> None:
    panel = driver.window.parts[WhatIfController].panel
    press(panel.run_button)
    driver.wait()
    driver.qtbot.waitUntil(
        lambda: driver.window.parts[WhatIfController].comparison.differences is not None
    )


def value(driver: WindowDriver, tensor: int | None) -> list[object]:
    assert tensor is not None
    found = driver.state.value(tensor)
    assert found is not None
    return found.array().tolist()


def the_whole_way_with_an_input(driver: WindowDriver) -> None:
    panel = start(driver)
    assert not driver.window.commands.run_changed.isEnabled()
    original = driver.session.trace_path
    go_to(driver, ForwardStep, "LinearFunctionBackward")
    before = value(driver, driver.state.index.trace.calls[0].arguments[1].tensor)
    choose(panel.change_menu, "argument weight")
    assert panel.edits
    QTest.mouseClick(panel.editor.leave_button, Qt.MouseButton.LeftButton)
    assert driver.window.focusWidget() is panel.change_button
    choose(panel.change_menu, "argument weight")
    type_element(panel, 0, 1, "2")
    assert panel.editor.note.text().startswith("weight[0, 1] = 2 instead of")
    assert [each for each in painted_texts(panel) if each.is_cut] == []
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    assert driver.window.focusWidget() is panel.run_button
    (entry,) = driver.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, InputTarget)
    number = driver.state.number
    run_changed(driver)

    assert driver.state.number == number
    after = value(driver, driver.state.index.trace.calls[0].arguments[1].tensor)
    before[0][1] = 2.0
    assert after == before
    assert driver.session.baseline is not None
    assert driver.session.baseline.reader.path == original
    assert original.exists()
    assert driver.window.windowTitle().startswith("What If: ")
    assert driver.window.messages.text.startswith("What If: weight[0, 1] = 2 instead of")
    found = driver.window.parts[WhatIfController].comparison.differences
    assert found.alignment.diverged is None
    assert driver.state.differing == found.steps
    marks = {
        mark.number
        for mark in driver.window.parts[TimelinePanel].alerts.marks
        if mark.kind == "differs"
    }
    assert marks == set(found.steps) != set()
    assert "differ" in panel.compared.whole.text()
    table = panel.compared.table
    assert table.model().rowCount() > 0
    texts = column_texts(table, 4)
    assert "equal bit for bit" in texts
    assert any("at [0, 1]" in text for text in texts)

    driver.state.set_level("op")
    # The first line calls no op.
    driver.state.next_step()
    texts = column_texts(table, 0)
    assert driver.state.place.op is not None
    assert any("mat2" in text for text in texts)
    driver.state.set_level("node")
    go_to(driver, NodeStep, "SumBackward0")
    driver.state.set_quiz_mode()
    driver.state.next_step()
    assert driver.state.revealed.hides_answer
    assert "until the answer is revealed" in panel.compared.here.text()
    assert table.model().rowCount() == 0
    choose_none(panel.change_menu, "Quiz mode hides")
    driver.state.set_quiz_mode(False)
    driver.state.go_to(number)

    press(panel.back_button)
    driver.wait()
    assert driver.session.baseline is None
    assert driver.session.trace_path == original
    assert driver.state.number == number
    assert driver.state.differing == ()
    assert not driver.window.windowTitle().startswith("What If")
    assert [each.on for each in driver.window.parts[WhatIfController].plan.entries] == [False]
    assert list(original.parent.glob("*.gradviz")) == [original]


def a_saved_value_changes_the_gradients_and_nothing_before(driver: WindowDriver) -> None:
    panel = start(driver)
    go_to(driver, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "saved weight of LinearFunctionBackward")
    type_element(panel, 0, 0, "100")
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    (entry,) = driver.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, SavedTarget)
    run_changed(driver)
    index = driver.state.index
    assert index.trace.changes[0].applied
    backward = go_to(driver, NodeStep, "LinearFunctionBackward")
    differing = driver.state.differing
    assert backward in differing
    # The forward step tells what it saves, which backward then reads.
    assert [number for number in differing if number < backward] == [1]
    step = index.trace.steps[backward - 1]
    assert isinstance(step, NodeStep)
    weight = value(driver, index.trace.changes[0].new)
    incoming = value(driver, step.incoming[0].tensor)
    expected = [
        [sum(g * w for g, w in zip(row, column, strict=True)) for column in weight]
        for row in incoming
    ]
    assert 100.0 in weight[0]
    assert value(driver, step.returned[0].tensor) == expected


def a_gradient_on_an_edge_from_the_menu_of_its_tensor(driver: WindowDriver) -> None:
    panel = start(driver)
    number = go_to(driver, NodeStep, "LinearFunctionBackward")
    step = driver.state.index.trace.steps[number - 1]
    tensor = step.incoming[0].tensor
    assert tensor is not None
    driver.controller.requests.change_tensor(
        TensorRef(tensor=tensor, name="grad_output", step=number)
    )
    assert panel.edits
    panel.editor.kind.setCurrentIndex(panel.editor.kind.findData("scale"))
    QTest.keyClicks(panel.editor.number, "3")
    QTest.keyClick(panel.editor.number, Qt.Key.Key_Return)
    (entry,) = driver.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, GradientTarget)
    before = [value(driver, passed.item.tensor) for passed in step.passed]
    run_changed(driver)
    number = go_to(driver, NodeStep, "LinearFunctionBackward")
    step = driver.state.index.trace.steps[number - 1]
    for old, passed in zip(before, step.passed, strict=True):
        new = value(driver, passed.item.tensor)
        flat = [3 * each for row in old for each in row] if isinstance(old[0], list) else old
        assert [each for row in new for each in row] == pytest.approx(flat)
    leaf = go_to(driver, AccumulateStep, "weight")
    assert leaf in driver.state.differing
    driver.window.commands.mark_differences.trigger()
    assert driver.state.hits == driver.window.parts[WhatIfController].comparison.differences.nodes

    # A second changed run is compared with the same original.
    original = driver.session.baseline
    choose(panel.change_menu, "argument weight")
    panel.editor.leave_button.click()
    panel.list.go_to(panel.list.rows.document.keys[0])
    panel.list.setFocus()
    QTest.keyClick(panel.list, Qt.Key.Key_Space)
    assert not driver.window.commands.run_changed.isEnabled()
    QTest.keyClick(panel.list, Qt.Key.Key_Space)
    run_changed(driver)
    assert driver.session.baseline is original

    # Running again drops the changes and keeps the list, switched off.
    driver.window.commands.run.trigger()
    driver.wait()
    assert driver.session.baseline is None
    assert driver.state.index.trace.changes == ()
    assert [each.on for each in driver.window.parts[WhatIfController].plan.entries] == [False]
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert driver.window.parts[WhatIfController].plan.entries == ()


def what_cannot_be_changed_says_so(driver: WindowDriver) -> None:
    start(driver)
    index = driver.state.index
    number = go_to(driver, ForwardStep, "SumBackward0")
    output = index.trace.steps[number - 1].outputs[0].tensor
    driver.controller.requests.change_tensor(TensorRef(tensor=output, name="total", step=number))
    assert driver.window.messages.text.startswith("total cannot be changed directly")
    assert not driver.window.parts[WhatIfController].panel.edits


def a_plan_goes_on_after_the_inputs_were_edited(driver: WindowDriver) -> None:
    panel = start(driver)
    go_to(driver, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 0, 0, "8")
    panel.editor.apply_button.click()
    offer = offer_of(scene("linear"))
    ones = [replace(spec, fill="ones") if spec.name == "weight" else spec for spec in offer.inputs]
    driver.window.parts[RunController].run_offer(replace(offer, inputs=tuple(ones)))
    driver.wait()
    (entry,) = driver.window.parts[WhatIfController].plan.entries
    assert not entry.on
    driver.window.parts[WhatIfController].plan.switch(entry.change.target, on=True)
    run_changed(driver)
    assert driver.window.messages.text == "What If: weight[0, 0] = 8 instead of 1."
    assert driver.state.index.trace.changes[0].applied


@pytest.mark.quick
def test_a_scene_is_changed_and_compared(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    for part in (
        the_whole_way_with_an_input,
        a_saved_value_changes_the_gradients_and_nothing_before,
        a_gradient_on_an_edge_from_the_menu_of_its_tensor,
        what_cannot_be_changed_says_so,
        a_plan_goes_on_after_the_inputs_were_edited,
    ):
        part(driver)


@pytest.mark.parametrize("time_limit_s", [3.0])
@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("raise ValueError('too large')", "ValueError ended the run at step"),
        ("import os; os.abort()", "SIGABRT"),
        ("while True: pass", ""),
    ],
    ids=["raises", "crashes", "never ends"],
)
def test_a_changed_run_that_fails_is_compared_up_to_there(
    driver: WindowDriver, tmp_path: Path, end: str, message: str
) -> None:
    file = tmp_path / "fragile.py"
    file.write_text(
        "import torch\n\n\n"
        "class Fragile(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        ctx.save_for_backward(x)\n"
        "        return x * 2\n\n"
        "    @staticmethod\n"
        "    def backward(ctx, grad):\n"
        "        (x,) = ctx.saved_tensors\n"
        "        if x[0] > 50:\n"
        f"            {end}\n"
        "        return grad * 2\n\n\n"
        "EXAMPLES = {'Fragile': (torch.arange(3.0, requires_grad=True),)}\n"
    )
    driver.start()
    driver.window.parts[RunController].open_path(file)
    driver.wait()
    driver.qtbot.waitUntil(lambda: driver.session.offer is not None)
    driver.wait()
    panel = driver.window.parts[WhatIfController].panel
    go_to(driver, ForwardStep, "FragileBackward")
    choose(panel.change_menu, "saved x of FragileBackward")
    type_element(panel, 0, 0, "99")
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    run_changed(driver)
    found = driver.window.parts[WhatIfController].comparison.differences
    assert message in driver.window.messages.text
    assert driver.window.messages.text != ""
    assert found.alignment.diverged is not None
    assert driver.session.baseline is not None
    press(panel.back_button)
    assert driver.state.index.trace.outcome.kind == "finished"


def test_another_file_lets_go_of_both_runs(driver: WindowDriver, tmp_path: Path) -> None:
    panel = start(driver)
    original = driver.session.trace_path
    file = tmp_path / "kept.gradviz"
    driver.session.save(file)
    driver.qtbot.waitUntil(file.exists)
    driver.wait()
    go_to(driver, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 1, 1, "7")
    panel.editor.apply_button.click()
    run_changed(driver)
    changed = driver.session.trace_path
    driver.session.check(CheckSettings())
    assert driver.window.messages.text.startswith("Only the original run can be checked")
    driver.session.open(file)
    driver.wait()
    assert driver.session.baseline is None
    assert not original.exists()
    assert not changed.exists()
    assert driver.state.differing == ()
    assert driver.window.parts[WhatIfController].plan.entries == ()
    choose_none(panel.change_menu, "There is no code to run again")
    choose(driver.window.parts[NodeCommands].what_if, "Why Is Nothing Listed?")
    assert driver.window.messages.text.startswith("There is no code to run again")


def test_the_file_of_a_changed_run_says_so(driver: WindowDriver, tmp_path: Path) -> None:
    panel = start(driver)
    go_to(driver, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 1, 1, "7")
    panel.editor.apply_button.click()
    run_changed(driver)
    file = tmp_path / "changed.gradviz"
    driver.session.save(file)
    driver.wait()
    driver.window.messages.hide()
    driver.window.parts[RunController].open_path(file)
    driver.wait()
    assert driver.session.baseline is None
    assert driver.window.windowTitle().startswith("What If: ")
    assert driver.window.messages.text.startswith("What If: weight[1, 1] = 7 instead of")


def test_a_parameter_of_a_module(driver: WindowDriver, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch\n\n"
        "model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())\n\n"
        "EXAMPLES = {'model': (torch.ones(3, 2),)}\n"
    )
    driver.start()
    driver.window.parts[RunController].open_path(file)
    driver.wait()
    driver.qtbot.waitUntil(
        lambda: "model" in str(driver.session.offer and driver.session.offer.title)
    )
    driver.wait()
    panel = driver.window.parts[WhatIfController].panel
    go_to(driver, AccumulateStep, "0.weight")
    choose(panel.change_menu, "parameter 0.weight")
    type_element(panel, 0, 0, "3")
    panel.editor.apply_button.click()
    run_changed(driver)
    assert driver.window.messages.text.startswith("What If: 0.weight[0, 0] = 3 instead of")
    assert driver.state.index.trace.changes[0].applied
    assert driver.state.differing != ()
