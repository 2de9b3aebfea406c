"""Functions that violate one rule each, and some that only appear to."""

from __future__ import annotations

from typing import Any

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

Tensor = torch.Tensor


class _Doubling(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output * 2


class Unmarked(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.mul_(2)
        return x


class ByNumpy(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.detach().numpy()[:] *= 2
        return x.clone()


class Marked(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x


class SavesSquare(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output * 3 * ctx.saved_tensors[0]


class _ReadsSaved(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        assert ctx.saved_tensors
        return grad_output * 2


class SavesOutside(_ReadsSaved):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        square = torch.from_numpy(x.detach().numpy() ** 2)
        ctx.save_for_backward(square)
        return square * x


class SavesSquareOnce(SavesSquare):
    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output * 3 * ctx.saved_tensors[0]


class SavesPositions(_ReadsSaved):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x > 0, x.argsort())
        return x * 2


class SavesOutput(_ReadsSaved):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        output = x * 2
        ctx.save_for_backward(output, x)
        return output


class KeepsNumber(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.shape, ctx.names, ctx.factor = x.shape, ["x"], 2.0
        return x * 2


class SumsItself(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        factor = torch.full((3, 2), 2.0, dtype=grad_output.dtype)
        return (grad_output * factor).sum(0) / 3


class ReturnsView(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return torch.atleast_2d(x)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output[0]


class PassesNoneOn(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return (*map(torch.clone, [grad_output]), None)


class SavesView(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x.view(-1))
        return x * x

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output * 2 * ctx.saved_tensors[0]


class KeepsTensors(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.parts = {"half": [x / 2]}
        return x * 2


def double_in_place(values: Tensor) -> Tensor:
    return values.mul_(2)


class ChangesGradientInHelper(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        assert isinstance(grad_output, Tensor)
        doubled = double_in_place(grad_output)
        return doubled


class ChangesGradient(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        # Of a sum it is expanded, and cannot be written into as it is.
        return grad_output.as_strided((1,), (1,)).mul_(2) * torch.ones_like(grad_output)


class Stop(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return None


class Product(Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


class Adjoint(Function):
    """A recurrence; its backward carries the gradient of the state from the end to the start."""

    @staticmethod
    def forward(ctx: Any, state: Tensor, inputs: Tensor) -> Tensor:
        ctx.count = len(inputs)
        for each in inputs:
            state = state * 0.5 + each
        return state

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        adjoint = grad_output * 1
        gradients = []
        for _ in range(ctx.count):
            gradients.append(adjoint)
            adjoint = adjoint * 0.5
        return adjoint, torch.stack(gradients[::-1])


class AdjointPart(Adjoint):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        carried = [grad_output * 1, torch.zeros(0, 2)]
        for _ in range(ctx.count):
            carried = [carried[0] * 0.5, torch.cat((carried[0][None], carried[1]))]
        grad_state = carried[0]
        return grad_state, carried[1]


class PassedOn(Adjoint):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        factors = 0.5 ** torch.arange(ctx.count - 1.0, -1, -1)
        return grad_output, factors[:, None] * grad_output


class Total(Adjoint):
    """The gradient of the state is computed apart."""

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        factors = 0.5 ** torch.arange(ctx.count - 1.0, -1, -1)
        grad_state = grad_output * 1
        for _ in range(ctx.count):
            grad_state = grad_state * 0.5
        return grad_state, factors[:, None] * grad_output


class OwnExpression(Adjoint):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        factors = 0.5 ** torch.arange(ctx.count - 1.0, -1, -1)
        return grad_output * 0.5**ctx.count, factors[:, None] * grad_output


class Doubles(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output.double() * 2


class DoublesTwice(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output.double().expand(3, 2) * 2


class SumsRows(Function):
    """A sum whose first gradient has a dimension more than the shape without broadcasting."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        ctx.is_broadcast = x.shape != y.shape
        return x + y

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        rows = 1 if ctx.is_broadcast else 2
        return grad_output.expand(rows, *grad_output.shape).squeeze(0).clone(), None


class OfList(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, others: list[Tensor]) -> Tensor:
        return x + others[0].sum()

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output, None


class TooFew(Product):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output


class WrongShape(Product):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return torch.ones(5, dtype=torch.float64), grad_output


class ANumber(Product):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output, 3.0


class Square(_Doubling):
    @staticmethod
    def forward(ctx: Any, h: Tensor) -> Tensor:
        ctx.save_for_backward(h)
        return h * h

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return 2 * ctx.saved_tensors[0] * grad_output


class TooFewAtTheEnd(Product):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        if not any(ctx.needs_input_grad): return None, None  # fmt: skip  # noqa: E701
        return grad_output


class ByArray(_Doubling):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        array = x.detach().numpy()
        other = torch.zeros(2)
        other[0] = 1
        array[0] = 5
        return x.clone()


class AddsDimension(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output.view(-1).unsqueeze_(0)[0] * 2


class Scales(_Doubling):
    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return grad_output.mul_(2)
