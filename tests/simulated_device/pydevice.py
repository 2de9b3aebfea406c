"""A simulated accelerator, ``pydev:0``, in pure Python: a second device for tests without a GPU.

Its tensors are real ``PrivateUse1`` tensors with their own storages, strides and views. An op reads
their memory as CPU tensors, without a copy. The device has its own random number generator, and
backward nodes of its tensors run on the engine's device thread.

With this folder on ``PYTHONPATH``, ``import torch`` registers the device, in child processes too:
the ``.dist-info`` declares the entry point ``torch.backends``. On a machine with an accelerator it
does nothing, and neither with a version of torch for which it was not written.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch._C import DispatchKey
from torch.utils import _pytree as pytree
from torch.utils.backend_registration import (
    _DummyBackendModule,
    _setup_privateuseone_for_python_backend,
)

NAME = "pydev"
TORCH = "2.13."
"""Start of the versions of torch whose internals this module uses."""

_CPU_KIND, _PRIVATE_KIND = 1, 12  # DLPack's numbers of device types.
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]

synchronized: list[object] = []
"""Arguments of the calls of ``torch.accelerator.synchronize``."""
_features = {"float64": True}
_random_state: dict[str, torch.Tensor] = {}
_libraries: list[torch.library.Library] = []

Kernel = Callable[..., Any]


@contextmanager
def without_float64() -> Iterator[None]:
    """Refuse float64 and complex128 on the device with a TypeError, as Apple's GPUs do."""
    _features["float64"] = False
    try:
        yield
    finally:
        _features["float64"] = True


def set_up() -> None:
    """Register the device, once in a process."""
    if _libraries or torch.accelerator.is_available() or not torch.__version__.startswith(TORCH):
        return
    _random_state["state"] = torch.Generator("cpu").get_state()
    _setup_privateuseone_for_python_backend(NAME, _DeviceModule())
    torch.accelerator.synchronize = lambda device=None: synchronized.append(device)
    aten = torch.library.Library("aten", "IMPL")
    _libraries.append(aten)
    for name, kernel in _kernels().items():
        aten.impl(name, _hidden_from_modes(kernel), "PrivateUse1")
    for bit in ("Conjugate", "Negative"):  # torch would resolve it by a copy, and so endlessly.
        aten.impl("_copy_from", torch.library.fallthrough_kernel, bit)


class _DeviceModule(_DummyBackendModule):
    """What ``torch.get_device_module`` returns."""

    def get_device_name(self, device: object = None) -> str:
        return "simulated"

    def manual_seed_all(self, seed: int) -> None:
        _random_state["state"] = torch.Generator("cpu").manual_seed(seed).get_state()

    manual_seed = manual_seed_all

    def get_rng_state(self, device: object = NAME) -> torch.Tensor:
        return _random_state["state"].clone()

    def set_rng_state(self, state: torch.Tensor, device: object = NAME) -> None:
        _random_state["state"] = state.clone()

    def synchronize(self, device: object = None) -> None:
        synchronized.append(device)


def _move(tensor: torch.Tensor, kind: int) -> torch.Tensor:
    """The same memory as a tensor of the other device."""
    capsule = torch._C._to_dlpack(tensor)
    device = ctypes.cast(_capsule_pointer(capsule, b"dltensor") + 8, ctypes.POINTER(ctypes.c_int32))
    device[0], device[1] = kind, 0
    return torch._C._from_dlpack(capsule)


def _to_device(tensor: torch.Tensor) -> torch.Tensor:
    _require_dtype(tensor.dtype)
    return _move(tensor, _PRIVATE_KIND)


def _to_cpu(value: Any) -> Any:
    if not _is_on_device(value):
        return value
    tensor = _move(value, _CPU_KIND)
    tensor = tensor.conj() if value.is_conj() else tensor
    return torch._neg_view(tensor) if value.is_neg() else tensor


def _is_on_device(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type == NAME


def _require_dtype(dtype: torch.dtype | None) -> None:
    if dtype in (torch.float64, torch.complex128) and not _features["float64"]:
        raise TypeError(f"Cannot convert a {NAME} tensor to {dtype}: {NAME} has no float64")


def _hidden_from_modes(kernel: Kernel) -> Kernel:
    """Modes have seen the op; they must not see what the kernel does."""

    def hidden(*args: Any, **kwargs: Any) -> Any:
        with torch._C.DisableTorchFunction(), torch._C._DisableTorchDispatch():
            return kernel(*args, **kwargs)

    return hidden


_VIEWS = (
    *("as_strided", "view", "_reshape_alias", "unfold", "view_as_real", "view_as_complex"),
    *("set_.source_Storage", "set_.source_Storage_storage_offset", "set_.source_Tensor"),
)


def _kernels() -> dict[str, Kernel]:
    """A kernel for each op that needs one.

    There is no fallback, because torch finds none under a dispatch mode.
    """
    kernels: dict[str, Kernel] = {name: _cpu_kernel(name) for name in _ops_without_composite()}
    kernels |= {
        "empty.memory_format": _empty,
        "empty_strided": _empty,
        "_efficientzerotensor": _zeros,
        "_copy_from": _copy_from,
        "_copy_from_and_resize": lambda source, to: to.resize_(source.shape).copy_(source),
        "_local_scalar_dense": lambda tensor: _to_cpu(tensor).item(),
        "resize_": _resize,
        "convolution_overrideable": _convolution,
        "convolution_backward_overrideable": _convolution_backward,
    }
    return kernels | {name: _view_kernel(_overload(name)) for name in _VIEWS}


def _ops_without_composite() -> list[str]:
    has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
    explicit = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
    composite = ("CompositeImplicitAutograd", *explicit)
    return [
        name.removeprefix("aten::")
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::")
        and has_kernel(name, "CPU")
        and not any(has_kernel(name, each) for each in composite)
    ]


def _overload(name: str) -> Any:
    packet, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, packet), overload or "default")


