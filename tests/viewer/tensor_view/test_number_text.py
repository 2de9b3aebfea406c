import numpy as np
import pytest

from gradviz.viewer.tensor_view.number_text import exact_number, short_number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "−0"),
        (3.0, "3"),
        (-2.5, "−2.5"),
        (0.3, "0.3"),
        (0.99999999, "1.000"),
        (1234.5, "1234.5"),
        (123456.0, "123456"),
        (12345678.0, "1.235e7"),
        (1e-12, "1e−12"),
        (float("nan"), "nan"),
        (float("-inf"), "−∞"),
        (True, "True"),
        (np.int64(-7), "−7"),
        (3 - 0.5j, "3−0.5i"),
        (1j, "0+1i"),
    ],
)
def test_short_numbers_are_short_and_honest(value: object, text: str) -> None:
    assert short_number(value) == text


def test_what_only_rounds_to_an_integer_does_not_look_like_one() -> None:
    for value in (1.0 + 1e-9, 3.99999, 12345.6, 99999.99, -1e-9 + 2):
        assert set(short_number(value)) & {".", "e"}, value


def test_exact_numbers_give_the_same_bits_back() -> None:
    for value in (np.float32(0.1), np.float64(0.1), np.float16(0.1)):
        assert type(value)(exact_number(value)) == value
    assert exact_number(np.float32(0.1)) == "0.1"
