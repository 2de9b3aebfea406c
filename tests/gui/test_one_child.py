"""The child that reads a file for the window also runs what is going to be shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.protocol.messages import DescribeRequest
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inputs.form_draft import form_draft, with_fill
from tests.gui.conftest import WindowDriver

TWICE = """
import torch

with open(__file__ + ".log", "a") as log:
    print("loaded", file=log)

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g

EXAMPLES = {"Twice": (torch.randn(3, requires_grad=True),)}
"""


def loads(path: Path) -> int:
    return Path(f"{path}.log").read_text().count("loaded")


def traces(driver: WindowDriver) -> list[str]:
    assert driver.session.trace_path is not None
    return sorted(each.name for each in driver.session.trace_path.parent.glob("*.gradviz"))


def save(driver: WindowDriver, path: Path, text: str) -> None:
    path.write_text(text)

    def is_shown() -> bool:
        index = driver.state.index
        return index is not None and text in {each.text for each in index.trace.sources}

    driver.qtbot.waitUntil(is_shown)
    driver.wait()


@pytest.fixture
def twice(driver: WindowDriver, tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(TWICE)
    driver.window.start([path])
    driver.wait()
    return path


def test_a_file_is_loaded_once_when_it_opens_and_when_it_is_saved(
    driver: WindowDriver, twice: Path
) -> None:
    assert driver.state.index is not None
    assert driver.session.offer == driver.window.parts[InputsForm].offer()
    assert loads(twice) == 1
    save(driver, twice, TWICE.replace("return 2 * g", "return 3 * g"))
    assert loads(twice) == 2
    assert traces(driver) == ["run-1.gradviz", "run-3.gradviz"]


def test_a_run_with_other_inputs_takes_the_place_of_one_that_has_begun(
    driver: WindowDriver, twice: Path
) -> None:
    offer = driver.session.offer
    assert offer is not None
    request = DescribeRequest(path=str(twice), runs_work=True)
    driver.session.describe(request, replace(offer, seed=9))
    driver.wait()
    assert driver.session.offer is not None
    assert driver.session.offer.seed == offer.seed
    # For the first run, for the one that nobody wanted, and for the one that is shown.
    assert loads(twice) == 3
    shown = ["run-1.gradviz", "run-4.gradviz"]
    driver.qtbot.waitUntil(lambda: traces(driver) == shown)


@pytest.mark.quick
def test_inputs_that_were_edited_are_what_runs(driver: WindowDriver, twice: Path) -> None:
    form = driver.window.parts[InputsForm]
    assert form.own is not None
    edited = with_fill(form_draft(form.own).arguments[0], "ones", None)
    form.history.change_argument(0, edited, "fill")
    save(driver, twice, TWICE.replace("(3, req", "(3, dtype=torch.float64, req"))
    assert loads(twice) == 3
    assert driver.session.offer is not None
    assert driver.session.offer.inputs[0].fill == "ones"
