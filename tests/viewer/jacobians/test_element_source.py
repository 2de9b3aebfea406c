"""Which element of an argument a number of a Jacobian is."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.viewer.jacobians.element_source import source_of

A = np.array([[0.0, 1.0], [2.0, 3.0]])
B = np.array([[0.5, -1.5, 2.5], [3.5, 4.5, -5.5]])
OUTPUT = A @ B

# Of the output by B, as forward has it and with a transpose left out: [B's elements, outputs].
RIGHT = np.einsum("ik,jl->kjil", A, np.eye(3)).reshape(6, 6)
WRONG = np.einsum("ki,jl->kjil", A, np.eye(3)).reshape(6, 6)
SHAPES = B.shape, OUTPUT.shape
TENSORS = {"a": A, "b": B, "output": OUTPUT}


def test_forward_and_a_wrong_backward_use_other_elements() -> None:
    noise = 1e-9 * np.random.default_rng(0).normal(size=RIGHT.shape)
    forward = source_of(RIGHT + np.where(RIGHT, noise, 0), SHAPES, TENSORS)
    backward = source_of(WRONG, SHAPES, TENSORS)
    assert forward is not None
    assert backward is not None
    assert (forward.at(3, 0), backward.at(3, 0)) == ("a[0, 1]", "a[1, 0]")
    assert forward.at(0, 1) == "", "a zero can have any cause"


def test_an_elementwise_product_and_an_output() -> None:
    x = np.array([1.0, 2.0, 3.0])
    found = source_of(np.diag(np.exp(x)), ((3,), (3,)), {"x": x, "output": np.exp(x)})
    assert found is not None
    assert found.at(1, 1) == "output[1]"


@pytest.mark.parametrize(
    ("matrix", "tensors"),
    [
        (2 * RIGHT, TENSORS),
        (np.eye(6), TENSORS),
        (RIGHT, {"a": A, "copy": A}),
        (np.full((6, 6), np.nan), TENSORS),
        (np.zeros((6, 6)), TENSORS),
    ],
    ids=["scaled", "constant", "ambiguous", "nan", "zero"],
)
def test_what_is_not_sure_is_not_said(matrix: np.ndarray, tensors: dict[str, np.ndarray]) -> None:
    assert source_of(matrix, SHAPES, tensors) is None
