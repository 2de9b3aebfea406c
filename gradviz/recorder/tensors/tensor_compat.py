"""Torch's private and unstable APIs of tensors, each with a note on what it relies on."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Sequence
from types import MethodWrapperType
from typing import Any

import torch
from torch import _C
from torch._subclasses.fake_tensor import FakeTensor

from gradviz.recorder.safe_text import class_attributes, class_module, defining_class

is_wrapped = _C._functorch.is_functorch_wrapped_tensor
"""Whether a tensor is a functorch wrapper (vmap, grad, jvp)."""


# The attributes themselves may be defined by a subclass, whose code is the user's.
_attributes: Any = vars(_C.TensorBase)
grad_fn_of: Callable[[torch.Tensor], Any] = _attributes["grad_fn"].__get__
requires_grad_of: Callable[[torch.Tensor], bool] = _attributes["requires_grad"].__get__
is_leaf_of: Callable[[torch.Tensor], bool] = _attributes["is_leaf"].__get__
grad_of: Callable[[torch.Tensor], torch.Tensor | None] = _attributes["grad"].__get__


def is_fake(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one of ``FakeTensorMode``, which has no values on any device."""
    return isinstance(tensor, FakeTensor)


def unwrap(tensor: torch.Tensor) -> torch.Tensor:
    """The innermost tensor inside functorch's wrappers."""
    while is_wrapped(tensor):
        tensor = _C._functorch.get_unwrapped(tensor)
    return tensor


def grad_fns(tensor: torch.Tensor) -> list[Any]:
    """The nodes that made a tensor, one for each functorch transform around it; None for none.

    To ``vmap`` and ``jvp``, a tensor of a graph outside of them has no ``grad_fn``.
    """
    found = [grad_fn_of(tensor)]
    while is_wrapped(tensor):
        tensor = _C._functorch.get_unwrapped(tensor)
        found.append(grad_fn_of(tensor))
    return found


def readable_grad_fn(tensor: torch.Tensor) -> Any:
    """The node that made a tensor; None for a view that torch forbids to use any more.

    That is one of several views, or one made by a custom Function, after a write to its base.
    """
    try:
        return grad_fn_of(tensor)
    except RuntimeError:
        return None


def requires_grad(tensor: torch.Tensor) -> bool:
    """Whether a tensor requires a gradient, inside or outside of functorch transforms."""
    return requires_grad_of(tensor) or (is_wrapped(tensor) and requires_grad_of(unwrap(tensor)))


storage_address: Callable[[torch.Tensor], int] = getattr(_C, "_storage_address")  # noqa: B009
"""Address of a strided tensor's storage; unique only among living storages.

``tensor.untyped_storage()`` would work too, but it leaves a Python object on the storage. The
engine then no longer accumulates into such a gradient in place, which shows in its version
counter.
"""

copy_each: Callable[..., object] = torch._foreach_copy_
"""Copies each tensor of the second list to the one of the first, in half the time of a loop."""

has_storage = _C._has_storage
"""Whether a tensor has a storage; the wrappers of vmap have none."""


is_zero_tensor: Callable[[torch.Tensor], bool] = vars(_C.TensorBase)["_is_zerotensor"]
"""Whether a tensor represents zeros without memory, as forward-mode derivatives do."""


# The stubs of torch do not declare what its storages define in C++.
_STORAGE: Any = torch.UntypedStorage


# A Python object of the tensor's own storage would change the run, see `storage_address`, and takes
# longer to make. So one that belongs to no tensor of the run is set to that storage, and back.
_EMPTY = torch.empty(0, device="cpu")
_PROBE: Any = _EMPTY.untyped_storage()
_OWN_ADDRESS = storage_address(_EMPTY)
# Torch ends the process if it is freed while set, as when a process ends whose threads go on.
ctypes.pythonapi.Py_IncRef(ctypes.py_object(_PROBE))
_set_storage: Callable[[Any, int], object] = _STORAGE._set_cdata


def weak_storage(address: int) -> tuple[int, bool]:
    """Weak reference that keeps a storage's address from being reused, but not its memory.

    The second value is whether NumPy may have the memory too. The reference is the address itself,
    and has to be freed with `free_weak_storage`. Torch's class
    ``StorageWeakRef`` would do that, but a long recording has so many of them that Python's garbage
    collector takes longer than everything else here.

    Args:
        address: What `storage_address` returns for a living tensor.
    """
    while True:
        # An exception from outside comes after a call, so that the last one is never left out.
        try:
            _set_storage(_PROBE, address)
            # Torch forbids to resize what it has ever shared with NumPy.
            is_resizable, reference = _PROBE.resizable(), _PROBE._weak_ref()
        finally:
            _set_storage(_PROBE, _OWN_ADDRESS)
        if reference == address:
            return reference, not is_resizable
        # Another thread has used it in between.
        free_weak_storage(reference)


def storage_bytes(tensor: torch.Tensor) -> int:
    """Size of a living tensor's storage, which may be too small for it."""
    address = storage_address(tensor)
    while True:
        try:
            _set_storage(_PROBE, address)
            size, found = int(_PROBE.nbytes()), _PROBE._cdata
        finally:
            _set_storage(_PROBE, _OWN_ADDRESS)
        if found == address:
            return size


weak_storage_expired: Callable[[int], bool] = _STORAGE._expired
free_weak_storage: Callable[[int], None] = _STORAGE._free_weak_ref


def is_ordinary(tensor: torch.Tensor) -> bool:
    """Whether a tensor is one of torch's own, dense, in CPU memory, and nothing special.

    It is then no wrapper, view with lazy bits, inference tensor, or tensor without memory.
    """
    return type(tensor) in OWN_CLASSES and dispatch_keys(tensor).raw_repr() == ORDINARY_KEYS


