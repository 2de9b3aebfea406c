"""What the recorder knows of a torch function alone, whatever it is called with."""

from __future__ import annotations

import functools
from typing import Any, Literal

import torch
from msgspec import Struct

from gradviz.recorder import compat
from gradviz.recorder.tensors import tensor_compat

FunctionRole = Literal["", "hooks", "gradient", "data", "export", "silent", "unscale"]


class TorchFunction(Struct, frozen=True, eq=False):
    """What is known of a torch function.

    Attributes:
        name: ``mul`` for ``Tensor.__mul__``, ``library.op`` for a library's.
        writes: Whether it may write to an argument, judging by its name.
        starts_pass: Whether it starts a backward pass.
        role: What else it may do that is recorded: add hooks to a tensor, use ``x.grad`` or
            ``x.data``, give away memory, or write or unscale gradients without moving version
            counters.
    """

    name: str
    writes: bool
    starts_pass: bool
    role: FunctionRole


def torch_function(function: Any) -> TorchFunction:
    """What is known of a function, which is found out once."""
    try:
        return _read_once(function)
    except TypeError:
        # One of the user's, which cannot be hashed.
        return _read(function)


def _read(function: Any) -> TorchFunction:
    name: str = getattr(function, "__name__", "")
    writes, role = _may_write(function, name), _role_of(function, name)
    return TorchFunction(_name_of(function), writes, name in _BACKWARD, role)


_read_once = functools.lru_cache(maxsize=4096)(_read)


def _name_of(function: Any) -> str:
    if isinstance(function, compat.LIBRARY_OPS):
        return compat.library_op_name(function)
    name: str = getattr(function, "__name__", type(function).__name__)
    if name in ("__get__", "__set__"):
        return str(getattr(function.__self__, "__name__", name))
    if name.startswith("__") and name.endswith("__"):
        return name.strip("_")
    return name


def _may_write(function: Any, name: str) -> bool:
    # ``mul_`` and ``__imul__`` write, ``__mul__`` does not.
    if name.endswith("__"):
        return name == "__setitem__" or name in _OPERATORS
    if name.endswith("_"):
        # No function of that module creates a node.
        return getattr(function, "__module__", "") != torch.nn.init.__name__
    return name in _SWITCHED


def _role_of(function: Any, name: str) -> FunctionRole:
    if function in (torch.Tensor.register_hook, torch.Tensor.retain_grad):
        return "hooks"
    if function == tensor_compat.grad_of:
        return "gradient"
    if tensor_compat.is_data_access(function):
        return "data"
    if tensor_compat.writes_silently(name):
        return "silent"
    return "unscale" if function is tensor_compat.UNSCALE else "export" if name in _EXPORTS else ""


_BACKWARD = frozenset(("backward", "grad"))
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
        *("relu", "relu6", "rrelu", "selu", "silu", "threshold", "batch_norm", "instance_norm"),
    )
)
"""Functions with an ``inplace`` argument, or that update running statistics."""

_EXPORTS = frozenset(
    (
        *("numpy", "__array__", "__dlpack__", "data_ptr", "storage", "untyped_storage"),
        *("unsafe_split", "unsafe_split_with_sizes", "unsafe_chunk", "share_memory_"),
    )
)
"""Functions whose results can be used to write without moving the version counter."""
