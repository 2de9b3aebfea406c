"""Correct custom Functions, in which the doctor must find nothing."""

from __future__ import annotations

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Masked(Function):  # correct
    @staticmethod
    def forward(ctx, x, mask):
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask, None


class MaskOnContextOnce(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        ctx.mask = x > 1
        return x * ctx.mask

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * ctx.mask


class Reversal(Function):  # correct
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x

    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g, None


class TwoIdentities(Function):  # correct
    @staticmethod
    def forward(ctx, x, y):
        """Return both, and keep their gradients in balance."""
        ctx.set_materialize_grads(False)
        return x, y

    @staticmethod
    def backward(ctx, gx, gy):
        if gx is None or gy is None:
            return gx, gy
        mean = (gx + gy) / 2
        return mean, mean.clone()


class SavesNothing(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(None, None)
        ctx.factor = 2.0
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor


class Surrogate:
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g / (1 + x * x), None, None


class Spike(Surrogate, Function):  # correct
    @staticmethod
    def forward(ctx, x, threshold):
        ctx.save_for_backward(x)
        return (x > threshold).to(x.dtype)


class ScaledSpike(Surrogate, Function):  # correct
    @staticmethod
    def forward(ctx, x, threshold, scale):
        ctx.save_for_backward(x)
        return (x > threshold).to(x.dtype) * scale


class WithPlainParent(Function):  # correct
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 + 0 * x, None, None


class WithMoreInputs(WithPlainParent):  # correct
    @staticmethod
    def forward(ctx, x, slope, offset):
        ctx.save_for_backward(x)
        return x * 2 + offset


class SegmentSum(Function):  # correct
    """Its lengths are integers, so that leaving autograd with them changes no derivative."""

    @staticmethod
    def forward(ctx, x, lengths):
        ctx.save_for_backward(x, lengths)
        return torch.stack([part.pow(2).sum() for part in x.split(lengths.tolist())])

    @staticmethod
    def backward(ctx, g):
        x, lengths = ctx.saved_tensors
        parts = zip(x.split(lengths.tolist()), g, strict=True)
        return torch.cat([2 * part * each for part, each in parts]), None


class LeakyRelu(Function):  # correct
    """Its slope is constant in pieces, whatever is detached to find the piece."""

    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return torch.where(x > 0, x, slope * x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        positive = x.detach() > 0
        return torch.where(positive, g, ctx.slope * g), None


class AbsoluteValue(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.detach().sign()


class LargestOf(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.max()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        at = int(x.detach().argmax())
        picked = torch.zeros_like(x)
        picked[at] = 1
        return picked * g


class Logged(Function):  # correct
    """What only prints or counts does not enter the gradient."""

    seen: list[float] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, g):
        norm = g.detach().norm().item()
        Logged.seen.append(norm)
        return g * 3


class ByConstant(Function):  # correct
    """The factor has no gradient, so to read it as a number loses none."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(factor)
        return x * factor

    @staticmethod
    def backward(ctx, g):
        (factor,) = ctx.saved_tensors
        return g * factor.item(), None


class ExpOfOutput(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


class Dropped(Function):  # correct
    @staticmethod
    def forward(ctx, x, p):
        kept = torch.rand_like(x) >= p
        ctx.save_for_backward(kept)
        ctx.p = p
        return x * kept / (1 - p)

    @staticmethod
    def backward(ctx, g):
        (kept,) = ctx.saved_tensors
        return g * kept / (1 - ctx.p), None


class SortedValues(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.save_for_backward(order)
        ctx.mark_non_differentiable(order)
        return values, order

    @staticmethod
    def backward(ctx, g, _):
        (order,) = ctx.saved_tensors
        return torch.zeros_like(g).scatter(0, order, g)


class InPlaceRelu(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * (y > 0)


def in_place_relu(x):  # correct
    return InPlaceRelu.apply(x * 1)


class Linear(Function):  # correct
    @staticmethod
    def forward(x, weight, bias):
        return x @ weight.t() + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _ = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        grad_x = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_x = g @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = g.t() @ x
        if ctx.needs_input_grad[2]:
            grad_bias = g.sum(0)
        return grad_x, grad_weight, grad_bias


class NumpyExp(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        result = torch.from_numpy(x.detach().exp().numpy())
        ctx.save_for_backward(result)
        return result

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (result,) = ctx.saved_tensors
        return torch.from_numpy(g.numpy() * result.numpy())


class Straight(Function):  # correct
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g.clone()


class Mixed(Function):  # correct
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        return (g @ weight.t().to(g.dtype)).to(x.dtype), (x.t().to(g.dtype) @ g).to(weight.dtype)


def under_autocast(x, weight):  # correct
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return Mixed.apply(x, weight).float()


def elementwise_under_autocast(x):  # correct
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return ExpOfOutput.apply(x)


class Broadcast(Function):  # correct
    @staticmethod
    def forward(ctx, x, offset):
        return x + offset

    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.sum().reshape(1)


class Rerun(Function):  # correct
    """Recomputes a closed function on a detached copy, as checkpoints do."""

    @staticmethod
    def forward(ctx, run, x):
        ctx.run = run
        ctx.save_for_backward(x)
        with torch.no_grad():
            return run(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            y = ctx.run(inner)
        (grad_x,) = torch.autograd.grad(y, inner, g)
        return None, grad_x


class ReadsIntoNew(Function):  # correct
    """The new tensor is written to, not the gradient that it is multiplied by."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3 / 3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        made = torch.empty_like(x)
        torch.pow(x, 2, out=made).mul_(g)
        return made


def kernel(g, out):
    return g * out


class KernelWithOut(Function):  # correct
    """A kernel's `out` may be the output of forward, which it reads; its `backward` is no pass."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return Kernels.backward(kernel(g, out=y), 1)


class Kernels:
    @staticmethod
    def backward(g, factor):
        return g * factor


class LossBase(Function):
    """Its context is the second parameter, as subclasses pass themselves."""

    @staticmethod
    def forward(cls, ctx, x):
        ctx.save_for_backward(x)
        ctx.factor = cls.factor
        return (cls.factor * x * x).sum()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * ctx.factor * x * g


class Loss(LossBase):  # correct
    factor = 3.0

    @staticmethod
    def forward(ctx, x):
        return LossBase.forward(Loss, ctx, x)

    @staticmethod
    def backward(ctx, g):
        return LossBase.backward(ctx, g)


class CheckedIdentity(Function):  # correct
    """It computes something, and still returns nothing but its input."""

    @staticmethod
    def forward(ctx, x, limit):
        if x.abs().max() > limit:
            raise ValueError("too large")
        ctx.limit = limit
        return x

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-ctx.limit, ctx.limit), None


def ones(*shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0)) + 0.5


def leaf(*shape):
    return ones(*shape).requires_grad_()


EXAMPLES = {
    "Masked": (leaf(3), torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64)),
    "MaskOnContextOnce": (leaf(3),),
    "Reversal": (leaf(3), 0.5),
    "TwoIdentities": (leaf(3), leaf(3)),
    "SavesNothing": (leaf(3),),
    "Spike": (leaf(3), 0.7),
    "ScaledSpike": (leaf(3), 0.7, 2.0),
    "WithPlainParent": (leaf(3), 0.1),
    "WithMoreInputs": (leaf(3), 0.1, 0.2),
    "SegmentSum": (leaf(5), torch.tensor([2, 3])),
    "LeakyRelu": (leaf(3), 0.1),
    "AbsoluteValue": (leaf(3),),
    "LargestOf": (leaf(3),),
    "Logged": (leaf(3),),
    "ByConstant": (leaf(3), torch.tensor(2.0, dtype=torch.float64)),
    "ExpOfOutput": (leaf(3),),
    "Dropped": (leaf(3), 0.5),
    "SortedValues": (leaf(3),),
    "in_place_relu": (leaf(3),),
    "Linear": (leaf(4, 3), leaf(2, 3), leaf(2)),
    "NumpyExp": (leaf(3),),
    "Straight": (leaf(3),),
    "under_autocast": (
        leaf(2, 3).float().detach().requires_grad_(),
        nn.Parameter(torch.ones(3, 2)),
    ),
    "elementwise_under_autocast": (leaf(3),),
    "Broadcast": (leaf(3), leaf(1)),
    "Rerun": (torch.sin, leaf(3)),
    "ReadsIntoNew": (leaf(3),),
    "KernelWithOut": (leaf(3),),
    "Loss": (leaf(3),),
    "CheckedIdentity": (leaf(3), 10.0),
}
