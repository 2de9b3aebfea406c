"""The tensors inside an argument or attribute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from gradviz.recorder.tensors import tensor_compat

_MOST_DEEP, _MOST_MEMBERS = 4, 1_000


def nested_tensors(value: Any, deep: int = _MOST_DEEP) -> list[torch.Tensor]:
    """The tensors in a value: itself, or members of plain containers.

    Args:
        value: A tensor, list, tuple, set or dict; anything else contains none.
        deep: Levels of nesting to search.
    """
    if isinstance(value, torch.Tensor):
        return [value]
    # Exact types only, because a subclass may run the user's code when it is iterated.
    if not deep or type(value) not in (list, tuple, set, frozenset, dict):
        return []
    members = list(value.values() if type(value) is dict else value)
    return [tensor for each in members[:_MOST_MEMBERS] for tensor in nested_tensors(each, deep - 1)]


def nested_arguments(values: Sequence[Any]) -> list[int]:
    """Places of the values that are no tensors, but contain one that requires grad."""
    return [
        place
        for place, value in enumerate(values)
        if not isinstance(value, torch.Tensor)
        and any(map(tensor_compat.requires_grad_of, nested_tensors(value)))
    ]
