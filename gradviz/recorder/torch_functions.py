"""What the recorder knows of a torch function alone, whatever it is called with."""

from __future__ import annotations

from functools import partial
from types import (
    BuiltinFunctionType,
    FunctionType,
    GetSetDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Literal

import torch
from msgspec import Struct

from gradviz.recorder import compat
from gradviz.recorder.safe_text import callable_name, class_module
from gradviz.recorder.sources import is_hidden
from gradviz.recorder.tensors import tensor_compat

FunctionRole = Literal["", "hooks", "gradient", "data", "export", "silent", "unscale", "inert"]


class TorchFunction(Struct, frozen=True, eq=False):
    """What is known of a torch function.

    Attributes:
        function: The function; in place of an object whose attributes may run code of the user's,
            one with its name.
        name: ``mul`` for ``Tensor.__mul__``, ``library.op`` for a library's.
        writes: Whether it may write to an argument, judging by its name.
        starts_pass: Whether it starts a backward pass.
        role: What else it may do that is recorded: add hooks to a tensor, use ``x.grad`` or
            ``x.data``, give away memory, or write or unscale gradients without moving version
            counters; ``inert`` if it only reads a property of a tensor or sets ``x.grad``.
        permanent: Whether it is torch's, so that it lives as long as the process.
    """

    function: Any
    name: str
    writes: bool
    starts_pass: bool
    role: FunctionRole
    permanent: bool


def torch_function(function: Any) -> TorchFunction:
    """What is known of a function, which is found out once for each of torch's."""
    # To hash an object of another type may run the user's code.
    known = _known.get(function) if id(type(function)) in _HASHED else None
    return _read(function) if known is None else known


_known: dict[Any, TorchFunction] = {}
_HASHED = frozenset(
    map(
        id,
        (
            *(BuiltinFunctionType, FunctionType, MethodDescriptorType, MethodWrapperType),
            *(WrapperDescriptorType, *compat.LIBRARY_OPS),
        ),
    )
)


def _read(function: Any) -> TorchFunction:
    if not _is_readable(function):
        function = _Named(callable_name(function))
    name: str = getattr(function, "__name__", "")
    writes, role = _may_write(function, name), _role_of(function, name)
    is_backward, is_permanent = name in _BACKWARD, _is_permanent(function)
    found = TorchFunction(function, _name_of(function), writes, is_backward, role, is_permanent)
    if is_permanent:
        _known[function] = found
    return found


class _Named:
    """Stands for an object of which only the name is known."""

    def __init__(self, name: str) -> None:
        self.__name__ = name


def _is_readable(function: Any) -> bool:
    """Whether the attributes, hash and equality of a function run no code of the user's."""
    kind = type(function)
    if kind is FunctionType:
        # It can be given a name of a subclass of ``str``.
        return type(function.__name__) is str
    if kind is MethodType:
        return _is_readable(function.__func__)
    if kind is partial:
        return _is_readable(function.func) and type(vars(function).get("__name__", "")) is str
    return id(kind) in _HASHED or _is_of_torch(class_module(kind))


def _is_permanent(function: Any) -> bool:
    kind = type(function)
    if kind is FunctionType:
        # A decorator of torch makes functions in its own file, and copies the name of the module.
        module = function.__module__
        is_named = type(module) is str and _is_of_torch(module)
        return is_named and is_hidden(function.__code__.co_filename)
    if kind is BuiltinFunctionType or kind is MethodWrapperType:
        # That of a user's class, or of an object, would keep it alive.
        owner = function.__self__
        return id(type(owner)) in _OWNERS or _is_of_torch(class_module(owner))
    return id(kind) in _HASHED


_OWNERS = frozenset(map(id, (type(None), ModuleType, GetSetDescriptorType)))


def _is_of_torch(module: str) -> bool:
    return module.partition(".")[0] == "torch"


def _name_of(function: Any) -> str:
    if isinstance(function, compat.LIBRARY_OPS):
        return compat.library_op_name(function)
    name: str = getattr(function, "__name__", type(function).__name__)
    if type(function) is MethodWrapperType and name in ("__get__", "__set__"):
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
        return getattr(function, "__globals__", None) is not vars(torch.nn.init)
    return name in _SWITCHED


def _role_of(function: Any, name: str) -> FunctionRole:
    if type(function) in _TYPES_OF_INERT and function in _INERT:
        return "inert"
    if function is torch.Tensor.register_hook or function is torch.Tensor.retain_grad:
        return "hooks"
    if tensor_compat.is_gradient_access(function):
        return "gradient"
    if tensor_compat.is_data_access(function):
        return "data"
    if tensor_compat.writes_silently(name):
        return "silent"
    return "unscale" if function is tensor_compat.UNSCALE else "export" if name in _EXPORTS else ""


_GRADIENT: Any = torch.Tensor.grad
_READ_ONLY = ("dtype", "device", "shape", "requires_grad", "is_leaf", "is_nested", "is_sparse")
_INERT = frozenset(
    (
        *(getattr(torch.Tensor, each).__get__ for each in _READ_ONLY),
        *(_GRADIENT.__set__, torch.Tensor.dim, torch.Tensor.size, torch.Tensor.numel),
    )
)
_TYPES_OF_INERT = (MethodWrapperType, MethodDescriptorType)
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
