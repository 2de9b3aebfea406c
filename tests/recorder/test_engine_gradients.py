"""`compat.gradients_of` returns and refuses what ``torch.autograd.grad`` does."""

from __future__ import annotations

import sys
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from gradviz.recorder.compat import gradients_of
from tests.programs import run_program


def randn(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(*shape, dtype=dtype, requires_grad=True)


def both(outputs: list[Tensor], inputs: list[Tensor], gradients: list[Tensor]) -> list[Any]:
    """The results of both functions, or the messages with which they refuse."""
    found: list[Any] = []
    for run in (gradients_of, torch.autograd.grad):
        options = {} if run is gradients_of else {"allow_unused": True}
        try:
            found.append(run(outputs, inputs, gradients, retain_graph=True, **options))
        except RuntimeError as error:
            found.append(str(error))
    return found


def test_the_gradients_are_the_same_bits() -> None:
    x, w, unused = randn(3, 4), randn(4, 2), randn(5)
    outputs = [x @ w, (x.sin() * x).sum()]
    ours, theirs = both(outputs, [x, w, unused], [torch.randn_like(each) for each in outputs])
    assert ours[2] is theirs[2] is None
    assert all(torch.equal(*pair) for pair in zip(ours[:2], theirs[:2], strict=True))


def test_they_can_be_differentiated_again() -> None:
    x = randn(3)
    (first,) = gradients_of([x.pow(3)], [x], [torch.ones(3, dtype=x.dtype)], create_graph=True)
    assert first is not None
    (second,) = gradients_of([first], [x], [torch.ones(3, dtype=x.dtype)])
    assert second is not None
    torch.testing.assert_close(second, 6 * x)


@pytest.mark.parametrize(
    "gradient",
    [torch.ones(2, 3), torch.ones(()), torch.ones(3, dtype=torch.complex64)],
    ids=["too large", "too small", "complex"],
)
def test_a_gradient_that_does_not_fit_is_refused_in_the_same_words(gradient: Tensor) -> None:
    x = randn(3, dtype=torch.float32)
    ours, theirs = both([x * 2], [x], [gradient])
    assert isinstance(ours, str)
    assert ours == theirs


def test_a_graph_is_freed_as_torch_frees_it() -> None:
    x = randn(3)
    y = x.exp()
    gradients_of([y], [x], [torch.ones_like(y)])
    with pytest.raises(RuntimeError, match="second time"):
        gradients_of([y], [x], [torch.ones_like(y)])


def test_a_function_mode_sees_the_call() -> None:
    seen = []

    class Mode(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append(func)
            return func(*args, **(kwargs or {}))

    x = randn(3)
    y = x * 2
    with Mode():
        gradients_of([y], [x], [torch.ones(3, dtype=x.dtype)])
    assert torch.autograd.grad in seen


def test_a_check_does_not_import_sympy() -> None:
    code = """if True:
        import sys, torch, gradviz
        x = torch.ones(3, dtype=torch.float64, requires_grad=True)
        assert gradviz.check(lambda x: (x * x, x.sin()), x)
        assert "sympy" not in sys.modules
    """
    done = run_program([sys.executable, "-c", code])
    assert done.returncode == 0, done.stderr
