"""A file runs as a script, with arguments from the form."""

from __future__ import annotations

from pathlib import Path

from gradviz.model.check_settings import CheckSettings
from gradviz.model.step import OptimizerStep
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.session.run_controller import RunController
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


def test_a_file_runs_as_a_script_with_its_arguments(driver: WindowDriver, tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    commands, form = driver.window.commands, driver.window.parts[InputsForm]
    messages = driver.window.messages
    assert not commands.run_as_script.isEnabled()
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    # Opening it has not run it as a script.
    assert driver.state.index is None
    assert messages.text.endswith(
        "Run starts it as a script; Inputs has a field for its arguments."
    )
    commands.run_as_script.trigger()
    (row,) = form.rows
    assert row.name == "arguments"
    row.fields.text.textEdited.emit("--lr 'x")
    assert not commands.run.isEnabled()
    row.fields.text.textEdited.emit("--lr 0.5")
    commands.run.trigger()
    driver.wait()
    index = driver.state.index
    assert index is not None
    assert sum(isinstance(each, OptimizerStep) for each in index.trace.steps) == 2
    printed = "".join(each.text for each in index.trace.console)
    assert printed == "ran ['train.py', '--lr', '0.5'] __main__\n"
    row.fields.text.textEdited.emit("--epochs 3")
    commands.run.trigger()
    driver.wait()
    assert messages.text == (
        "SystemExit ended the run at step 1: "
        "train.py: error: the following arguments are required: --lr"
    )
    # It has no Jacobians.
    driver.session.check(CheckSettings())
    driver.wait()
    assert messages.text == "A script has no Jacobians. Check one of its functions instead."
