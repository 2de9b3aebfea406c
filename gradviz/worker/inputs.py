"""Creation of a run's arguments from their specifications.

Random numbers and ranges are created on the CPU in float64 and then converted and moved. A run on
another device or in another dtype therefore starts from the same values.
"""

from __future__ import annotations

import ast
import math
import random
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_list
from gradviz.model.element_encoding import (
    INTEGER_RANGES,
    UnrepresentableNumberError,
    element_as_stored,
)
from gradviz.model.inputs import (
    FILL_PARAMETERS,
    TENSOR_SUFFIXES,
    InputSpec,
    Number,
    parse_input_file,
)
from gradviz.protocol.messages import Device
from gradviz.worker.given_arguments import GivenArgument, shape_fits
from gradviz.worker.input_file import read_tensor
from gradviz.worker.user_errors import WorkError

_NARROW = {torch.float64: torch.float32, torch.complex128: torch.complex64}
_OF_FRACTIONS = ("linspace", "rand", "randn")


def _error(key: str, spec: InputSpec, **values: object) -> WorkError:
    return WorkError(say(f"input.{key}", name=spec.name, **values))


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeInput:
    """One argument.

    Attributes:
        value: The value that is passed to the callable.
        note: One sentence on how it differs from the specification; empty if it does not.
    """

    value: Any
    note: str = ""


def seed_all(seed: int) -> None:
    """Seed the random number generators of torch (all devices), Python and NumPy."""
    torch.manual_seed(seed)
    random.seed(seed)
    # NumPy accepts 32 bits, torch 64.
    np.random.seed(seed % 2**32)


def make_input(spec: InputSpec, device: Device, given: GivenArgument | None = None) -> MadeInput:
    """Create one argument.

    Args:
        spec: Its specification.
        device: Its device.
        given: The value in the user's file, if there is one.

    Raises:
        WorkError: If the specification cannot be met.
    """
    if spec.kind == "none":
        return MadeInput(value=None)
    if spec.kind == "words":
        return MadeInput(value=spec.text)
    if spec.kind == "object":
        return MadeInput(value=_object(spec, given))
    read = _from_file(spec) if spec.kind == "file" else None
    if read is not None:
        spec = replace(spec, dtype=str(read.dtype).removeprefix("torch."))
    dtype = _dtype(spec)
    try:
        if read is not None:
            tensor = read
        else:
            tensor = _given_tensor(spec, given) if spec.fill == "given" else _fill(spec, dtype)
        if tensor.is_meta:
            raise _error("meta", spec)
        note = ""
        if dtype in _NARROW and not device.has_float64:
            dtype = _NARROW[dtype]
            note = say(
                "input.narrowed",
                name=spec.name,
                narrow=str(dtype)[6:],
                dtype=spec.dtype,
                device=device.name,
            )
        # Cloned, so that a run that writes in place cannot change the file's own tensor.
        value = tensor.detach().clone().to(dtype).to(device.name)
        return MadeInput(value=value.requires_grad_(spec.requires_grad), note=note)
    except WorkError:
        raise
    except (RuntimeError, ValueError, OverflowError, MemoryError) as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise _error("failed", spec, reason=reason) from error


def is_own_tensor(spec: InputSpec, device: Device, given: GivenArgument) -> bool:
    """Whether a specification asks for a tensor of the user's file as it is."""
    if spec.kind != "tensor" or spec.fill != "given" or not isinstance(given.value, torch.Tensor):
        return False
    wanted, found = torch.device(device.name), given.value.device
    is_there = wanted.type == found.type and wanted.index in (None, found.index)
    return is_there and spec.requires_grad == given.spec.requires_grad


def _from_file(spec: InputSpec) -> torch.Tensor:
    file = parse_input_file(spec.text)
    if file is None:
        raise _error("file.name", spec, suffixes=say_list(TENSOR_SUFFIXES, "or"))
    return read_tensor(file)


