"""Snapshots of what a custom Function saves for backward, to detect later changes."""

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
    """A tensor and its values at one time.

    Attributes:
        name: Name in sentences.
        tensor: The tensor itself.
        before: Copy of its values at that time.
    """

    name: str
    tensor: Tensor
    before: Tensor


@dataclass(frozen=True, slots=True)
class Damage:
    """A tensor whose values have changed.

    Attributes:
        name: Name in sentences.
        tensor: The tensor itself.
        before: Values before the change.
        after: Values after the change.
    """

    name: str
    tensor: Tensor
    before: Tensor
    after: Tensor


def damaged(kept: Sequence[Kept]) -> list[Damage]:
    """The tensors that have changed since; for shared memory only the last one."""
    found = {
        (each.tensor.data_ptr(), each.tensor.shape): Damage(
            each.name, each.tensor, each.before, each.tensor.detach().clone()
        )
        for each in kept
        if not same_bits(each.tensor.detach(), each.before)
    }
    return list(found.values())


def kept_arguments(arguments: Sequence[Any], names: Sequence[str]) -> list[Kept]:
    """Snapshots of the dense tensors among the arguments."""
    return [kept for name, each in zip(names, arguments, strict=True) for kept in _kept(name, each)]


def kept_for_backward(outputs: Sequence[Tensor]) -> list[Kept]:
    """Snapshots of saved tensors and ctx tensors of all custom Functions behind outputs."""
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
