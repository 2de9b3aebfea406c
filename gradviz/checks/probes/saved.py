"""What a custom Function keeps for backward, and whether some of it has changed meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.once import nodes_of
from gradviz.checks.probes.distance import same_bits
from gradviz.recorder.compat import BackwardNode


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor and what it held.

    Attributes:
        name: For a sentence.
        tensor: The tensor itself.
        before: Its values then.
    """

    name: str
    tensor: Tensor
    before: Tensor


@dataclass(frozen=True, slots=True)
class Damage:
    """A tensor that holds something else than before.

    Attributes:
        name: For a sentence.
        tensor: The tensor itself.
        before: Its values before.
        after: Its values afterwards.
    """

    name: str
    tensor: Tensor
    before: Tensor
    after: Tensor


def damaged(kept: Sequence[Kept]) -> list[Damage]:
    """Those that do not hold now what they held; the last one for the same memory."""
    found = {
        (each.tensor.data_ptr(), each.tensor.shape): Damage(
            each.name, each.tensor, each.before, each.tensor.detach().clone()
        )
        for each in kept
        if not same_bits(each.tensor.detach(), each.before)
    }
    return list(found.values())


def kept_arguments(arguments: Sequence[Any], names: Sequence[str]) -> list[Kept]:
    """The dense tensors among the arguments."""
    return [kept for name, each in zip(names, arguments, strict=True) for kept in _kept(name, each)]


def kept_for_backward(outputs: Sequence[Tensor]) -> list[Kept]:
    """Saved tensors and tensors on ctx of every custom Function behind some outputs."""
    return [
        kept
        for node in nodes_of(outputs)
        if isinstance(node, BackwardNode)
        for name, each in _of_node(node)
        for kept in _kept(name, each)
    ]


def _of_node(node: Any) -> Iterator[tuple[str, Any]]:
    for k, each in enumerate(node.saved_tensors):
        yield f"saved tensor {k} of {_title(node)}", each
    for key, each in vars(node).items():
        yield f"ctx.{key} of {_title(node)}", each


def _title(node: Any) -> str:
    return getattr(getattr(type(node), "_forward_cls", None), "__name__", "a Function")


def _kept(name: str, value: Any) -> Iterator[Kept]:
    if isinstance(value, Tensor) and value.layout is torch.strided:
        yield Kept(name, value, value.detach().clone())
    elif isinstance(value, list | tuple):
        for k, each in enumerate(value):
            yield from _kept(f"{name}[{k}]", each)
