"""A file runs as a script, with arguments from the form."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import RunSubject
from gradviz.model.step import OptimizerStep
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.library.panel import LibraryEntry, LibraryPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.window.top_bar import TABS
from tests.gui.conftest import WindowDriver

SCRIPT = """
import argparse
import sys
import torch

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, required=True)
    arguments = parser.parse_args()
    layer = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=arguments.lr)
    for number in range(2):
        layer(torch.ones(3, 2)).sum().backward()
        optimizer.step()
    print("ran", sys.argv, __name__)
    sys.exit()

if __name__ == "__main__":
    main()
"""


@pytest.mark.quick
def test_a_file_runs_as_a_script_with_its_arguments(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    commands, form = driver.window.commands, driver.window.parts[InputsForm]
    messages, graph = driver.window.messages, driver.window.parts[GraphPanel]
    assert not commands.run_as_script.isEnabled()
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    # Opening it has not run it as a script.
    assert driver.state.index is None
    assert driver.window.windowTitle() == "train.py – gradviz"
    assert messages.text.endswith(
        "Run starts it as a script; Inputs has a field for its arguments."
    )
    # What it would do is shown instead, with its text.
    assert "loop in line 12, backward in line 13, update in line 14." in graph.notice.text
    assert graph.notice.button.isVisible()
    # One Run is enough, where it is in view.
    top = driver.window.top
    assert not top.run.isVisible()
    top.show_tab(TABS[1])
    assert top.run.isVisible()
    top.show_tab(TABS[0])
    commands.run_as_script.trigger()
    (row,) = form.rows
    assert row.name == "arguments"
    row.fields.text.edited.emit("--lr 'x")
    assert not commands.run.isEnabled()
    row.fields.text.edited.emit("--lr 0.5")
    commands.run.trigger()
    driver.wait()
    index = driver.state.index
    assert index is not None
    assert sum(isinstance(each, OptimizerStep) for each in index.trace.steps) == 2
    assert driver.window.windowTitle() == "train.py as a script – gradviz"
    assert TABS[driver.window.top.tabs.currentIndex()] == "training"
    printed = "".join(each.text for each in index.trace.console)
    assert printed == "ran ['train.py', '--lr', '0.5'] __main__\n"
    row.fields.text.edited.emit("--epochs 3")
    commands.run.trigger()
    driver.wait()
    assert messages.text == (
        "SystemExit ended the run at step 1: "
        "train.py: error: the following arguments are required: --lr"
    )
    # It has no Jacobians, and calls no Function that has.
    driver.session.check(CheckSettings())
    driver.wait()
    assert messages.text == "This script called no custom Function that could be checked."


def test_a_script_that_asks_or_fails_is_told_why_it_ended(
    driver: WindowDriver, tmp_path: Path
) -> None:
    for name, line, why in (
        ("asks", "input('Factor? ')", "input() has nothing to read, as a run has no keyboard."),
        ("fails", "input_of = {}['weight']\ninput()", "'weight'"),
    ):
        path = tmp_path / f"{name}.py"
        path.write_text(f"import torch\n{line}\n")
        driver.window.parts[RunController].open_path(path)
        driver.wait()
        driver.window.commands.run.trigger()
        driver.wait()
        said, _, text = driver.window.messages.text.partition(" ended the run at step 1: ")
        assert (said.endswith("Error"), text) == (True, why)
    path = tmp_path / "leaves.py"
    path.write_text("import sys\nimport torch\ntorch.ones(1)\nsys.exit(3)\n")
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    driver.window.commands.run.trigger()
    driver.wait()
    assert driver.window.messages.text == "The code called sys.exit(3) (leaves.py, line 4)."
    assert driver.window.recent_menu.actions()[0].text().endswith("leaves.py")


WORK = """
import pathlib
import torch

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output

class Needy(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.size = config.size

def triple(x):
    return 3 * x

with pathlib.Path(__file__).with_suffix(".log").open("a") as log:
    print("ran", file=log)
for _ in range(2):
    Double.apply(torch.ones(2, requires_grad=True)).sum().backward()
"""


GUARDED = """
import torch


class Net(torch.nn.Linear):
    def __init__(self):
        super().__init__(7, 1)


def train(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(3, 7)).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    train(Net())
"""


def test_a_program_that_trains_is_offered_whole_and_not_its_model_alone(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path = tmp_path / "mnist.py"
    path.write_text(GUARDED)
    graph = driver.window.parts[GraphPanel]
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    assert driver.state.index is None
    assert "mnist.py was only read, not run: it is a program that trains." in graph.notice.text
    assert "loop in line 12, backward in line 14, update in line 15." in graph.notice.text
    assert driver.window.messages.text.startswith("Library lists ")
    graph.notice.button.click()
    driver.wait()
    assert len(driver.state.iterations.all) == 2
    assert driver.window.top.run.isVisible()


def test_a_file_that_does_work_is_listed_without_running(
    driver: WindowDriver, tmp_path: Path
) -> None:
    path, log = tmp_path / "work.py", tmp_path / "work.log"
    path.write_text(WORK)
    library, messages = driver.window.parts[LibraryPanel], driver.window.messages

    def entry(name: str) -> LibraryEntry:
        offer = library.offer_of(RunSubject(path=str(path), name=name))
        assert offer is not None
        found = library.entry_of(offer.subject)
        assert found is not None
        return found

    driver.window.parts[RunController].open_path(path)
    # At once, before a child process has answered.
    assert "the file has not run" in entry("Double").row.fields[0].tip
    driver.wait()
    # Once, in the place of the graph.
    told = "work.py was only read, not run: line 23 would start its work."
    assert told in driver.window.parts[GraphPanel].notice.text
    assert messages.text.startswith("Library lists what its text defines.")
    assert not log.exists()
    current = library.shown_entry()
    assert current is not None
    assert current.row.texts[0] == "work.py as a script"
    library.pick(entry("Needy"))
    driver.wait()
    assert messages.text == "Needy cannot run as it is. Declare it in EXAMPLES of work.py."
    library.pick(entry("triple"))
    driver.wait()
    assert driver.state.index is None
    assert messages.text.startswith("work.py declares no inputs for triple.")
    library.pick(entry("Double"))
    driver.wait()
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.title == "Double"
    assert "has not run" not in entry("Double").row.fields[0].tip