def _empty(
    size: Any,
    stride: Any = None,
    *,
    dtype: torch.dtype | None = None,
    memory_format: torch.memory_format | None = None,
    **_: object,
) -> torch.Tensor:
    if stride is not None:
        return _to_device(torch.empty_strided(size, stride, dtype=dtype, device="cpu"))
    layout = memory_format or torch.contiguous_format
    return _to_device(torch.empty(size, dtype=dtype, device="cpu", memory_format=layout))


def _zeros(size: Any, *, dtype: torch.dtype | None = None, **_: object) -> torch.Tensor:
    """Zeros with memory, because tensors without it cannot be moved."""
    return _to_device(torch.zeros(size, dtype=dtype, device="cpu"))


def _copy_from(
    source: torch.Tensor, target: torch.Tensor, non_blocking: bool = False
) -> torch.Tensor:
    _to_cpu(target).copy_(_to_cpu(source))
    return target


def _resize(tensor: torch.Tensor, size: Any, *, memory_format: Any = None) -> torch.Tensor:
    resized = _empty(size, dtype=tensor.dtype, memory_format=memory_format)
    common = min(tensor.numel(), resized.numel())
    if common:
        _to_cpu(resized).view(-1)[:common] = _to_cpu(tensor).reshape(-1)[:common]
    torch.ops.aten.set_.source_Storage_storage_offset._op_dk(
        DispatchKey.CPU, tensor, resized.untyped_storage(), 0, resized.shape, resized.stride()
    )
    return tensor


def _convolution(*args: Any) -> Any:
    """Convolutions have other names on a device that torch does not know."""
    return _run(torch.ops.aten.convolution.default, args, {})


def _convolution_backward(
    gradient: torch.Tensor, x: torch.Tensor, weight: torch.Tensor, *args: Any
) -> Any:
    bias_sizes = [weight.shape[0]] if args[-1][2] else None
    given = (gradient, x, weight, bias_sizes, *args)
    return _run(torch.ops.aten.convolution_backward.default, given, {})


def _view_kernel(op: Any) -> Kernel:
    return lambda *args, **kwargs: op._op_dk(DispatchKey.CPU, *args, **kwargs)


def _cpu_kernel(name: str) -> Kernel:
    """An op on the memory, computed as on the CPU."""

    def kernel(*args: Any, **kwargs: Any) -> Any:
        op = _overload(name)
        dtypes = [each.dtype for each in args if isinstance(each, torch.Tensor)]
        number_dtypes = _DOUBLES if torch.float64 in dtypes or torch.complex128 in dtypes else {}
        pairs = zip(args, op._schema.arguments, strict=False)
        return _run(op, tuple(_as_declared(*each, number_dtypes) for each in pairs), kwargs)

    return kernel


_DOUBLES: dict[type, torch.dtype] = {float: torch.float64, complex: torch.complex128}


def _as_declared(value: Any, argument: Any, dtypes: dict[type, torch.dtype]) -> Any:
    """torch passes a number that it had converted to a tensor to Python as a number again."""
    is_number = isinstance(value, bool | int | float | complex)
    if is_number and str(argument.type) == "Tensor":
        return torch.tensor(value, dtype=dtypes.get(type(value)))
    return value


def _run(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    aliases = [each.alias_info for each in op._schema.returns]
    if any(alias is not None and not alias.is_write for alias in aliases):
        return op._op_dk(DispatchKey.CPU, *args, **kwargs)
    given, spec = pytree.tree_flatten((args, kwargs))
    _require_one_device(op, given)
    outs = [kwargs[each.name] for each in op._schema.arguments if each.is_out]
    # An op resizes an empty one to its result, which needs memory that can grow.
    grown = {id(each) for each in outs if each.numel() == 0}
    on_cpu = [torch.empty(0, dtype=e.dtype) if id(e) in grown else _to_cpu(e) for e in given]
    replaced = ["cpu" if isinstance(each, torch.device) else each for each in on_cpu]
    args, kwargs = pytree.tree_unflatten(replaced, spec)
    if torch.Tag.nondeterministic_seeded in op.tags:
        result = _with_random_state(op, args, kwargs)
    else:
        result = op(*args, **kwargs)
    for ours, host in zip(given, on_cpu, strict=True):
        if id(ours) in grown:
            _copy_from(host, ours if ours.shape == host.shape else _resize(ours, host.shape))
    originals = {id(host): ours for ours, host in zip(given, on_cpu, strict=True)}

    def returned(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return originals[id(value)] if id(value) in originals else _to_device(value)

    return pytree.tree_map(returned, result)


_MAY_MIX = ("aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::_to_copy")


def _require_one_device(op: Any, given: list[Any]) -> None:
    """As on CUDA: only tensors without dimensions, and indices, may be on the CPU."""
    if op._schema.name in _MAY_MIX:
        return
    for each in given:
        if isinstance(each, torch.Tensor) and each.dim() and not _is_on_device(each):
            raise RuntimeError(
                "Expected all tensors to be on the same device, but found at least two devices,"
                f" {NAME}:0 and {each.device}! (in {op})"
            )


def _with_random_state(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    kept = torch.default_generator.get_state()
    torch.default_generator.set_state(_random_state["state"])
    try:
        return op(*args, **kwargs)
    finally:
        _random_state["state"] = torch.default_generator.get_state()
        torch.default_generator.set_state(kept)
