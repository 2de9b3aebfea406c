"""Runs a function with its history uncut, as if nothing in it had been detached.

What ``.detach()``, ``.data``, ``torch.no_grad()`` and a tensor made of a tensor leave out of the
history is put back in. If only then the two Jacobians agree, that cut is what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from gradviz.checks.reference.user_line import UserLine, user_line

_LEAVING = {
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": "NumPy",
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
}


class Attached(TorchFunctionMode):
    """While it is active, the history of tensors is not cut.

    Attributes:
        cuts: What would have cut it, in order, each with its line.
        leaks: Where numbers have left torch, so that no history can follow them, likewise.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cuts: list[tuple[str, UserLine | None]] = []
        self.leaks: list[tuple[str, UserLine | None]] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Called instead of each function of torch."""
        name = _cutting(func, args) if torch.is_grad_enabled() else ""
        leaving = getattr(func, "__name__", "") in _LEAVING
        if leaving and torch.is_grad_enabled() and _has_history(args[0]):
            self.leaks.append((_LEAVING[func.__name__], user_line()))
            return func(args[0].detach(), *args[1:], **(kwargs or {}))
        if not name:
            return func(*args, **(kwargs or {}))
        self.cuts.append((name, user_line()))
        return None if name == "torch.no_grad()" else _whole(args[-1])


def _has_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _whole(value: Tensor) -> Tensor:
    return value.view_as(value)


def _cutting(func: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """How the source calls something that cuts a history; empty for everything else."""
    name: str = getattr(func, "__name__", "")
    if name == "_set_grad_enabled":
        return "" if args[0] else "torch.no_grad()"
    if not args or not _has_history(args[-1]):
        return ""
    if name == "detach":
        return ".detach()"
    if name == "__get__" and _attribute(func) == "data":
        return ".data"
    return f"torch.{name}()" if name in ("tensor", "new_tensor") else ""


def _attribute(getter: Callable[..., Any]) -> str:
    """Name of the attribute that a getter gets."""
    return str(getattr(getattr(getter, "__self__", None), "__name__", ""))
