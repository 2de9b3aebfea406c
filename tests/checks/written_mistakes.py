"""Functions as people write them, each right and with mistakes: recurrences, attention, solvers.

A family is a forward, a backward with named mistakes, and inputs. ``forward`` returns its output
and what to save; ``backward`` takes the name of the mistake, or "".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function


@dataclass(frozen=True, slots=True)
class Written:
    """A Function with inputs.

    Attributes:
        name: Family and mistake.
        function: The Function.
        inputs: Its arguments.
        codes: The diagnoses that are right; only ``none`` for a correct Function.
    """

    name: str
    function: type[Function]
    inputs: tuple[Any, ...]
    codes: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An input of random values that requires a gradient.

    Attributes:
        shape: Its shape.
        low: With a number, all values are positive and above it.
    """

    shape: tuple[int, ...]
    low: float | None = None

    def made(self, source: torch.Generator) -> Tensor:
        """Draw the values."""
        values = torch.randn(self.shape, generator=source, dtype=torch.float64)
        return (values if self.low is None else values.abs() + self.low).requires_grad_()


def drawn(*shape: int, low: float | None = None) -> Drawn:
    """An input that is drawn for each Function, so that families do not depend on their order."""
    return Drawn(shape, low)


Family = tuple[Callable[..., Any], Callable[..., Any], tuple[Any, ...], dict[str, str]]
FAMILIES: dict[str, Family] = {}

TERM = "missing_term"
OPERATION = "wrong_operation"
FACTOR = "factor_constant"
SIZE = "factor_batch_size factor_constant"
SIGN = "factor_sign"
SOME = "wrong_some_indices"
TRANSPOSED = "transposed"


def written(name: str) -> Iterator[Written]:
    """A family, right and with each of its mistakes."""
    forward, backward, inputs, mistakes = FAMILIES[name]
    for mistake, codes in {"": "none", **mistakes}.items():
        function, source = _function(forward, backward, mistake), torch.Generator().manual_seed(5)
        values = tuple(e.made(source) if isinstance(e, Drawn) else e for e in inputs)
        yield Written(f"{name} {mistake}".strip(), function, values, frozenset(codes.split()))


def _function(forward_of: Callable[..., Any], back: Callable[..., Any], m: str) -> type[Function]:
    class Written(Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            output, saved = forward_of(*inputs)
            ctx.save_for_backward(*saved)
            return output

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Any:
            return back(m, g, *ctx.saved_tensors)

    return Written


def family(inputs: tuple[Any, ...], **mistakes: str) -> Callable[[type], type]:
    """Add a family: its inputs, and for each mistake the right codes, separated by spaces."""

    def keep(pair: Any) -> type:
        FAMILIES[pair.__name__] = (pair.forward, pair.backward, inputs, mistakes)
        return pair

    return keep
