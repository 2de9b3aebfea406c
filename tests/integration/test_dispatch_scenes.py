"""Scenes with types that override torch functions, run in real child processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gradviz.analysis.index.trace_index import index_reader
from gradviz.export.steps.json_document import steps_document
from gradviz.gallery.registry import offer_of, scene
from gradviz.host.pool import run_blocking
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace
from gradviz.text.narration import describe_step
from tests.fork_server import ForkServer, forked_workers
from tests.schemas import assert_fits


class Ran:
    """A scene that has run: its steps as JSON, their sentences, and what it printed."""

    def __init__(self, name: str, folder: Path) -> None:
        path = folder / f"{name}.gradviz"
        run_blocking(RunRequest(offer=offer_of(scene(name)), trace=str(path), level="all"))
        with open_trace(path) as reader:
            index = index_reader(reader)
            trace = index.trace
            document = steps_document(index)
            self.document = {**document, "steps": list(document["steps"])}
            self.sentences = [describe_step(index, step) for step in trace.steps]
            self.outcome = trace.outcome
            self.printed = "".join(text.text for text in trace.console)
        self.steps: list[dict[str, Any]] = self.document["steps"]

    def dispatches(self, function: str) -> list[dict[str, Any]]:
        return [step for step in self.steps if step.get("function") == function]

    def grad(self, name: str) -> Any:
        totals = [each["total"]["values"] for each in self.steps if each.get("variable") == name]
        return totals[-1]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer | None) -> dict[str, Ran]:
    folder = tmp_path_factory.mktemp("dispatch")
    # The fixture that forks the workers of tests comes after those of a module.
    with forked_workers(fork_server):
        return {
            name: Ran(name, folder)
            for name in ("scalar-tensor", "tensor-subclass", "tensor-wrapper")
        }


def answers(step: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(each["type"], each["how"], each["by"]) for each in step["answers"]]


def test_all_fit_the_schema(ran: dict[str, Ran]) -> None:
    for each in ran.values():
        assert_fits(each.document, "steps")
        assert each.outcome is not None
        assert each.outcome.kind == "finished"


def test_handlers_of_a_scalar_tensor(ran: dict[str, Ran]) -> None:
    shown = ran["scalar-tensor"]
    (mean,) = shown.dispatches("torch.mean")
    assert answers(mean) == [("ScalarTensor", "handler", "mean")]
    assert mean["inputs"][0]["object"] == "ScalarTensor(N=5, value=2)"
    assert mean["outputs"] == [{"name": "output", "object": "0.4"}]
    both, dense, wrong = shown.dispatches("torch.add")
    assert both["outputs"] == [{"name": "output", "object": "ScalarTensor(N=2, value=4)"}]
    assert dense["outputs"][0]["values"] == [[3, 1], [1, 3]]
    assert {*answers(both), *answers(dense)} == {("ScalarTensor", "handler", "add")}
    assert answers(wrong) == [("ScalarTensor", "raised", "add")]
    assert wrong["error"] == "ValueError: Shape mismatch: N=2 and N=3"
    assert not wrong["finished"]
    assert "[[2., 0., 0.],\n        [0., 2., 0.],\n        [0., 0., 2.]]" in shown.printed


def test_an_unhandled_message(ran: dict[str, Ran]) -> None:
    shown = ran["scalar-tensor"]
    refused, unwrapped = shown.dispatches("torch.mul")
    assert answers(refused) == [("ScalarTensor", "not_implemented", "")]
    assert refused["error"].startswith("TypeError")
    assert "torch.mul" in refused["error"]
    assert answers(unwrapped) == [("UnwrappingScalarTensor", "fallback", "")]
    assert unwrapped["outputs"][0]["values"] == [[4, 0], [0, 4]]
    # Torch refuses a type without the protocol before it asks anybody.
    assert "mean raised TypeError" in shown.printed
    assert "Diagonal" in shown.printed


def test_sentences_of_a_scalar_tensor(ran: dict[str, Ran]) -> None:
    sentence = ran["scalar-tensor"].sentences
    assert sentence[0] == (
        "torch.mean is called with input = ScalarTensor(N=5, value=2). ScalarTensor "
        "handles the call with mean. It returns 0.4."
    )
    assert sentence[3].endswith(
        "In add, ScalarTensor raises ValueError: Shape mismatch: N=2 and N=3."
    )
    assert "ScalarTensor returns NotImplemented. No type is left to try, so torch" in sentence[4]
    assert sentence[5].endswith(
        "UnwrappingScalarTensor unwraps its arguments and calls torch.mul again. It "
        "returns a 2×2 tensor."
    )


def test_autograd_through_a_subclass(ran: dict[str, Ran]) -> None:
    shown = ran["tensor-subclass"]
    assert "LoggingTensor 14.0" in shown.printed
    assert {"mul", "sum"} <= {*shown.printed.splitlines()}
    assert shown.grad("x") == [2, 4, 6]
    (total,) = shown.dispatches("torch.Tensor.sum")
    assert total["outputs"][0]["values"] == 14
    assert total["outputs"][0]["subclass"] == "LoggingTensor"
    (mul,) = shown.dispatches("torch.Tensor.mul")
    assert answers(mul) == [("LoggingTensor", "default", "")]
    assert mul["console"] == "mul\n"
    after = shown.steps[mul["number"]]
    assert (after["kind"], after["op"]) == ("forward", "mul")
    names = {node["id"]: node["name"] for node in shown.document["graph"]["nodes"]}
    assert names[after["node"]] == "MulBackward0"


def test_autograd_through_a_wrapper(ran: dict[str, Ran]) -> None:
    shown = ran["tensor-wrapper"]
    metres, mixed = shown.dispatches("torch.add")
    assert metres["outputs"][0]["object"] == "Quantity(value=tensor [3], unit={'metre': 1})"
    assert metres["outputs"][1]["values"] == [2, 4, 6]
    assert answers(mixed) == [("Quantity", "raised", "same")]
    assert mixed["error"] == "UnitError: cannot add metre and second"
    (square,) = shown.dispatches("torch.mul")
    assert "{'metre': 2}" in square["outputs"][0]["object"]
    (total,) = shown.dispatches("torch.sum")
    assert total["outputs"][1]["values"] == 14
    assert shown.grad("x") == [2, 4, 6]
