"""Torch functions that may write to their arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OPERATORS = frozenset(
    f"__i{name}__"
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "div", "mod", "pow", "matmul"),
        *("and", "or", "xor", "lshift", "rshift"),
    )
)
_SWITCHED = frozenset(
    (
        *("alpha_dropout", "celu", "dropout", "dropout1d", "dropout2d", "dropout3d", "elu"),
        *("feature_alpha_dropout", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "mish"),
        *("relu", "relu6", "rrelu", "selu", "silu", "threshold"),
    )
)
"""Functions with an ``inplace`` argument."""

_RUNNING = frozenset(("batch_norm", "instance_norm"))
"""Functions that update running statistics."""


def may_write(function: Callable[..., Any]) -> bool:
    """Whether a function may write to an argument, judging by its name."""
    name: str = getattr(function, "__name__", "")
    if name.endswith("_"):
        return not name.endswith("__") or name == "__setitem__" or name in _OPERATORS
    return name in _SWITCHED or name in _RUNNING
