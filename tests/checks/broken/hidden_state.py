"""Functions whose results depend on state that is not an argument."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.autograd import Function

from tests.checks.broken.corpus import cases, inputs


class KeptOnTheClass(Function):
    """The last call of forward decides what every backward uses."""

    x: Tensor

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        KeptOnTheClass.x = x
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 3 * KeptOnTheClass.x**2


CACHE: dict[str, Tensor] = {}


class KeptGlobally(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        CACHE["x"], CACHE["w"] = x, w
        return x @ w

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] @ CACHE["w"].t(), CACHE["x"].t() @ gradients[0]


class Counts(Function):
    """Scales by the number of calls."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        Counts.calls += 1
        ctx.scale = scale = 1 + 0.01 * Counts.calls
        return x * scale

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.scale


class Momentum(Function):
    """Backward adds what earlier backwards gave."""

    past: Tensor | float = 0.0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        gradient: Tensor = 0.9 * Momentum.past + 2 * gradients[0]
        Momentum.past = gradient
        return gradient


class RunningCenter(nn.Module):
    """Subtracts a running mean that each call moves."""

    center: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("center", torch.zeros(3, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            self.center += 0.1 * (x.mean(0) - self.center) + 0.01
        centered: Tensor = x - self.center
        return centered**2


class RemembersTheFirst(Function):
    """A cache whose key is only the shape."""

    cache: ClassVar[dict[torch.Size, Tensor]] = {}

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        if x.shape not in RemembersTheFirst.cache:
            RemembersTheFirst.cache[x.shape] = x.exp()
        return RemembersTheFirst.cache[x.shape].clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.exp()


class OnlyCounts(Function):
    """Correct: it counts calls, but the count changes nothing."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        OnlyCounts.calls += 1
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.cos()


class Constants(Function):
    """Correct: the value it keeps on the class never changes."""

    table: Tensor | None = None

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        if Constants.table is None:
            Constants.table = torch.arange(1.0, 5.0, dtype=x.dtype)
        return x * Constants.table

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * Constants.table


def _normalized(*, training: bool) -> nn.Module:
    return nn.BatchNorm1d(3, dtype=torch.float64).train(training)


CASES = (
    *cases(
        "hidden_state",
        ("kept on the class", KeptOnTheClass, inputs((2, 3))),
        ("kept globally", KeptGlobally, inputs((2, 3), (3, 2))),
        ("counts", Counts, inputs((3,))),
        ("momentum", Momentum, inputs((3,))),
        ("remembers the first", RemembersTheFirst, inputs((3,))),
        ("running center", RunningCenter(), inputs((4, 3))),
    ),
    *cases(
        "none",
        ("only counts", OnlyCounts, inputs((3,))),
        ("constants", Constants, inputs((4,))),
        ("batch norm in training", _normalized(training=True), inputs((4, 3))),
        ("batch norm in eval", _normalized(training=False), inputs((4, 3))),
    ),
)