OWN_CLASSES = frozenset((torch.Tensor, torch.nn.Parameter))
"""Tensor classes whose attributes run no user code."""

dispatch_keys = _C._dispatch_keys
"""Torch's dispatch keys of a tensor; their ``raw_repr()`` is a number."""

ORDINARY_KEYS = dispatch_keys(torch.empty(0, device="cpu")).raw_repr()
"""The dispatch keys of a dense tensor in CPU memory."""


def has_own_dispatch(tensor: torch.Tensor) -> bool:
    """Whether operations on the tensor run its class's Python ``__torch_dispatch__``."""
    own = type(tensor).__torch_dispatch__
    return (
        own is not torch.Tensor.__torch_dispatch__ and own is not _C._disabled_torch_dispatch_impl
    )


def _accessed(function: Any) -> Any:
    """The attribute of tensors that a torch function reads or sets; None for any other."""
    return function.__self__ if type(function) is MethodWrapperType else None


_BACKWARD_HOOKS = _attributes["_backward_hooks"]


def is_backward_hooks_access(function: Callable[..., Any]) -> bool:
    """Whether a torch function reads or sets the hooks of a tensor.

    Torch resets them while it holds the lock of the tensor's ``grad_fn``, so reading ``grad_fn``
    during such a call would never return.
    """
    return _accessed(function) is _BACKWARD_HOOKS


def is_gradient_access(function: Callable[..., Any]) -> bool:
    """Whether a torch function reads ``x.grad``."""
    return _accessed(function) is _GRAD and function.__name__ == "__get__"


_GRAD = _attributes["grad"]


def is_data_access(function: Callable[..., Any]) -> bool:
    """Whether a torch function reads or sets ``x.data``."""
    return _accessed(function) is _DATA


_DATA = _attributes["data"]


UNSCALE = torch._amp_foreach_non_finite_check_and_unscale_
"""Divides gradients by the scale of a scaler, without moving their version counters."""


def writes_silently(name: str) -> bool:
    """Whether a torch function writes although it moves no version counters, by its name."""
    return name.startswith("_fused_") or name in _SILENT


def silently_written(name: str, values: Sequence[Any]) -> list[torch.Tensor]:
    """What such a function may have written.

    Args:
        name: Its name.
        values: Its arguments.
    """
    if name.startswith("_fused_"):  # The gradients too, if it scales them.
        scales = [each for each in values if isinstance(each, torch.Tensor)]
        lists = [each for each in values if isinstance(each, list | tuple)]
        parts = lists if scales else lists[:1] + lists[2:]
        return [each for part in parts for each in part if isinstance(each, torch.Tensor)]
    written = values[:1] if name in _ELEMENTWISE else values[1:]  # Running statistics.
    return [
        each for each in written if isinstance(each, torch.Tensor) and not requires_grad_of(each)
    ]


_ELEMENTWISE = ("apply_", "map_", "map2_")
_SILENT = frozenset(
    (
        *(*_ELEMENTWISE, "batch_norm", "native_batch_norm", "_native_batch_norm_legit"),
        *("_batch_norm_with_update", "batch_norm_update_stats", "batch_norm_gather_stats"),
        *("batch_norm_gather_stats_with_counts", "cudnn_batch_norm", "miopen_batch_norm"),
    )
)


def is_distributed() -> bool:
    """Whether processes exchange tensors in memory, past the version counters."""
    # What torch.distributed.is_initialized() asks, in half the time.
    return _distributed is not None and _distributed._world.default_pg is not None


_distributed: Any = torch.distributed.distributed_c10d if torch.distributed.is_available() else None


def base_of(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor that a view was taken from, with which it shares a version counter."""
    base: torch.Tensor | None = tensor._base
    return tensor if base is None else base


_OF_TENSOR = torch.Tensor.__dict__["__torch_function__"]


def torch_function_owner(kind: type) -> type | None:
    """The class that defines a type's ``__torch_function__``; None if it is torch's own."""
    owner = defining_class(kind, "__torch_function__")
    if owner is None or owner is torch.Tensor or class_module(owner).partition(".")[0] == "torch":
        return None
    held = class_attributes(owner)["__torch_function__"]
    return None if held is _C._disabled_torch_function_impl else owner


def has_default_torch_function(kind: type) -> bool:
    """Whether a type uses the ``__torch_function__`` of ``torch.Tensor``."""
    owner = defining_class(kind, "__torch_function__")
    return owner is not None and class_attributes(owner)["__torch_function__"] is _OF_TENSOR


is_torch_function_enabled: Callable[[], bool] = vars(_C)["_is_torch_function_enabled"]
"""Whether torch currently dispatches to ``__torch_function__`` of its arguments' types.

It does not inside ``torch.Tensor``'s own ``__torch_function__``.
"""


version_counter = operator.attrgetter("_version")
"""Reads a tensor's version counter; inference tensors have none."""


def version_of(tensor: torch.Tensor) -> int | None:
    """The tensor's version counter; None for tensors from inference mode, which have none."""
    if tensor.is_inference():
        return None
    try:
        return tensor._version
    except RuntimeError:
        # Its ``.data`` was replaced: no inference tensor any more, but still without a counter.
        return None


def is_view(tensor: torch.Tensor) -> bool:
    """Whether autograd treats the tensor as a view of another one."""
    return tensor._is_view()


def specified_elements(tensor: torch.Tensor) -> int | None:
    """Number of specified elements of a sparse tensor; None for any other."""
    return tensor._nnz() if tensor.layout in _SPARSE else None


_SPARSE = (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc, torch.sparse_bsr, torch.sparse_bsc)
