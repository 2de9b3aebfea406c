# ruff: noqa: SLF001 - version counters are part of what is observed
"""Programs beyond plain Functions: transforms, other tensors, other layers of torch."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from tests.recorder.programs import PROGRAMS, Cube, Scale, leaf, program

ALL_PROGRAMS = PROGRAMS


class ByVjp(Function):
    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def vjp(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos()

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * x.cos()


class Generated(ByVjp):
    generate_vmap_rule = True
    vjp = Function.vjp

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cos()


@program
def named_vjp():
    x = leaf(3)
    y = ByVjp.apply(x)
    y.sum().backward()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.ones(3, dtype=x.dtype))
        tangent = torch.autograd.forward_ad.unpack_dual(ByVjp.apply(dual)).tangent
        tangent = tangent.clone()
    return y, x.grad, tangent


class ByVmap(Function):
    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def vmap(info, in_dims, x):
        return ByVmap.apply(x), in_dims[0]


@program
def functorch():
    x = torch.randn(3, dtype=torch.float64)
    grad = torch.func.grad(lambda t: Generated.apply(t).sum())(x)
    batch = torch.vmap(torch.func.grad(lambda t: Generated.apply(t) * t))(x)
    second = torch.func.hessian(lambda t: Generated.apply(t).sum())(x)
    jacobian = torch.func.jacrev(lambda t: ByVmap.apply(t))(x)
    mapped = torch.vmap(ByVmap.apply)(x)
    _, tangent = torch.func.jvp(Generated.apply, (x,), (torch.ones_like(x),))
    return grad, batch, second, jacobian, mapped, tangent


@program
def batched_gradients():
    x = leaf(3)
    y = Scale.apply(x * x)
    (g,) = torch.autograd.grad(
        y, x, torch.eye(3, dtype=torch.float64), is_grads_batched=True, retain_graph=True
    )
    return g, torch.autograd.functional.jacobian(lambda t: Scale.apply(t) ** 2, x.detach())


@program
def no_grad_and_inference():
    x = leaf(3)
    with torch.no_grad():
        a = Scale.apply(x)
    with torch.inference_mode():
        b = Scale.apply(x) + 1
    return a, b, a.grad_fn, b.is_inference()


@program
def retained_graph_and_leaf_twice():
    x = leaf(3)
    y = Scale.apply(x) * x + x
    y.sum().backward(retain_graph=True)
    first = x.grad.clone()
    y.sum().backward(inputs=[x])
    return first, x.grad


@program
def reentrant():
    class Inner(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                d = x.detach().requires_grad_()
                (d * d * 1.0).sum().backward()
            return grad * d.grad

    x = leaf(3)
    Inner.apply(x).sum().backward()
    return x.grad


@program
def numpy_inside():
    class Sine(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.from_numpy(np.sin(x.detach().numpy()))

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * torch.from_numpy(np.cos(x.numpy()))

    x = leaf(3)
    y = Sine.apply(x)
    y.sum().backward()
    return y, x.grad


class Logged(torch.Tensor):
    calls: ClassVar[list[str]] = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


@program
def subclass():
    Logged.calls = []
    x = torch.tensor([1.0, 2.0, 3.0]).as_subclass(Logged).requires_grad_()
    y = (x * x).sum()
    y.backward()
    return y.as_subclass(torch.Tensor), x.grad.as_subclass(torch.Tensor), list(Logged.calls)


@program
def data_written_behind():
    x = leaf(3)
    y = Scale.apply(x)
    y.sum().backward()
    x.data.add_(1)
    x.grad = None
    z = Scale.apply(x)
    z.sum().backward()
    return y, z, x.grad, x._version


@program
def storages_resized():
    x, large = leaf(4), torch.ones(5000)
    y = (Scale.apply(x) * 2).sum() + (large * x[0]).sum()
    y.backward()
    for each in (x.grad, large):
        each.untyped_storage().resize_(each.nbytes * 2)
    return y, x.grad, large


@program
def large_tensors():
    x = leaf(100, 100, dtype=torch.float32)
    y = Scale.apply(F.conv2d(x[None, None], torch.ones(1, 1, 3, 3))).relu()
    y.mean().backward()
    return y, x.grad


@program
def many_dtypes():
    found = []
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        x = torch.randn(4).to(dtype).requires_grad_()
        y = Scale.apply(x) * x
        y.sum().backward()
        found += [y, x.grad]
    return found


@program
def default_device_and_saved_hooks():
    x = leaf(3)
    with torch.device("cpu"), torch.autograd.graph.save_on_cpu():
        y = Scale.apply(x.sin() * torch.ones(3, dtype=torch.float64))
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
        z = (y * x).exp()
    z.sum().backward()
    return z, x.grad


@program
def rnn_and_transformer():
    lstm = nn.LSTM(3, 4, 2, dropout=0.3)
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    out, _ = lstm(torch.randn(5, 2, 3))
    result = layer(out)
    result.sum().backward()
    return result, [p.grad for m in (lstm, layer) for p in m.parameters()]


@program
def anomaly_mode():
    x = leaf(3)
    with torch.autograd.detect_anomaly(check_nan=True):
        y = Scale.apply(x).sin()
        y.sum().backward()
    return y, x.grad


@program
def gradcheck():
    x = leaf(3)
    return torch.autograd.gradcheck(Scale.apply, (x,)), torch.autograd.gradgradcheck(
        Cube.apply, (x,)
    )


@program
def traced_and_scripted():
    x = leaf(2)
    traced = torch.jit.trace(lambda t: Scale.apply(t * 2).sin(), x, check_trace=False)
    y = traced(x)
    z = torch.jit.script(nn.Linear(2, 2).double())(y)
    (y.sum() + z.sum()).backward()
    return y, x.grad, [node.kind() for node in traced.graph.nodes()]
