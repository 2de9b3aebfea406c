"""Checks of tensors inside of containers, against gradcheck of the same tensors."""

from __future__ import annotations

from collections import OrderedDict, namedtuple
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import Function, gradcheck

import gradviz


class Scale(Function):
    """Twice the product; its backward forgets the factor for ``b``."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return 2 * a * b

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return 2 * grad * b, grad * a


Pair = namedtuple("Pair", "a b")


@dataclass(frozen=True)
class State:
    """A state of a recurrent network."""

    h: list[Tensor]
    c: Tensor
    name: str = "state"


def leaf(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def by_key(batch: dict[str, Tensor]) -> Tensor:
    return Scale.apply(batch["x"], batch["y"])


def by_attribute(pair: Any) -> Tensor:
    return Scale.apply(pair.a, pair.b)


def by_path(factor: float, state: State) -> Tensor:
    return factor * Scale.apply(state.h[0], state.c)


class Net(nn.Module):
    """A module that takes a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(leaf(0.5, 0.25))

    def forward(self, batch: dict[str, Tensor]) -> Tensor:
        return Scale.apply(batch["x"], batch["y"]) * self.weight


X, Y = leaf(1.0, 2.0), leaf(3.0, 4.0)


@pytest.mark.parametrize(
    ("function", "inputs", "names"),
    [
        (by_key, ({"x": X, "y": Y},), ("batch['x']", "batch['y']")),
        (by_key, (OrderedDict(x=X, y=Y, z=torch.ones(2)),), ("batch['x']", "batch['y']")),
        (by_attribute, (Pair(X, Y),), ("pair.a", "pair.b")),
        (by_path, (1.0, State([X], Y)), ("state.h[0]", "state.c")),
        (by_path, (1.0, State([X], Y.detach())), ("state.h[0]",)),
    ],
)
def test_each_tensor_is_checked_at_its_place(
    function: Any, inputs: tuple[Any, ...], names: tuple[str, ...]
) -> None:
    result = gradviz.check(function, inputs)
    wrong = {each.input_name: each.wrong for each in result.report.blocks}
    # gradcheck compares the same tensors, given one by one.
    given = (X, Y if len(names) == 2 else Y.detach())
    assert gradcheck(Scale.apply, given, raise_exception=False) == (result.verdict == "match")
    assert tuple(wrong) == names
    assert [count > 0 for count in wrong.values()] == [False, True][: len(names)]
    assert (X.tolist(), Y.tolist()) == ([1.0, 2.0], [3.0, 4.0])


def test_a_module_with_a_batch_is_checked_with_its_parameters() -> None:
    result = gradviz.check(Net(), ({"x": X, "y": Y},))
    wrong = {each.input_name: each.wrong for each in result.report.blocks}
    assert {name: bool(count) for name, count in wrong.items()} == {
        "batch['x']": False,
        "batch['y']": True,
        "weight": False,
    }


def test_a_reference_takes_the_same_containers() -> None:
    def plain(batch: dict[str, Tensor]) -> Tensor:
        return 2 * batch["x"] * batch["y"]

    result = gradviz.check(by_key, ({"x": X, "y": Y},), reference=plain)
    (right, wrong) = result.report.blocks
    assert (right.wrong, wrong.wrong) == (0, 2)
    assert None not in (right.reference, wrong.reference)
    assert (right.reference_wrong, wrong.reference_wrong) == (0, 0)
    assert gradviz.check(plain, ({"x": X, "y": Y},), order=2).verdict == "match"


def test_a_container_that_contains_itself_ends() -> None:
    batch: dict[str, Any] = {"x": X, "y": Y.detach()}
    batch["itself"] = [batch, batch]
    result = gradviz.check(by_key, (batch,))
    assert result.verdict == "match"
    assert [each.input_name for each in result.report.blocks] == ["batch['x']"]


def test_one_tensor_in_two_places_is_one_input() -> None:
    def square(batch: dict[str, Any]) -> Tensor:
        assert batch["x"] is batch["y"][0]
        return 3 * batch["x"] * batch["y"][0]

    result = gradviz.check(square, ({"x": X, "y": (X,)},))
    assert (result.verdict, len(result.report.blocks)) == ("match", 1)
    assert result.matrix("batch['x']", "analytical").diagonal().tolist() == (6 * X).tolist()


@dataclass
class Derived:
    """Computes a field and another attribute when it is created."""

    x: Tensor
    y: Tensor = field(init=False)

    def __post_init__(self) -> None:
        self.y = self.x * 2
        self.z = self.x.exp()


@pytest.mark.parametrize("value", [Derived(X), {"x": X, "y": X * 2, "z": X[:]}])
def test_a_tensor_computed_from_another_is_an_input_too(value: Any) -> None:
    # gradcheck says so of three leaves with these values.
    def product(given: Any) -> Tensor:
        values = given if isinstance(given, dict) else vars(given)
        return values["x"] * values["y"] * values["z"]

    result = gradviz.check(product, (value,))
    assert result.verdict == "match"
    assert len(result.report.blocks) == 3
    assert (X.tolist(), X.grad) == ([1.0, 2.0], None)
