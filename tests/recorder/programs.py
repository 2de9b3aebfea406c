# ruff: noqa: SLF001 - version counters are part of what is observed
"""Programs that use autograd in many ways; each returns everything observable of its run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

Program = Callable[[], Any]
PROGRAMS: dict[str, Program] = {}


def program(function: Program) -> Program:
    PROGRAMS[function.__name__] = function
    return function


def leaf(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(shape, dtype=dtype).requires_grad_()


class Scale(Function):
    @staticmethod
    def forward(ctx, x, factor=2.0, *, offset=None):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


class Split(Function):
    @staticmethod
    def forward(x, w, b=None):
        return x.mm(w.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, w, b = inputs
        ctx.save_for_backward(x, w, b)

    @staticmethod
    def backward(ctx, grad):
        x, w, b = ctx.saved_tensors
        return grad.mm(w), grad.t().mm(x), None if b is None else grad.sum(0)


ALIAS = Split.apply


@program
def alias_taken_earlier():
    x, w = leaf(3, 2), leaf(4, 2)
    y = ALIAS(x, w)
    (y * y).sum().backward()
    return y, x.grad, w.grad


def keywords():
    x = leaf(3)
    y = Scale.apply(x=x, factor=3.0)
    z = Split.apply(w=leaf(2, 3), x=y[None], b=torch.ones(2))
    z.sum().backward()
    return y, z, x.grad


if torch.__version__ >= "2.13":
    # Function.apply takes no keyword arguments before.
    program(keywords)


class Two(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x * 2, x.sort()[1], x.exp()

    @staticmethod
    def backward(ctx, a, i, b):
        (x,) = ctx.saved_tensors
        total = torch.zeros_like(x)
        if a is not None:
            total += 2 * a
        if b is not None:
            total += b * x.exp()
        return total


class NoneBack(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


@program
def several_outputs_and_none():
    x = leaf(4)
    a, i, b = Two.apply(x)
    (NoneBack.apply(a).sum() + b.sum()).backward()
    return a, i, b, x.grad


@program
def none_everywhere():
    x = leaf(4)
    y = NoneBack.apply(x * 2)
    y.sum().backward()
    return y, x.grad


class Double(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


@program
def dirty():
    w = leaf(3)
    x = w.clone()
    y = Double.apply(x)
    y.sum().backward()
    return y, y is x, x._version, w.grad


class Sort(Function):
    @staticmethod
    def forward(ctx, x):
        values, indices = x.sort()
        ctx.mark_non_differentiable(indices)
        ctx.save_for_backward(indices)
        return values, indices

    @staticmethod
    @once_differentiable
    def backward(ctx, grad, _):
        (indices,) = ctx.saved_tensors
        return torch.zeros_like(grad).scatter(0, indices, grad)


@program
def non_differentiable():
    x = leaf(4)
    values, indices = Sort.apply(x)
    (values * torch.arange(4.0)).sum().backward()
    return values, indices, indices.requires_grad, x.grad


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        d = 3 * x**2
        ctx.save_for_backward(x, d)
        return x**3, d

    @staticmethod
    def backward(ctx, grad, grad_d):
        x, d = ctx.saved_tensors
        return grad * d + grad_d * 6 * x


@program
def double_backward():
    x = leaf(3)
    y = Cube.apply(x)[0]
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
    h.sum().backward()
    return y, g, h, x.grad, g.grad_fn.name(), h.grad_fn.name()


@program
def double_backward_of_once():
    x = leaf(3)
    y, _ = Sort.apply(x)
    (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    try:
        g.sum().backward()
    except RuntimeError as error:
        return y, g, str(error)
    raise AssertionError


class Reduced(Function):
    @staticmethod
    def forward(ctx, x, w, b):
        ctx.save_for_backward(x, w)
        return x.mm(w) + b

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return (grad.mm(w.t())).float(), x.t().mm(grad)[None].expand(3, -1, -1), grad


@program
def reduced_and_cast():
    x, w, b = leaf(3, 2), leaf(2, 4), leaf(4)
    Reduced.apply(x, w, b).sum().backward()
    return x.grad, w.grad, b.grad


class ViewSaved(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.sigmoid()
        ctx.save_for_backward(x.view(-1), y, x + 1)
        ctx.kept = torch.ones(2)
        return y.view_as(y)

    @staticmethod
    def backward(ctx, grad):
        _, y, _ = ctx.saved_tensors
        return grad * y * (1 - y)


@program
def views():
    x = leaf(2, 3)
    y = ViewSaved.apply(x * 1)
    z = x * 1
    z[0].mul_(2)
    v = z.view(-1)[1:]
    v[0] = 5.0
    (y.sum() + z.sum() + v.sum()).backward()
    return y, z, v, x.grad, z.grad_fn.name(), v.grad_fn.name(), z._version


@program
def checkpoints():
    x = leaf(3)
    w = leaf(3)

    def block(t):
        return Scale.apply(t * w, 2.0).sin() * F.dropout(t, 0.5)

    y = checkpoint(block, x, use_reentrant=True)
    z = checkpoint(block, y, use_reentrant=False)
    z.sum().backward()
    return y, z, x.grad, w.grad


@program
def hooks():
    x = leaf(3)
    y = x * 2
    seen: list[Any] = []
    y.register_hook(lambda g: g * 10)
    y.grad_fn.register_prehook(lambda gs: (gs[0] + 1,))
    y.grad_fn.register_hook(lambda gi, go: seen.append((gi[0], go[0])))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.clone()))
    y.retain_grad()
    (y * y).sum().backward()
    return y, x.grad, y.grad, seen


@program
def python_threads():
    x = leaf(3)
    results: list[Any] = [None] * 3

    def work(i):
        y = Scale.apply(x * i, 3.0).sum()
        results[i] = torch.autograd.grad(y, x)[0]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(3, 3)
        self.two = nn.Sequential(self.one, nn.ReLU(), nn.Dropout(0.5))
        self.bn = nn.BatchNorm1d(3)
        self.two[0].weight = self.one.weight

    def forward(self, x):
        return self.bn(self.two(self.one(x)))


@program
def module_with_shared_weights():
    model = Shared()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(torch.randn(4, 3)), torch.tensor([0, 1, 2, 0]))
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses, [p.detach() for p in model.parameters()], list(model.buffers())


@program
def complex_and_scalars():
    x = leaf(2, dtype=torch.complex128)
    s = leaf()
    y = (x.conj() * x * s).real.sum() + (s * 2).exp()
    y.backward()
    z = torch.view_as_real(x.detach() * 1j).neg()
    return y, x.grad, s.grad, z, x.detach().conj(), x.detach().conj().imag


@program
def empty_and_strided():
    x = leaf(0, 3)
    w = leaf(4, 3)
    y = (x @ w[:, ::2].sum(1, keepdim=True)[:3]).sum() + w.t().unfold(0, 2, 1).sum()
    y.backward()
    return y, x.grad, w.grad


@program
def sparse_gradient():
    e = nn.Embedding(5, 3, sparse=True)
    out = e(torch.tensor([0, 1, 1]))
    out.sum().backward()
    return out, e.weight.grad.to_dense(), e.weight.grad.is_coalesced()


class Fails(Function):
    @staticmethod
    def forward(ctx, x, where):
        ctx.where = where
        if where == "forward":
            raise ValueError("in forward")
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if ctx.where == "backward":
            raise KeyError("in backward")
        if ctx.where == "shape":
            return grad[:1], None
        if ctx.where == "count":
            return grad
        return (grad, None, grad) if ctx.where == "more" else (grad.tolist(), None)


@program
def caught_exceptions():
    told = []
    for where in ("forward", "backward", "shape", "count", "more", "list"):
        try:
            Fails.apply(leaf(3), where).sum().backward()
        except (ValueError, KeyError, RuntimeError, TypeError) as error:
            told.append((type(error).__name__, str(error)))
    for wrong in (lambda: Fails.apply(leaf(2)), lambda: Split.apply(leaf(2), q=1)):
        try:
            wrong()
        except (ValueError, KeyError, RuntimeError, TypeError) as error:
            told.append((type(error).__name__, str(error)))
    x = leaf(2)
    y = x.exp()
    y.add_(1)
    for bad in (lambda: y.sum().backward(), lambda: torch.ones(2).sum().backward()):
        try:
            bad()
        except RuntimeError as error:
            told.append(("RuntimeError", str(error)))
    return told
