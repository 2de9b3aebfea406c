"""The reference implementation and the incoming gradients of a check are found by their names."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import RunSubject
from gradviz.protocol.messages import CheckRequest, DescribeRequest
from gradviz.store.reader import open_trace
from gradviz.worker.check import check, find_grad_outputs, find_reference
from gradviz.worker.describe import describe
from gradviz.worker.user_errors import WorkError

CODE = """
import torch

def plain(x):
    return x * 2

class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2

number = 5
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(CODE)
    return file


def test_no_name_is_no_reference() -> None:
    assert find_reference("", RunSubject(scene="exp")) is None


def test_a_name_in_the_file_that_is_checked(path: Path) -> None:
    found = find_reference("plain", RunSubject(path=str(path), name="Twice"))
    assert found is not None
    assert (found.title, found.call(torch.tensor(3.0)).item()) == ("plain", 6.0)


def test_a_name_in_another_file(path: Path) -> None:
    found = find_reference(f"{path}:plain", RunSubject(scene="exp"))
    assert found is not None
    assert (found.title, found.call(torch.tensor(3.0)).item()) == ("plain", 6.0)


def test_a_function_of_torch() -> None:
    found = find_reference("torch.nn.functional.relu", RunSubject(scene="exp"))
    assert found is not None
    assert found.call is torch.nn.functional.relu


def test_of_a_custom_function_apply_is_called(path: Path) -> None:
    found = find_reference("Twice", RunSubject(path=str(path), name="plain"))
    assert found is not None
    assert found.call(torch.tensor(3.0)).item() == 6.0


@pytest.mark.parametrize("name", ["nowhere", "number", "torch.nn.nowhere", "torch.pi"])
def test_what_is_no_function_is_refused(path: Path, name: str) -> None:
    with pytest.raises(WorkError, match=r"The reference function .* was not found"):
        find_reference(name, RunSubject(path=str(path), name="Twice"))


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkError, match="cannot be read"):
        find_reference(f"{tmp_path / 'none.py'}:plain", RunSubject(scene="exp"))


def test_a_name_alone_means_nothing_for_a_scene() -> None:
    with pytest.raises(WorkError, match="The reference function 'plain' was not found"):
        find_reference("plain", RunSubject(scene="exp"))


GRADIENTS = """
import torch
one = torch.ones(2, requires_grad=True)
several = [one, torch.zeros(3)]
def made():
    return several
def raises():
    raise ValueError("no gradients today")
number = 5
mixed = (one, 5)
"""


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("", None), ("one", [True]), ("several", [True, False]), ("made", [True, False])],
)
def test_incoming_gradients_are_found(tmp_path: Path, name: str, wanted: list[bool] | None) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GRADIENTS)
    inside = find_grad_outputs(name, RunSubject(path=str(file), name="f"), "cpu")
    assert (inside and [each.requires_grad for each in inside]) == wanted
    if name:
        other = find_grad_outputs(f"{file}:{name}", RunSubject(scene="exp"), "cpu")
        assert other is not None
        assert len(other) == len(inside or ())


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("number", "The incoming gradients 'number' were not found, or are neither a tensor nor"),
        ("mixed", "The incoming gradients 'mixed' were not found"),
        ("nowhere", "The incoming gradients 'nowhere' were not found"),
        ("raises", "no gradients today"),
    ],
)
def test_what_are_no_gradients_is_refused(tmp_path: Path, name: str, sentence: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(GRADIENTS)
    with pytest.raises(WorkError, match=sentence):
        find_grad_outputs(name, RunSubject(path=str(file), name="f"), "cpu")


NAMED = """
import torch

def scaled(x, *, scale):
    return x * scale

def plain(x, scale=1.0):
    return x * scale

x = torch.ones(2, dtype=torch.float64, requires_grad=True)
EXAMPLES = {"scaled": {"x": x, "scale": 3.0}}
"""


def test_it_gets_the_named_arguments_too(tmp_path: Path) -> None:
    file, trace = tmp_path / "named.py", tmp_path / "check.gradviz"
    file.write_text(NAMED)
    offer = describe(DescribeRequest(path=str(file))).offers[0]
    settings = CheckSettings(reference="plain", battery=False)
    assert (
        check(CheckRequest(offer=offer, trace=str(trace), settings=settings), lambda _: None) == ""
    )
    with open_trace(trace) as reader:
        (report,) = reader.trace().reports
    assert (report.problems, report.blocks[0].reference_wrong) == ((), 0)
    assert report.blocks[0].reference is not None
