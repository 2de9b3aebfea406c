"""What If in the real window: change a value, rerun, see the differences, go back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
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
from tests.gui.conftest import Desk


def start(desk: Desk) -> WhatIfPanel:
    desk.window.parts[RunController].run_offer(offer_of(scene("linear")))
    desk.wait()
    desk.window.docks["changes"].show()
    desk.window.docks["changes"].raise_()
    QApplication.processEvents()
    return desk.window.parts[WhatIfController].panel


def go_to(desk: Desk, kind: type, name: str) -> int:
    index = desk.state.index
    assert index is not None
    for number, step in enumerate(index.trace.steps, 1):
        node = getattr(step, "node", None)
        known = index.node.get(node or 0)
        names = (known.name, known.variable_name) if known else ()
        if isinstance(step, kind) and name in names:
            desk.state.go_to(number)
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


def run_changed(desk: Desk) -> None:
    panel = desk.window.parts[WhatIfController].panel
    press(panel.run_button)
    desk.wait()
    desk.qtbot.waitUntil(
        lambda: desk.window.parts[WhatIfController].comparison.differences is not None
    )


def value(desk: Desk, tensor: int | None) -> list[object]:
    assert tensor is not None
    found = desk.state.value(tensor)
    assert found is not None
    return found.array().tolist()


def test_the_whole_way_with_an_input(desk: Desk) -> None:
    panel = start(desk)
    assert not desk.window.commands.run_changed.isEnabled()
    original = desk.session.trace_path
    go_to(desk, ForwardStep, "LinearFunctionBackward")
    before = value(desk, desk.state.index.trace.calls[0].arguments[1].tensor)
    choose(panel.change_menu, "argument weight")
    assert panel.edits
    type_element(panel, 0, 1, "2")
    assert panel.editor.note.text().startswith("weight[0, 1] = 2 instead of")
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    (entry,) = desk.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, InputTarget)
    number = desk.state.number
    run_changed(desk)

    assert desk.state.number == number
    after = value(desk, desk.state.index.trace.calls[0].arguments[1].tensor)
    before[0][1] = 2.0
    assert after == before
    assert desk.session.baseline is not None
    assert desk.session.baseline.reader.path == original
    assert original.exists()
    assert desk.window.windowTitle().startswith("What If: ")
    assert desk.window.messages.text.startswith("What If: weight[0, 1] = 2 instead of")
    found = desk.window.parts[WhatIfController].comparison.differences
    assert found.alignment.diverged is None
    assert desk.state.differing == found.steps
    marks = {
        mark.number
        for mark in desk.window.parts[TimelinePanel].alerts.marks
        if mark.kind == "differs"
    }
    assert marks == set(found.steps) != set()
    assert "differ" in panel.compared.whole.text()
    table = panel.compared.table
    assert table.rowCount() > 0
    texts = [table.item(row, 4).text() for row in range(table.rowCount())]
    assert "equal bit for bit" in texts
    assert any("at [0, 1]" in text for text in texts)

    desk.state.set_level("op")
    # The first line calls no op.
    desk.state.next_step()
    texts = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert desk.state.place.op is not None
    assert any("mat2" in text for text in texts)
    desk.state.set_level("node")
    go_to(desk, NodeStep, "SumBackward0")
    desk.state.set_quiz_mode()
    desk.state.next_step()
    assert desk.state.revealed.hides_answer
    assert "until the answer is revealed" in panel.compared.here.text()
    assert table.rowCount() == 0
    choose_none(panel.change_menu, "Quiz mode hides")
    desk.state.set_quiz_mode(False)
    desk.state.go_to(number)

    press(panel.back_button)
    desk.wait()
    assert desk.session.baseline is None
    assert desk.session.trace_path == original
    assert desk.state.number == number
    assert desk.state.differing == ()
    assert not desk.window.windowTitle().startswith("What If")
    assert [each.on for each in desk.window.parts[WhatIfController].plan.entries] == [False]
    assert list(original.parent.glob("*.gradviz")) == [original]


def test_a_saved_value_changes_the_gradients_and_nothing_before(desk: Desk) -> None:
    panel = start(desk)
    go_to(desk, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "saved weight of LinearFunctionBackward")
    type_element(panel, 0, 0, "100")
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    (entry,) = desk.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, SavedTarget)
    run_changed(desk)
    index = desk.state.index
    assert index.trace.changes[0].applied
    backward = go_to(desk, NodeStep, "LinearFunctionBackward")
    differing = desk.state.differing
    assert backward in differing
    # The forward step tells what it saves, which backward then reads.
    assert [number for number in differing if number < backward] == [1]
    step = index.trace.steps[backward - 1]
    assert isinstance(step, NodeStep)
    weight = value(desk, index.trace.changes[0].new)
    incoming = value(desk, step.incoming[0].tensor)
    expected = [
        [sum(g * w for g, w in zip(row, column, strict=True)) for column in weight]
        for row in incoming
    ]
    assert 100.0 in weight[0]
    assert value(desk, step.returned[0].tensor) == expected


def test_a_gradient_on_an_edge_from_the_menu_of_its_tensor(desk: Desk) -> None:
    panel = start(desk)
    number = go_to(desk, NodeStep, "LinearFunctionBackward")
    step = desk.state.index.trace.steps[number - 1]
    tensor = step.incoming[0].tensor
    assert tensor is not None
    desk.place.requests.change_tensor(TensorRef(tensor=tensor, name="grad_output", step=number))
    assert panel.edits
    panel.editor.kind.setCurrentIndex(panel.editor.kind.findData("scale"))
    QTest.keyClicks(panel.editor.number, "3")
    QTest.keyClick(panel.editor.number, Qt.Key.Key_Return)
    (entry,) = desk.window.parts[WhatIfController].plan.entries
    assert isinstance(entry.change.target, GradientTarget)
    before = [value(desk, passed.item.tensor) for passed in step.passed]
    run_changed(desk)
    number = go_to(desk, NodeStep, "LinearFunctionBackward")
    step = desk.state.index.trace.steps[number - 1]
    for old, passed in zip(before, step.passed, strict=True):
        new = value(desk, passed.item.tensor)
        flat = [3 * each for row in old for each in row] if isinstance(old[0], list) else old
        assert [each for row in new for each in row] == pytest.approx(flat)
    leaf = go_to(desk, AccumulateStep, "weight")
    assert leaf in desk.state.differing
    desk.window.commands.mark_differences.trigger()
    assert desk.state.hits == desk.window.parts[WhatIfController].comparison.differences.nodes

    # A second changed run is compared with the same original.
    original = desk.session.baseline
    choose(panel.change_menu, "argument weight")
    panel.editor.leave_button.click()
    panel.list.setCurrentRow(0)
    panel.list.setFocus()
    QTest.keyClick(panel.list, Qt.Key.Key_Space)
    assert not desk.window.commands.run_changed.isEnabled()
    QTest.keyClick(panel.list, Qt.Key.Key_Space)
    run_changed(desk)
    assert desk.session.baseline is original

    # Running again drops the changes and keeps the list, switched off.
    desk.window.commands.run.trigger()
    desk.wait()
    assert desk.session.baseline is None
    assert desk.state.index.trace.changes == ()
    assert [each.on for each in desk.window.parts[WhatIfController].plan.entries] == [False]
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    assert desk.window.parts[WhatIfController].plan.entries == ()


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("raise ValueError('too large')", "too large"),
        ("import os; os.abort()", "SIGABRT"),
        ("while True: pass", ""),
    ],
    ids=["raises", "crashes", "never ends"],
)
def test_a_changed_run_that_fails_is_compared_up_to_there(
    desk: Desk, tmp_path: Path, end: str, told: str
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
    desk.start()
    desk.window.parts[RunController].open_path(file)
    desk.wait()
    desk.qtbot.waitUntil(lambda: desk.session.offer is not None)
    desk.wait()
    panel = desk.window.parts[WhatIfController].panel
    go_to(desk, ForwardStep, "FragileBackward")
    choose(panel.change_menu, "saved x of FragileBackward")
    type_element(panel, 0, 0, "99")
    QTest.mouseClick(panel.editor.apply_button, Qt.MouseButton.LeftButton)
    run_changed(desk)
    found = desk.window.parts[WhatIfController].comparison.differences
    assert told in desk.window.messages.text
    assert desk.window.messages.text != ""
    assert found.alignment.diverged is not None
    assert desk.session.baseline is not None
    press(panel.back_button)
    assert desk.state.index.trace.outcome.kind == "finished"


def test_what_cannot_be_changed_says_so(desk: Desk) -> None:
    start(desk)
    index = desk.state.index
    number = go_to(desk, ForwardStep, "SumBackward0")
    output = index.trace.steps[number - 1].outputs[0].tensor
    desk.place.requests.change_tensor(TensorRef(tensor=output, name="total", step=number))
    assert desk.window.messages.text.startswith("total cannot be changed directly")
    assert not desk.window.parts[WhatIfController].panel.edits


def test_another_file_lets_go_of_both_runs(desk: Desk, tmp_path: Path) -> None:
    panel = start(desk)
    original = desk.session.trace_path
    file = tmp_path / "kept.gradviz"
    desk.session.save(file)
    desk.qtbot.waitUntil(file.exists)
    desk.wait()
    go_to(desk, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 1, 1, "7")
    panel.editor.apply_button.click()
    run_changed(desk)
    changed = desk.session.trace_path
    desk.session.check(CheckSettings())
    assert desk.window.messages.text.startswith("Only the original run can be checked")
    desk.session.open(file)
    desk.wait()
    assert desk.session.baseline is None
    assert not original.exists()
    assert not changed.exists()
    assert desk.state.differing == ()
    assert desk.window.parts[WhatIfController].plan.entries == ()
    choose_none(panel.change_menu, "There is no code to run again")
    choose(desk.window.parts[NodeCommands].what_if, "Why Is Nothing Listed?")
    assert desk.window.messages.text.startswith("There is no code to run again")


def test_the_file_of_a_changed_run_says_so(desk: Desk, tmp_path: Path) -> None:
    panel = start(desk)
    go_to(desk, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 1, 1, "7")
    panel.editor.apply_button.click()
    run_changed(desk)
    file = tmp_path / "changed.gradviz"
    desk.session.save(file)
    desk.wait()
    desk.window.messages.hide()
    desk.window.parts[RunController].open_path(file)
    desk.wait()
    assert desk.session.baseline is None
    assert desk.window.windowTitle().startswith("What If: ")
    assert desk.window.messages.text.startswith("What If: weight[1, 1] = 7 instead of")


def test_a_parameter_of_a_module(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch\n\n"
        "model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh())\n\n"
        "EXAMPLES = {'model': (torch.ones(3, 2),)}\n"
    )
    desk.start()
    desk.window.parts[RunController].open_path(file)
    desk.wait()
    desk.qtbot.waitUntil(lambda: "model" in str(desk.session.offer and desk.session.offer.title))
    desk.wait()
    panel = desk.window.parts[WhatIfController].panel
    go_to(desk, AccumulateStep, "0.weight")
    choose(panel.change_menu, "parameter 0.weight")
    type_element(panel, 0, 0, "3")
    panel.editor.apply_button.click()
    run_changed(desk)
    assert desk.window.messages.text.startswith("What If: 0.weight[0, 0] = 3 instead of")
    assert desk.state.index.trace.changes[0].applied
    assert desk.state.differing != ()


def test_a_plan_goes_on_after_the_inputs_were_edited(desk: Desk) -> None:
    panel = start(desk)
    go_to(desk, ForwardStep, "LinearFunctionBackward")
    choose(panel.change_menu, "argument weight")
    type_element(panel, 0, 0, "8")
    panel.editor.apply_button.click()
    offer = offer_of(scene("linear"))
    ones = [replace(spec, fill="ones") if spec.name == "weight" else spec for spec in offer.inputs]
    desk.window.parts[RunController].run_offer(replace(offer, inputs=tuple(ones)))
    desk.wait()
    (entry,) = desk.window.parts[WhatIfController].plan.entries
    assert not entry.on
    desk.window.parts[WhatIfController].plan.switch(entry.change.target, on=True)
    run_changed(desk)
    assert desk.window.messages.text == "What If: weight[0, 0] = 8 instead of 1."
    assert desk.state.index.trace.changes[0].applied