def _dtype(spec: InputSpec) -> torch.dtype:
    dtype = getattr(torch, spec.dtype, None)
    if not isinstance(dtype, torch.dtype):
        raise _error("unknown_dtype", spec, dtype=f"{spec.dtype!r:.60}")
    if spec.requires_grad and not (dtype.is_floating_point or dtype.is_complex):
        raise _error("no_gradient", spec, dtype=spec.dtype)
    return dtype


def _object(spec: InputSpec, given: GivenArgument | None) -> Any:
    if spec.fill == "given" and given is not None and given.spec.text == spec.text:
        return given.value
    try:
        return ast.literal_eval(spec.text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        # The text of an object that is no literal differs between processes, as an address does.
        if spec.fill == "given" and given is not None:
            return given.value
        raise _error("no_literal", spec, text=f"{spec.text!r:.80}") from None


def _given_tensor(spec: InputSpec, given: GivenArgument | None) -> torch.Tensor:
    if given is None or not isinstance(given.value, torch.Tensor):
        raise _error("not_given", spec)
    if not shape_fits(spec, given.value):
        found = list(given.value.shape)
        raise _error("given_shape", spec, found=found, expected=list(spec.shape))
    return given.value


def _fill(spec: InputSpec, dtype: torch.dtype) -> torch.Tensor:
    count = math.prod(spec.shape)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    if spec.fill in _OF_FRACTIONS and spec.dtype in INTEGER_RANGES:
        raise _error("fractions", spec, fill=spec.fill, dtype=spec.dtype)
    match spec.fill:
        case "zeros" | "ones":
            return torch.full(spec.shape, int(spec.fill == "ones"), dtype=dtype)
        case "full":
            return torch.full(spec.shape, _parameters(spec, spec.dtype)[0], dtype=dtype)
        case "eye":
            return _eye(spec, dtype)
        case "arange":
            _must_hold(spec, max(0, count - 1))
            return torch.arange(count).reshape(spec.shape)
        case "values":
            return torch.tensor(_values(spec, count), dtype=dtype).reshape(spec.shape)
        case "randint":
            return _randint(spec)
        case "linspace":
            start, end = _parameters(spec, str(wide)[6:])
            return torch.linspace(start, end, count, dtype=wide).reshape(spec.shape)
        case "rand":
            return torch.rand(spec.shape, dtype=wide)
        case _:
            return torch.randn(spec.shape, dtype=wide)


def _eye(spec: InputSpec, dtype: torch.dtype) -> torch.Tensor:
    if len(spec.shape) != 2:
        raise _error("eye", spec, shape=list(spec.shape))
    return torch.eye(*spec.shape, dtype=dtype)


def _randint(spec: InputSpec) -> torch.Tensor:
    low, high = (cast(int, each) for each in _parameters(spec, "int64"))
    if low >= high:
        raise _error("empty_range", spec)
    _must_hold(spec, low)
    _must_hold(spec, high - 1)
    return torch.randint(low, high, spec.shape)


def _values(spec: InputSpec, count: int) -> list[Number]:
    if len(spec.values) != count:
        found = len(spec.values)
        raise _error("count", spec, shape=list(spec.shape), expected=count, found=found)
    return [_element(spec, each, spec.dtype) for each in spec.values]


def _parameters(spec: InputSpec, dtype: str) -> tuple[Any, ...]:
    needed = FILL_PARAMETERS[spec.fill]
    if len(spec.parameters) != len(needed):
        raise _error("parameters", spec, fill=spec.fill, parameters=say_list(needed))
    return tuple(_element(spec, each, dtype) for each in spec.parameters)


def _element(spec: InputSpec, number: Number, dtype: str) -> Number:
    try:
        return element_as_stored(number, dtype)
    except UnrepresentableNumberError:
        raise _error("misfit", spec, number=number, dtype=dtype) from None


def _must_hold(spec: InputSpec, number: int) -> None:
    """Raise an error for an integer that a cast would wrap around."""
    if spec.dtype in INTEGER_RANGES:
        _element(spec, number, spec.dtype)
