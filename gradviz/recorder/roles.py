"""Roles of saved values in the calls that saved them."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.model.graph import SavedRole
from gradviz.recorder import compat


def role_of(
    value: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[SavedRole, int | None]:
    """Role of a saved value in its call, and the index of the argument or output it is."""
    if value is None:
        return "none", None
    for index, argument in enumerate(arguments):
        if _is_same(value, argument):
            return "input", index
    for index, output in enumerate(outputs):
        if _is_same(value, output):
            return "output", index
    for index, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor) and _share_storage(value, argument):
            return "view_of_input", index
    return "intermediate", None


def _is_same(one: Any, other: Any) -> bool:
    """Whether two values are the same; under vmap, torch saves what is inside its wrapper."""
    if one is other:
        return True
    if not (isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor)):
        return False
    return compat.unwrapped(one) is compat.unwrapped(other)


def _share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    one, other = compat.unwrapped(one), compat.unwrapped(other)
    if one.layout is not torch.strided or other.layout is not torch.strided:
        return False
    return compat.storage_address(one) == compat.storage_address(other)
