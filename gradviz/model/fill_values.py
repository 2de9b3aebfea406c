"""Elements of the inputs that a fill creates, if they can be known without torch."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from gradviz.model.element_encoding import INTEGER_RANGES, element_as_stored
from gradviz.model.inputs import MOST_VALUES, InputSpec, Number
from gradviz.model.tensor import TensorValue


@lru_cache(maxsize=64)
def filled_elements(spec: InputSpec) -> tuple[Number, ...] | None:
    """The elements of an input in row-major order, each as its dtype stores it.

    Args:
        spec: Valid specification of a tensor.

    Returns:
        None if they are random, known only to the user's file, or more than `MOST_VALUES`.

    Raises:
        UnrepresentableNumberError: If the dtype cannot represent an element.
    """
    if math.prod(spec.shape) > MOST_VALUES:
        return None
    made = _made(spec)
    return None if made is None else tuple(element_as_stored(each, spec.dtype) for each in made)


@lru_cache(maxsize=64)
def filled_value(spec: InputSpec) -> TensorValue | None:
    """The same elements as a tensor, in a dtype of their kind wide enough to be exact.

    Raises:
        UnrepresentableNumberError: If the dtype cannot represent an element.
    """
    elements = filled_elements(spec)
    if elements is None:
        return None
    wide = "float64"
    if spec.dtype.startswith("complex"):
        wide = "complex128"
    elif spec.dtype in INTEGER_RANGES:
        wide = spec.dtype if spec.dtype in ("bool", "uint64") else "int64"
    array = np.array(elements, dtype=wide)
    return TensorValue(dtype=wide, shape=spec.shape, data=array.tobytes())


def _made(spec: InputSpec) -> tuple[Number, ...] | None:
    count = math.prod(spec.shape)
    match spec.fill:
        case "zeros":
            return (0,) * count
        case "ones":
            return (1,) * count
        case "full":
            return spec.parameters * count
        case "arange":
            return tuple(range(count))
        case "eye":
            rows, columns = spec.shape
            return tuple(int(at % columns == at // columns) for at in range(rows * columns))
        case "linspace":
            return _linspace(spec.parameters[0], spec.parameters[1], count)
        case "values":
            return spec.values
        case "given":
            return spec.values if len(spec.values) == count else None
        case _:
            return None


def _linspace(start: Number, end: Number, count: int) -> tuple[Number, ...]:
    """Compute each half from its own end, as torch does."""
    if count == 1:
        return (start,)
    step = (end - start) / (count - 1) if count else 0
    half = count // 2
    first = (start + step * at for at in range(half))
    return (*first, *(end - step * (count - 1 - at) for at in range(half, count)))
