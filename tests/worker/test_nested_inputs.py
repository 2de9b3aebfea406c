"""Arguments that are containers: their parts as inputs, and the containers that are passed."""

from __future__ import annotations

import collections
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from msgspec.structs import replace

import gradviz
from gradviz.model.inputs import InputSpec, Offer
from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.protocol.messages import DescribeRequest, Device, RunRequest
from gradviz.worker.describe import describe
from gradviz.worker.given_arguments import GivenArgument
from gradviz.worker.nested_inputs import MOST_PARTS, describe_argument, put_together
from gradviz.worker.prepared_call import prepare
from gradviz.worker.run import run
from gradviz.worker.user_errors import WorkError

CPU = Device(name="cpu", title="cpu", has_float64=True)
X, Y = torch.ones(2, requires_grad=True), torch.arange(3)


@dataclass(frozen=True)
class State:
    h: Any
    step: int = 3


class Pair(NamedTuple):
    a: Any
    b: Any


def edited(given: GivenArgument, **values: Any) -> Any:
    """The argument that is passed with other parts."""
    parts = {each.spec.name: each.value for each in given.parts} | values
    names, found = put_together(tuple(parts), tuple(parts.values()), (given,))
    assert names == ("b",)
    return found[0]


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ({"x": X, "s": [Y, 3]}, ["b['x']", "b['s'][0]", "b['s'][1]"]),
        ((X, {"k": None}), ["b[0]", "b[1]"]),
        (State(h=(X, Y)), ["b.h[0]", "b.h[1]", "b.step"]),
        (State(h="linear"), ["b.h", "b.step"]),
        (Pair(X, [0.5]), ["b.a", "b.b"]),
        ([[[X]]], ["b[0][0][0]"]),
        # These can be typed as a whole, or not at all.
        ((1, (2, 3)), []),
        ({"a": [1, None]}, []),
        ([], []),
        ([object(), torch.nn.ReLU()], []),
        ({X: X, "k" * 99: X}, []),
    ],
)
def test_parts_are_named_by_their_places(value: object, places: list[str]) -> None:
    assert [each.spec.name for each in describe_argument("b", value).parts] == places


def test_containers_keep_their_type_and_all_other_parts() -> None:
    new = torch.zeros(2)
    for value, place in (
        (collections.OrderedDict(x=X, y=Y), "b['x']"),
        (collections.defaultdict(list, x=X, y=Y), "b['x']"),
        (State(h=X), "b.h"),
        (Pair(X, Y), "b.a"),
        ((X, Y), "b[0]"),
        ([X, Y], "b[0]"),
    ):
        given = describe_argument("b", value)
        assert edited(given) is value
        found = edited(given, **{place: new})
        assert type(found) is type(value)
        assert found is not value
        parts = [each.value for each in describe_argument("b", found).parts]
        assert parts[0] is new
        assert parts[1] == 3 if isinstance(value, State) else parts[1] is Y


def test_only_what_has_changed_is_new() -> None:
    inner, new = [X], torch.zeros(2)
    value = {"h": inner, "hidden": [Y], "h2": State(h=X, step=4)}
    found = edited(describe_argument("b", value), **{"b['h2'].h": new})
    assert (found["h"], found["hidden"]) == (inner, value["hidden"])
    assert found["h"] is inner
    assert (found["h2"].h is new, found["h2"].step) == (True, 4)
    pair = State(h=X)
    object.__setattr__(pair, "hidden", Y)
    found = edited(describe_argument("b", pair), **{"b.hidden": new})
    assert (found.h is X, found.hidden is new) == (True, True)


class Picky(NamedTuple("Picky", [("a", Any)])):
    def __new__(cls, a: Any) -> Picky:
        if not a.any():
            raise ValueError("all zero")
        return super().__new__(cls, a)


def test_a_container_that_refuses_its_parts_is_one_sentence() -> None:
    given = describe_argument("b", Picky(X))
    with pytest.raises(WorkError, match=r"^b cannot be created with other parts. ValueError: all"):
        edited(given, **{"b.a": torch.zeros(2)})


class Loud:
    def __repr__(self) -> str:
        raise ValueError


def test_keys_and_attributes_may_raise() -> None:
    given = describe_argument("b", {Loud(): X})
    assert (given.parts, given.spec.text) == ((), "<dict>")


def test_large_deep_and_endless_containers_are_whole() -> None:
    endless: list[Any] = [X]
    endless += [endless, endless]
    deep: Any = X
    for _ in range(5000):
        deep = [deep]
    since = time.process_time()
    for value, words in (
        ([X] * (MOST_PARTS + 1), "more than 64 parts"),
        ({"a": [X] * 60, "b": [X] * 60}, "more than 64 parts"),
        (dict.fromkeys(range(100_000), X), "more than 64 parts"),
        (endless, "contains itself"),
        (deep, "more than 16 levels deep"),
    ):
        given = describe_argument("batch", value)
        assert given.parts == ()
        assert (given.spec.kind, given.spec.text) == ("object", f"<{type(value).__name__}>")
        assert words in given.spec.note
    assert time.process_time() - since < 2


SOURCE = """
import torch
from dataclasses import dataclass

@dataclass
class State:
    h: torch.Tensor
    scale: float

def both(batch, state):
    return batch['x'] * batch['s'][0] * state.h * state.scale

EXAMPLES = {'both': (
    {'x': torch.randn(2, requires_grad=True), 's': [torch.ones(2, requires_grad=True)]},
    State(torch.ones(2), 2.0),
)}
"""


@pytest.fixture
def offer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Offer:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "spread.py").write_text(SOURCE)
    (found,) = describe(DescribeRequest(path=str(tmp_path / "spread.py"))).offers
    return found


def test_edited_parts_run(offer: Offer, tmp_path: Path) -> None:
    names = ["batch['x']", "batch['s'][0]", "state.h", "state.scale"]
    assert [spec.name for spec in offer.inputs] == names
    specs = list(offer.inputs)
    specs[1] = InputSpec(name=names[1], shape=(2,), dtype="float32", fill="values", values=(3, 4))
    specs[3] = InputSpec(name=names[3], kind="object", text="5.0")
    changed = replace(offer, inputs=tuple(specs), seed=3)
    torch.manual_seed(3)
    x = torch.randn(2)
    prepared = prepare(changed, CPU)
    passed, (batch, state) = prepared.arguments(prepared.values)
    assert passed == ("batch", "state")
    assert torch.equal(batch["x"], x)
    assert batch["s"][0].tolist() == [3, 4]
    assert (type(state).__name__, state.h.tolist(), state.scale) == ("State", [1, 1], 5.0)
    path = tmp_path / "run.gradviz"
    assert run(RunRequest(offer=changed, trace=str(path))).problem == ""
    with gradviz.load(path) as trace:
        leaves = [each.variable_name for each in trace.nodes if each.kind == "accumulate"]
        assert leaves == ["batch['x']"]


def test_what_if_changes_a_part(offer: Offer, tmp_path: Path) -> None:
    target = InputTarget(position=1, name="batch['s'][0]")
    change = WhatIfChange(target=target, dtype="float32", shape=(2,), way="scale", factor=3.0)
    path = tmp_path / "run.gradviz"
    request = RunRequest(offer=offer, trace=str(path), changes=(change,))
    assert run(request).problem == ""
    with gradviz.load(path) as trace:
        assert trace.steps[0]["other"].tensor.numpy().tolist() == [3, 3]
