"""A student's file without declared inputs: opened, run, declared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from gradviz.host.job import ChildJob
from gradviz.host.pool import ChildPool
from gradviz.model.check_settings import CheckSettings
from gradviz.protocol.messages import ChildRequest, DescribeRequest, RunRequest
from gradviz.viewer.doctor.repair_dialog import RepairDialog
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inputs.form_draft import form_draft, with_fill
from gradviz.viewer.session.check_controller import CheckController, CheckRepeater
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay
from tests.gui.conftest import WindowDriver

PRODUCT = """import torch

class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g @ b.t(), a.t() @ g
"""


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[ChildRequest]:
    """What child processes were asked to do; each serves one request."""
    sent: list[ChildRequest] = []
    start = ChildPool.start

    def record(self: ChildPool, request: ChildRequest, **options: Any) -> ChildJob:
        sent.append(request)
        return start(self, request, **options)

    monkeypatch.setattr(ChildPool, "start", record)
    return sent


@pytest.fixture
def product(driver: WindowDriver, requests: list[ChildRequest], tmp_path: Path) -> Path:
    path = tmp_path / "product.py"
    path.write_text(PRODUCT)
    driver.window.start([path])
    form = driver.window.parts[InputsForm]
    driver.qtbot.waitUntil(lambda: bool(form.rows))
    wait_for_run_of(driver, PRODUCT)
    return path


def wait_for_run_of(driver: WindowDriver, text: str) -> None:
    """Wait until the shown run is one of this text: between two jobs the session is idle too."""

    def is_shown() -> bool:
        index = driver.state.index
        return index is not None and text in {each.text for each in index.trace.sources}

    driver.qtbot.waitUntil(is_shown)
    driver.wait()


def shown_shapes(driver: WindowDriver) -> list[tuple[int, ...]]:
    index = driver.state.index
    assert index is not None
    found = (each.tensor for each in index.trace.calls[0].arguments)
    return [index.tensor[each].shape for each in found if each is not None]


def test_inputs_are_made_and_declared_on_request(
    driver: WindowDriver, product: Path, requests: list[ChildRequest]
) -> None:
    form = driver.window.parts[InputsForm]
    assert [type(each) for each in requests] == [DescribeRequest, RunRequest]
    assert shown_shapes(driver) == [(2, 3), (3, 4)]
    assert form.undeclared.text() == "product.py declares no inputs for Product."
    assert form.notice.text() == ""
    assert driver.window.messages.text == ""
    driver.window.commands.undo.trigger()
    assert [row.reading.spec for row in form.rows] == list(form.own.inputs if form.own else ())
    driver.window.commands.redo.trigger()
    form.undeclared.add.click()
    dialog = driver.window.findChild(RepairDialog)
    assert dialog is not None
    assert product.read_text() == PRODUCT
    dialog.apply.click()
    dialog.close()
    driver.qtbot.waitUntil(lambda: not form.undeclared.text())
    driver.wait()
    QApplication.processEvents()
    assert '"b": torch.randn(3, 4, dtype=torch.float64, requires_grad=True)' in product.read_text()
    assert shown_shapes(driver) == [(2, 3), (3, 4)]
    assert (form.notice.text(), driver.window.messages.text) == ("", "")


def test_run_runs_the_file_that_was_opened_last(
    driver: WindowDriver, product: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text(PRODUCT.replace("def backward(ctx, g):", "def backward(ctx, g)"))
    driver.window.parts[RunController].open_path(other)
    driver.qtbot.waitUntil(lambda: "other.py" in driver.window.messages.text)
    driver.wait()
    driver.window.commands.run.trigger()
    driver.wait()
    assert "other.py" in driver.window.messages.text, "and not the file that was shown before"
    mended = PRODUCT.replace("a @ b", "2 * a @ b")
    other.write_text(mended)
    driver.window.commands.run.trigger()
    wait_for_run_of(driver, mended)


def test_a_declared_module_is_selected_and_run(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(
        "import torch\n\nclass TinyNet(torch.nn.Module):\n"
        "    def __init__(self, size):\n        super().__init__()\n"
        "        self.w = torch.nn.Parameter(torch.ones(size))\n\n"
        "    def forward(self, x):\n        return self.w * x\n"
    )
    driver.window.start([path])
    form = driver.window.parts[InputsForm]
    driver.qtbot.waitUntil(lambda: bool(form.rows))
    driver.wait()
    form.undeclared.add.click()
    dialog = driver.window.findChild(RepairDialog)
    assert dialog is not None
    dialog.apply.click()
    dialog.close()
    driver.qtbot.waitUntil(lambda: not form.undeclared.text())
    driver.wait()
    assert driver.session.offer is not None
    assert driver.session.offer.subject.name == "tiny_net"
    assert driver.window.library.shown_entry() is driver.window.library.entry_of(
        driver.session.offer.subject
    )
    assert driver.window.messages.text == ""


def test_a_file_that_no_longer_runs_marks_the_previous_run(
    driver: WindowDriver, product: Path
) -> None:
    marks = driver.window.findChildren(PreviousRunOverlay)
    assert [each.isVisible() for each in marks] == [False] * 3
    product.write_text(PRODUCT.replace("g @ b.t()", "(g @ b.t()"))
    driver.qtbot.waitUntil(lambda: not any(map(QWidget.isHidden, marks)))
    pane = driver.window.parts[SourcePanel]
    assert pane.editor.isVisible()
    assert pane.editor.code.textCursor().blockNumber() + 1 == 12
    assert pane.editor.message.text() == "product.py, line 12: '(' was never closed."
    assert {each.text for each in marks} == {"Previous run; nothing has run since"}
    product.write_text(PRODUCT)
    driver.qtbot.waitUntil(lambda: all(map(QWidget.isHidden, marks)))
    pane.editor.done.click()
    assert not pane.editor.isVisible()
    driver.wait()
    driver.state.go_to(3)
    shown = driver.state.index
    # A class body is no part of what the inputs depend on, so the file is run without being asked.
    product.write_text(PRODUCT.replace("Function):\n", "Function):\n    SCALE = [][1]\n"))
    with driver.qtbot.waitSignal(driver.session.ended):
        pass
    driver.wait()
    assert driver.state.index is shown
    assert driver.state.number == 3
    assert not any(map(QWidget.isHidden, marks))
    assert {each.text for each in marks} == {"Previous run; the new run failed"}
    assert pane.editor.code.textCursor().blockNumber() + 1 == 4
    assert "IndexError in Product (product.py, line 4)" in pane.editor.message.text()


def test_a_file_that_is_not_watched_is_compared(driver: WindowDriver, product: Path) -> None:
    marks = driver.window.findChildren(PreviousRunOverlay)
    driver.window.commands.watch.trigger()
    product.write_text(PRODUCT.replace("a @ b", "2 * (a @ b)") + "print('declared')\n")
    QApplication.sendEvent(driver.window, QEvent(QEvent.Type.WindowActivate))
    assert {each.text for each in marks} == {"Previous run; product.py has changed since"}
    assert not any(map(QWidget.isHidden, marks))
    # What the file declares may have changed too, so it is asked first.
    with driver.qtbot.waitSignal(driver.session.described):
        driver.window.commands.run.trigger()
    driver.wait()
    assert all(map(QWidget.isHidden, marks))
    assert shown_shapes(driver) == [(2, 3), (3, 4)]


@pytest.mark.quick
def test_a_check_is_repeated_after_an_edit(driver: WindowDriver, product: Path) -> None:
    wrong = PRODUCT.replace("a.t() @ g", "2 * a.t() @ g")
    product.write_text(wrong)
    wait_for_run_of(driver, wrong)
    driver.session.check(CheckSettings())
    driver.wait()
    assert driver.state.index is not None
    assert not driver.state.index.trace.reports[-1].passed
    repeater = driver.window.findChild(CheckRepeater)
    assert repeater is not None
    driver.state.go_to(5)
    pane = driver.window.parts[SourcePanel]
    pane.columns[0].edit_here.click()
    pane.editor.code.setPlainText(PRODUCT)
    with driver.qtbot.waitSignal(repeater.message_emitted) as told:
        driver.qtbot.keyClick(pane.editor.code, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    assert product.read_text() == PRODUCT
    assert told.args == ["Checked again after the edit: 24 wrong → 0 wrong", "info"]
    assert driver.window.messages.text == told.args[0]
    pane.editor.code.insertPlainText("# more")

    def cancel() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        box.button(QMessageBox.StandardButton.Cancel).click()

    QTimer.singleShot(0, cancel)
    assert not driver.window.close()
    assert driver.window.isVisible()
    pane.editor.code.undo()
    assert driver.state.index.trace.reports[-1].passed
    driver.wait()
    driver.session.check(CheckSettings())
    assert driver.window.messages.text == ""
    driver.wait()


def test_the_form_shows_the_values_that_ran(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "unseeded.py"
    path.write_text(
        "import torch\n\ndef double(x, y):\n    return 2 * x * y\n\n"
        'EXAMPLES = {"double": {"x": torch.randn(3, requires_grad=True), "y": torch.randn(3)}}\n'
    )
    driver.window.start([path])
    form = driver.window.parts[InputsForm]
    driver.qtbot.waitUntil(lambda: bool(form.rows))
    driver.wait()
    draft = form.history.draft
    assert draft is not None
    form.history.change(replace(draft, seed=5), "seed")
    driver.window.commands.run.trigger()
    driver.wait()
    shown = form.rows[0].reading.spec
    ran = form.offer()
    assert shown is not None
    assert ran is not None
    assert ran == driver.session.offer
    torch.manual_seed(5)
    assert list(shown.values) == torch.randn(3).tolist()
    assert not form.unrun
    # An edited input keeps its edit, as the file has not changed what it creates.
    edited = with_fill(form_draft(ran).arguments[1], "ones", None)
    form.history.change_argument(1, edited, "fill")
    path.write_text(path.read_text() + "print('declared')\n")
    driver.qtbot.waitUntil(lambda: not form.unrun)
    driver.wait()
    assert driver.session.offer is not None
    assert [each.fill for each in driver.session.offer.inputs] == ["given", "ones"]
    assert form.rows[0].reading.spec == shown


def test_backward_called_by_the_code_is_not_offered_as_a_sum(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "steps.py"
    path.write_text(
        "import torch\n\n"
        "def train(w):\n    loss = (w * w).sum()\n    loss.backward()\n    return loss\n\n"
        'EXAMPLES = {"train": {"w": torch.ones(2, requires_grad=True)}}\n'
    )
    driver.window.start([path])
    start = driver.window.parts[InputsForm].start_fields.start
    driver.qtbot.waitUntil(lambda: start.currentText() == "by the code")
    offer = driver.window.parts[InputsForm].offer()
    assert offer is not None
    assert offer.start.gradient == "sum"
    start.setCurrentIndex(start.findData("ones"))
    assert start.currentText() == "ones"
    assert start.itemText(start.findData("sum")) == "sum"


SCRIPT_OF_TWO = (
    PRODUCT
    + """
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        return x + by

    @staticmethod
    def backward(ctx, g):
        return 2 * g, None

