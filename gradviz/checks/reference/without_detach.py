"""Execution with intact autograd history, as if nothing in a function had been detached.

This restores the history that ``.detach()``, ``.data``, ``torch.no_grad()``, and a tensor made
from a tensor drop. If the two Jacobians agree only then, such a cut is the cause.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from gradviz.checks.reference.calling_line import CallingLine, find_calling_line
from gradviz.recorder.patching.signals import calls_user_code

_LEAVING = {
    "item": ".item()",
    "tolist": ".tolist()",
    "numpy": ".numpy()",
    "__array__": "NumPy",
    "__float__": "float()",
    "__int__": "int()",
    "__complex__": "complex()",
}


class WithoutDetachMode(TorchFunctionMode):
    """Mode in which no operation cuts the autograd history of tensors.

    Attributes:
        cuts: Operations that would have cut it, in order, each with its line.
        leaks: Places where values left torch, so that no history can follow, each with its line.
    """

    def __init__(self) -> None:
        super().__init__()
        self.cuts: list[tuple[str, CallingLine | None]] = []
        self.leaks: list[tuple[str, CallingLine | None]] = []

    @calls_user_code
    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Intercept every call of a torch function."""
        name = _cutting(func, args) if torch.is_grad_enabled() else ""
        leaving = getattr(func, "__name__", "") in _LEAVING
        if leaving and torch.is_grad_enabled() and _has_history(args[0]):
            self.leaks.append((_LEAVING[func.__name__], find_calling_line()))
            # The code has detached it, which had no effect here; torch converts nothing with a
            # history.
            return func(args[0].detach(), *args[1:], **(kwargs or {}))
        if not name:
            return func(*args, **(kwargs or {}))
        self.cuts.append((name, find_calling_line()))
        return None if name == "torch.no_grad()" else _whole(args[-1])


def _has_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


def _whole(value: Tensor) -> Tensor:
    # Another tensor object, as from the functions that are replaced.
    return value.view_as(value)


def _cutting(func: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """Name, as written in source, of a function that cuts history; empty for any other."""
    name: str = getattr(func, "__name__", "")
    # `torch.no_grad` calls this; without the call, gradients stay enabled.
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
    """Name of the attribute that a getter reads."""
    return str(getattr(getattr(getter, "__self__", None), "__name__", ""))
