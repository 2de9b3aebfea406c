"""What is kept of one tensor at one moment: its description, and its elements or a sample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from gradviz.model.statistics import Statistics
from gradviz.model.tensor import ITEM_SIZES, Content, preview_steps
from gradviz.recorder import compat
from gradviz.recorder.statistics import statistics_of_tensor

_PLAIN = (torch.Tensor, torch.nn.Parameter)
_NO_NUMPY = {
    torch.bfloat16: torch.int16,
    **{
        getattr(torch, name): torch.uint8
        for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
        if hasattr(torch, name)
    },
}
_DTYPE_NAMES: dict[torch.dtype, str] = {}
_STEPS: dict[tuple[int, ...], tuple[int, ...]] = {}


@dataclass(slots=True)
class Description:
    """What `TensorRecord` says besides the values.

    Attributes:
        shape: Sizes; empty where they cannot be asked for.
        strides: None where the layout has none.
        note: Why no values can be read; empty where they can.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    device: str
    layout: str
    requires_grad: bool
    version: int | None
    note: str


@dataclass(slots=True)
class Kept:
    """The values that are kept of a tensor."""

    content: Content
    data: bytes
    kept_shape: tuple[int, ...]
    kept_steps: tuple[int, ...]
    statistics: Statistics | None
    note: str


def dtype_name(dtype: torch.dtype) -> str:
    """Torch's name of a dtype, without ``torch.``."""
    name = _DTYPE_NAMES.get(dtype)
    if name is None:
        name = _DTYPE_NAMES[dtype] = str(dtype).removeprefix("torch.")
    return name


def describe(tensor: torch.Tensor) -> Description:
    """Describes a tensor without looking at its elements. Call it inside `compat.Quiet`."""
    note = "" if type(tensor) in _PLAIN else _subclass_note(tensor)
    strided = tensor.layout is torch.strided
    if not strided and not note:
        note = f"values of layout {str(tensor.layout).removeprefix('torch.')} are not kept"
    if tensor.is_nested:
        return _shapeless(tensor, note or "values of nested tensors are not kept")
    if not note and (tensor.is_meta or not compat.has_storage(tensor)):
        note = "a meta tensor has no values" if tensor.is_meta else "it has no memory of its own"
    dtype = dtype_name(tensor.dtype)
    if dtype not in ITEM_SIZES and not note:
        note = f"values of dtype {dtype} are not kept"
    return Description(
        dtype=dtype,
        shape=tuple(tensor.shape),
        strides=tensor.stride() if strided else None,
        device=str(tensor.device),
        layout=str(tensor.layout).removeprefix("torch."),
        requires_grad=tensor.requires_grad,
        version=compat.version_of(tensor),
        note=note,
    )


def _subclass_note(tensor: torch.Tensor) -> str:
    if compat.has_own_dispatch(tensor):
        return f"values of {type(tensor).__name__}, which handles its own operations, are not kept"
    return ""


def _shapeless(tensor: torch.Tensor, note: str) -> Description:
    return Description(
        dtype=dtype_name(tensor.dtype),
        shape=(),
        strides=None,
        device=str(tensor.device),
        layout=str(tensor.layout).removeprefix("torch."),
        requires_grad=tensor.requires_grad,
        version=compat.version_of(tensor),
        note=note,
    )


def elements(tensor: torch.Tensor) -> bytes:
    """All elements in row-major order, little-endian, whatever the strides and lazy bits."""
    if tensor.dtype in _NO_NUMPY:
        dense = tensor.detach().cpu().contiguous()
        return dense.reshape(-1).view(_NO_NUMPY[tensor.dtype]).numpy().tobytes()
    return tensor.numpy(force=True).tobytes()


def steps_for(shape: tuple[int, ...]) -> tuple[int, ...]:
    """`preview_steps`, remembered for each shape."""
    steps = _STEPS.get(shape)
    if steps is None:
        steps = _STEPS[shape] = preview_steps(shape)
    return steps


def sample(tensor: torch.Tensor, steps: tuple[int, ...]) -> bytes:
    """The elements at multiples of ``steps``, row-major, little-endian."""
    for dimension, step in enumerate(steps):
        if step > 1:
            tensor = tensor[(slice(None),) * dimension + (slice(None, None, step),)]
    return elements(tensor)


def keep_whole(tensor: torch.Tensor, shape: tuple[int, ...], data: bytes) -> Kept:
    """All elements. Their statistics are left to whoever reads them."""
    return Kept("whole", data, shape, (1,) * len(shape), None, "")


def keep_sample(tensor: torch.Tensor, shape: tuple[int, ...], data: bytes) -> Kept:
    """Statistics of all elements and the sample ``data``."""
    steps = steps_for(shape)
    kept = tuple([-(-size // step) for size, step in zip(shape, steps, strict=True)])
    note = f"{math.prod(shape)} elements are too many to keep"
    return Kept("preview", data, kept, steps, statistics_of_tensor(tensor), note)


def keep_statistics(tensor: torch.Tensor) -> Kept:
    """Statistics only."""
    note = "the budget for elements is used up"
    return Kept("statistics", b"", (), (), statistics_of_tensor(tensor), note)


def keep_nothing(note: str) -> Kept:
    """No values, for the reason given."""
    return Kept("metadata", b"", (), (), None, note)
