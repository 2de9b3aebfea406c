"""A tensor's stored bits become the numbers they represent."""

import math

import numpy as np
import pytest

from gradviz.model.tensor import TensorValue, preview_steps


def value(dtype: str, *elements: int, size: int) -> TensorValue:
    data = b"".join(element.to_bytes(size, "little") for element in elements)
    return TensorValue(dtype=dtype, shape=(len(elements),), data=data)


def test_bfloat16_bits() -> None:
    array = value("bfloat16", 0x3F80, 0xC040, 0x7F80, 0x0000, size=2).array()
    assert array.tolist() == [1.0, -3.0, math.inf, 0.0]


@pytest.mark.parametrize(
    ("dtype", "bits", "expected"),
    [
        ("float8_e4m3fn", 0x7E, 448.0),
        ("float8_e4m3fn", 0x01, 2.0**-9),
        ("float8_e4m3fnuz", 0x7F, 240.0),
        ("float8_e5m2", 0x7B, 57344.0),
        ("float8_e5m2", 0xFC, -math.inf),
        ("float8_e5m2fnuz", 0x7F, 57344.0),
    ],
)
def test_float8_bits(dtype: str, bits: int, expected: float) -> None:
    assert value(dtype, bits, size=1).array().tolist() == [expected]


def test_array_is_a_view_with_the_shape() -> None:
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    kept = TensorValue(dtype="float32", shape=(2, 3), data=array.tobytes())
    assert np.array_equal(kept.array(), array)
    assert kept == TensorValue(dtype="float32", shape=(2, 3), data=array.tobytes())


def test_unknown_dtype_and_short_data_are_refused() -> None:
    with pytest.raises(ValueError, match="qint8"):
        TensorValue(dtype="qint8", shape=(1,), data=b"x").array()
    with pytest.raises(ValueError, match="reshape"):
        TensorValue(dtype="uint8", shape=(2,), data=b"x").array()


@pytest.mark.parametrize(
    "shape", [(), (0,), (5,), (64, 64), (1000, 1000), (3, 0, 4), (7, 300, 500), (100_000,)]
)
def test_preview_is_small_and_covers_the_tensor(shape: tuple[int, ...]) -> None:
    steps = preview_steps(shape)
    kept = [math.ceil(size / step) for size, step in zip(shape, steps, strict=True)]
    assert math.prod(kept) <= 64 * 64
    assert all(
        count == 0 or (count - 1) * step < size
        for count, step, size in zip(kept, steps, shape, strict=True)
    )
