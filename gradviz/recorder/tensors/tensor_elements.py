"""Reading of a tensor's elements, whole or sampled, and why some tensors cannot be read."""

from __future__ import annotations

import functools
import math
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.tensor import ITEM_SIZES, preview_steps
from gradviz.recorder.accelerators import is_capturing
from gradviz.recorder.safe_text import class_name
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.memory_elements import byte_array_type, memory_bytes

_DTYPE_NAMES: dict[torch.dtype, str] = {}
_STEPS: dict[tuple[int, ...], tuple[int, ...]] = {}


def dtype_name(dtype: torch.dtype) -> str:
    """Name of a dtype without ``torch.``."""
    name = _DTYPE_NAMES.get(dtype)
    if name is None:
        name = _DTYPE_NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name


def unreadable_reason(tensor: torch.Tensor) -> str:
    """Why the values of a tensor cannot be read; empty if they can."""
    ordinary = tensor_compat.is_ordinary(tensor) and dtype_name(tensor.dtype) in ITEM_SIZES
    note = "" if ordinary else _unusual_reason(tensor)
    return note or ("" if has_memory(plain(tensor)) else say("elements.freed"))


def is_readable(value: object) -> bool:
    """Whether a value is a tensor with readable elements, which functorch's wrappers lack."""
    if not isinstance(value, torch.Tensor) or tensor_compat.is_wrapped(value):
        return False
    return not unreadable_reason(value)


def _unusual_reason(tensor: torch.Tensor) -> str:
    """Why the values of a tensor cannot be read, unless its memory has been freed."""
    if type(tensor) not in tensor_compat.OWN_CLASSES and tensor_compat.has_own_dispatch(tensor):
        name = class_name(type(tensor))
        return say("elements.own_dispatch", name=name)
    if is_lazy(tensor):
        return say("elements.lazy")
    tensor = plain(tensor)
    if tensor.layout is not torch.strided:
        held = tensor_compat.specified_elements(tensor)
        if held is None:
            return say("elements.layout", layout=layout_name(tensor))
        return say("elements.layout.entries", layout=layout_name(tensor), count=held)
    if tensor.is_nested:
        return say("elements.nested")
    if tensor.is_meta:
        return say("elements.meta")
    if not tensor_compat.has_storage(tensor):
        return say("elements.no_storage")
    if not tensor.is_cpu and is_capturing(tensor.device):
        return say("elements.captured")
    dtype = dtype_name(tensor.dtype)
    if dtype not in ITEM_SIZES:
        return say("elements.dtype", dtype=dtype)
    return ""


def has_memory(tensor: torch.Tensor) -> bool:
    """Whether the elements of a strided tensor are inside its storage, which may be resized."""
    if tensor.data_ptr() == 0:
        return tensor.numel() == 0 or tensor_compat.is_zero_tensor(tensor)
    if tensor.numel() <= MOST_UNCHECKED:
        return True
    # Torch views no tensor without a version counter, but ``.data`` has one of its own.
    place = (tensor.shape, tensor.stride(), tensor.storage_offset())
    return strided_view(tensor, *place) is not None or strided_view(tensor.data, *place) is not None


def strided_view(
    tensor: torch.Tensor, shape: tuple[int, ...], strides: tuple[int, ...], offset: Any
) -> torch.Tensor | None:
    """``as_strided``; None if a part is outside of the tensor's storage."""
    try:
        return tensor.as_strided(shape, strides, offset)
    except RuntimeError:
        return None


MOST_UNCHECKED = 4096
"""For small tensors, the check would take longer than reading them."""


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The same tensor without its subclass, whose attributes may run the user's code.

    A subclass with its own ``__torch_dispatch__`` is returned as it is.
    """
    if type(tensor) in tensor_compat.OWN_CLASSES or tensor_compat.has_own_dispatch(tensor):
        return tensor
    return torch.Tensor.as_subclass(tensor, torch.Tensor)


def subclass_of(tensor: torch.Tensor) -> str:
    """Name of a tensor's class; empty for ``torch.Tensor`` and ``Parameter``."""
    kind = type(tensor)
    return "" if kind in tensor_compat.OWN_CLASSES else class_name(kind)


def layout_name(tensor: torch.Tensor) -> str:
    """Name of a tensor's layout without ``torch.``."""
    return str(tensor.layout).removeprefix("torch.")


def read_element_bytes(tensor: torch.Tensor) -> bytes:
    """All elements in row-major order, little-endian, whatever the strides and lazy bits."""
    if tensor.numel() == 0:
        return b""
    if tensor_compat.is_zero_tensor(tensor):
        return bytes(tensor.numel() * tensor.element_size())
    return memory_bytes(tensor)


def small_tensor_memory(tensor: torch.Tensor) -> Any:
    """The memory of a small tensor, if its ``raw`` is what `read_element_bytes` returns.

    It is only valid as long as the tensor stays at its address. Other tensors and those without
    elements or whose values cannot be read have None.
    """
    if not (tensor_compat.is_ordinary(tensor) and tensor.is_contiguous()):
        return None
    width = ITEM_SIZES.get(dtype_name(tensor.dtype))
    size, address = tensor.numel(), tensor.data_ptr()
    if width is None or not 0 < size <= MOST_UNCHECKED or address == 0:
        return None
    return byte_array_type(size * width).from_address(address)


def sample_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Cached result of `preview_steps` for a shape."""
    steps = _STEPS.get(shape)
    if steps is None:
        steps = _STEPS[shape] = preview_steps(shape)
    return steps


def sampled_shape(shape: tuple[int, ...], steps: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of the elements at multiples of ``steps``."""
    return tuple([-(-size // step) for size, step in zip(shape, steps, strict=True)])


def sampling_note(count: int) -> str:
    """Why not all elements of a tensor are stored if it has ``count`` of them."""
    return say("elements.many", count=format_count(count))


def sample_bytes(tensor: torch.Tensor, steps: tuple[int, ...]) -> bytes:
    """The elements at multiples of ``steps``, row-major, little-endian."""
    if tensor_compat.is_zero_tensor(tensor):
        return bytes(math.prod(sampled_shape(tensor.shape, steps)) * tensor.element_size())
    for dimension, step in enumerate(steps):
        if step > 1:
            tensor = tensor[(slice(None),) * dimension + (slice(None, None, step),)]
    return read_element_bytes(tensor)


def is_dense(tensor: torch.Tensor) -> bool:
    """Whether the elements fill a block of memory once each, in any order."""
    return _fills(tensor.stride(), tuple(tensor.shape))


@functools.lru_cache(maxsize=10_000)
def _fills(strides: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    expected = 1
    pairs = zip(strides, shape, strict=True)
    for step, size in sorted([(step, size) for step, size in pairs if size != 1]):
        if step != expected:
            return False
        expected *= size
    return True
