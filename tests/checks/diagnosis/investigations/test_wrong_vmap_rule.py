"""A wrong ``vmap`` rule is found, and no right one is accused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function
from torch.testing._internal import autograd_function_db as database

from gradviz.model.check_settings import CheckSettings
from tests.checks.sample_functions import checked, randn

pytestmark = pytest.mark.filterwarnings("ignore:There is a performance drop:UserWarning")


def codes_of(function: type[Function], *arguments: Any) -> list[str]:
    return [each.code for each in checked(function, arguments)[0].diagnoses]


class Weighted(Function):
    """``(x w).sum(dim)`` with the rule of a subclass."""

    @staticmethod
    def forward(x: Tensor, w: Tensor, dim: int) -> Tensor:
        return (x * w).sum(dim)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, w, ctx.dim = inputs
        ctx.save_for_backward(x, w)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, w = ctx.saved_tensors
        spread = gradients[0].unsqueeze(ctx.dim)
        return spread * w, spread * x, None


def moved(info: Any, in_dims: Any, x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
    """Both tensors with the batch in front."""
    made = [
        each.expand(info.batch_size, *each.shape) if dim is None else each.movedim(dim, 0)
        for each, dim in zip((x, w), in_dims, strict=False)
    ]
    return made[0], made[1]


def right(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x, w, dim + 1), 0


def batch_last(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x, w, dim + 1).movedim(0, -1), 1


def forgets_the_dimension(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x, w, dim), 0


def takes_the_batch_in_front(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    return Weighted.apply(x, w, dim + 1), 0


def refuses_what_is_not_batched(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    return Weighted.apply(x.movedim(in_dims[0], 0), w.movedim(in_dims[1], 0), dim + 1), 0


def names_the_wrong_dimension(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x, w, dim + 1), 1


def uses_the_first_for_all(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x, w[:1].expand_as(w), dim + 1), 0


def detaches(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return Weighted.apply(x.detach(), w, dim + 1), 0


RULES: dict[str, tuple[Callable[..., Any], str]] = {
    "right": (right, ""),
    "right, batch last": (batch_last, ""),
    "forgets the dimension": (forgets_the_dimension, "other results"),
    "takes the batch in front": (takes_the_batch_in_front, "other results"),
    "refuses None": (refuses_what_is_not_batched, "raises an exception"),
    "wrong out_dims": (names_the_wrong_dimension, "other results"),
    "first weight for all": (uses_the_first_for_all, "other results"),
    "detached": (detaches, "the same values as separate calls, but other gradients"),
}


def with_rule(rule: Callable[..., Any], base: type[Function] = Weighted) -> type[Function]:
    return type("Ruled", (base,), {"vmap": staticmethod(rule)})


@pytest.mark.parametrize("shape", [(2, 4), (3, 3)])
@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_compared_with_separate_calls(name: str, shape: tuple[int, int]) -> None:
    rule, words = RULES[name]
    report, _ = checked(with_rule(rule), (randn(*shape), randn(*shape, seed=1), 0))
    assert report.verdict == "match"  # That of gradcheck, which does not look at the rule.
    assert report.passed == (not words)
    found = report.diagnoses[0]
    assert found.code == ("wrong_vmap_rule" if words else "none")
    if words:
        assert "torch.vmap over Ruled" in found.message
        assert words in found.message
        assert all("With in_dims=(" in each for each in found.evidence)


def test_the_evidence_says_where_and_by_how_much() -> None:
    x, w = randn(2, 4), randn(2, 4, seed=1)
    report, _ = checked(with_rule(uses_the_first_for_all), (x, w, 0))
    x, w = x.detach(), w.detach()
    rows = torch.stack([(x * w * (1 - k / 10) ** 2).sum(0) for k in range(3)])
    first = torch.stack([(x * w * (1 - k / 10)).sum(0) for k in range(3)])
    distance = float((rows - first).abs().max())
    assert report.diagnoses[0].evidence[0] == (
        f"With in_dims=(0, 0, None), output differs by up to {distance:.3g} from that of separate "
        "calls."
    )


@pytest.mark.parametrize("settings", [CheckSettings(battery=False), CheckSettings()])
def test_it_belongs_to_what_gradcheck_never_tries(settings: CheckSettings) -> None:
    given = (randn(2, 4), randn(2, 4, seed=1), 0)
    report, _ = checked(with_rule(forgets_the_dimension), given, settings=settings)
    assert report.passed == (not settings.battery)
    twice, _ = checked(with_rule(forgets_the_dimension), given, settings=settings, order=2)
    assert twice.passed


class WrongBackward(Weighted):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        of_x, of_w, _ = Weighted.backward(ctx, *gradients)
        return of_x * 2, of_w, None


def plain(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
    x, w = moved(info, in_dims, x, w)
    return (x * w).sum(dim + 1), 0


def test_a_right_rule_is_not_blamed_for_a_wrong_backward() -> None:
    given = (randn(2, 4), randn(2, 4, seed=1), 0)
    found = codes_of(with_rule(plain, WrongBackward), *given)
    assert found == ["factor_constant"]
    assert "wrong_vmap_rule" in codes_of(with_rule(forgets_the_dimension, WrongBackward), *given)


class Generated(Function):
    """Its rule is generated, which fails if forward reads a number."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor, reads: bool) -> Tensor:
        return x * (2.0 + 0 * float(x.sum()) if reads else 2.0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2, None


def test_a_generated_rule_is_tried_too() -> None:
    assert codes_of(Generated, randn(3), False) == ["none"]
    report, _ = checked(Generated, (randn(3), True))
    found = report.diagnoses[0]
    assert (report.verdict, found.code) == ("match", "wrong_vmap_rule")
    assert found.evidence[-1] == (
        "Torch generates the rule from forward and backward (generate_vmap_rule = True)."
    )


class Counts(Function):
    """Returns a count that is not a tensor; vmap has nothing to compare it with."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> tuple[Tensor, int]:
        return x * 2, 3

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2


def test_what_cannot_be_compared_is_not_accused() -> None:
    assert codes_of(Counts, randn(3)) == ["none"]
    assert codes_of(Weighted, randn(2, 3), randn(2, 3, seed=1), 1) == ["none"]


DATABASE = {
    "cube": (database.NumpyCube, lambda: (randn(2, 3),)),
    "product": (database.NumpyMul, lambda: (randn(2, 3), randn(2, 3, seed=1))),
    "sort": (database.NumpySort, lambda: (randn(3, 5), 1)),
    "scaled": (database.ScaleGradGenVmap, lambda: (randn(3), 0.3)),
    "cube generated": (database.CubeGenVmap, lambda: (randn(3),)),
    "product generated": (database.MulGenVmap, lambda: (randn(3), randn(3, seed=1))),
    "exp": (database.NumpyExp_, lambda: (randn(3).detach().requires_grad_() * 1,)),
}


@pytest.mark.parametrize("name", DATABASE)
def test_the_rules_of_torchs_own_database_are_right(name: str) -> None:
    function, arguments = DATABASE[name]
    assert "wrong_vmap_rule" not in codes_of(function, *arguments())


@dataclass(frozen=True)
class Plan:
    """A generated rule: what it does with the batch of each input, and where it puts that."""

    moves: tuple[bool, bool]
    shifts: bool
    out: int
    names_out: bool


@settings(max_examples=25, derandomize=True, deadline=None)
@given(
    plan=st.builds(
        Plan,
        moves=st.tuples(st.booleans(), st.booleans()),
        shifts=st.booleans(),
        out=st.integers(0, 1),
        names_out=st.booleans(),
    )
)
def test_generated_rules_agree_with_torch(plan: Plan) -> None:
    """Right and wrong rules: accused if and only if vmap and a loop of torch differ."""

    def rule(info: Any, in_dims: Any, x: Tensor, w: Tensor, dim: int) -> Any:
        made = []
        for each, at, moves in zip((x, w), in_dims, plan.moves, strict=False):
            if at is None:
                made.append(each.expand(info.batch_size, *each.shape))
            else:
                made.append(each.movedim(at, 0) if moves else each.reshape(-1, *each.shape[1:]))
        found = Weighted.apply(*made, dim + plan.shifts)
        return found.movedim(0, plan.out), plan.out if plan.names_out else 0

    function, x, w = with_rule(rule), randn(3, 3), randn(3, 3, seed=1)
    wrong = not all(
        agrees(function, dims, x.detach(), w.detach())
        for dims in ((0, 0), (2, 2), (0, None), (None, 0))
    )
    assert ("wrong_vmap_rule" in codes_of(function, x, w, 1)) == wrong


def agrees(function: type[Function], dims: tuple[Any, Any], x: Tensor, w: Tensor) -> bool:
    xs, ws = (
        each if dim is None else torch.stack([each, each / 2], dim)
        for each, dim in zip((x, w), dims, strict=True)
    )
    rows = [
        function.apply(
            *(
                each if dim is None else each.select(dim, k)
                for each, dim in zip((xs, ws), dims, strict=True)
            ),
            1,
        )
        for k in range(2)
    ]
    try:
        found = torch.vmap(function.apply, (*dims, None))(xs, ws, 1)
    except (RuntimeError, IndexError, ValueError):
        return False
    return found.shape == (2, 3) and np.allclose(found, torch.stack(rows))
