"""What a saved value is to the call that saved it."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.model.graph import SavedRole
from gradviz.recorder import compat


def role_of(
    value: Any, arguments: tuple[Any, ...], outputs: tuple[Any, ...]
) -> tuple[SavedRole, int | None]:
    """What a saved value is to the call, and which argument or output it is."""
    if value is None:
        return "none", None
    for index, argument in enumerate(arguments):
        if value is argument:
            return "input", index
    for index, output in enumerate(outputs):
        if value is output:
            return "output", index
    for index, argument in enumerate(arguments):
        if isinstance(argument, torch.Tensor) and _share_storage(value, argument):
            return "view_of_input", index
    return "intermediate", None


def _share_storage(one: torch.Tensor, other: torch.Tensor) -> bool:
    one, other = compat.unwrapped(one), compat.unwrapped(other)
    if one.layout is not torch.strided or other.layout is not torch.strided:
        return False
    return compat.storage_address(one) == compat.storage_address(other)