a = torch.tensor([[1.0, 2.0]], dtype=torch.double, requires_grad=True)
b = torch.tensor([[3.0], [4.0]], dtype=torch.double)
Shift.apply(Product.apply(a, b), 0.5).sum().backward()
"""
)


def test_a_script_is_checked_by_the_function_at_the_shown_step(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "work.py"
    path.write_text(SCRIPT_OF_TWO)
    driver.window.start([path])
    driver.wait()
    driver.window.commands.run.trigger()
    wait_for_run_of(driver, SCRIPT_OF_TWO)
    driver.window.show_part("jacobians")
    panel = driver.window.parts[CheckController].panel()
    assert (
        panel.start.count.text() == "Numbers to check of Product(a 1×2): 1 (output) × 2 (input) = 2"
    )
    driver.state.go_to(2)
    assert (
        panel.start.count.text() == "Numbers to check of Shift(x 1×1): 1 (output) × 1 (input) = 1"
    )
    driver.qtbot.mouseClick(panel.start.check, Qt.MouseButton.LeftButton)
    driver.wait()
    assert driver.state.index is not None
    (report,) = driver.state.index.trace.reports
    assert report.subject == "Shift"
    worst = report.blocks[0].worst
    assert worst is not None
    assert (worst.numerical, worst.analytical) == (pytest.approx(1.0), 2.0)


def test_a_script_without_functions_says_why_it_is_not_checked(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "plain.py"
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\n"
    path.write_text(text)
    driver.window.start([path])
    driver.wait()
    driver.window.commands.run.trigger()
    wait_for_run_of(driver, text)
    driver.window.show_part("jacobians")
    start = driver.window.parts[CheckController].panel().start
    assert start.reason.text() == "This script called no custom Function that could be checked."
    assert not start.check.isEnabled()
