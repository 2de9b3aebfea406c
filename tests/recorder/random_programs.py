"""Programs of random calls that use autograd in every way that may work, and many that may not."""

from __future__ import annotations

import copy
import gc
import random
import threading
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - as users write it
from torch import Tensor, nn
from torch.autograd import Function, forward_ad
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint


class Many(Function):
    """Two outputs, and with each ``flag`` something else that may be wrong."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, flag: int) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(flag % 2 == 0)
        ctx.save_for_backward(x, y, x * y)
        # A name of a method of the node.
        ctx.flag, ctx.name = flag, "mine"
        second = x.sign() if flag == 3 else x + y
        if flag == 3:
            ctx.mark_non_differentiable(second)
        return x * y, second

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y, _ = ctx.saved_tensors
        first, second = (torch.zeros_like(x) if each is None else each for each in gradients)
        if ctx.flag == 4:
            raise ValueError("flag")
        if ctx.flag == 5:
            return first * y, None, None, None
        return first * y + second, first * x + second, None


class Declares(Function):
    """Saves its inputs in ``setup_context``, where torch may refuse them."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        return x @ y, x.abs().argmax()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Any) -> Any:
        x, y = ctx.saved_tensors
        return grad @ y.mT, x.mT @ grad


class Once(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        return grad * ctx.saved_tensors[0].exp()


class Nested(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            made = Once.apply(inner).sin()
        ctx.save_for_backward(inner, made)
        return made.detach()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        inner, made = ctx.saved_tensors
        return torch.autograd.grad(made, inner, grad, retain_graph=True)[0]


class Dirty(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, is_true: bool) -> Tensor:
        ctx.mark_dirty(x)
        return x.mul_(3) if is_true else x * 3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return grad * 3, None


Call = Callable[[Any, "RandomProgram", Tensor, Tensor], Any]
CALLS: tuple[Call, ...] = (
    lambda chosen, run, a, b: chosen.choice([torch.sin, torch.exp, torch.abs, torch.sigmoid])(a),
    lambda chosen, run, a, b: chosen.choice([torch.mul, torch.add, torch.sub, torch.maximum])(a, b),
    lambda chosen, run, a, b: F.softplus(a) + F.gelu(b),
    lambda chosen, run, a, b: a @ b,
    lambda chosen, run, a, b: Many.apply(a, b, chosen.randrange(6))[chosen.randrange(2)],
    lambda chosen, run, a, b: Declares.apply(a, b)[0],
    lambda chosen, run, a, b: Once.apply(a),
    lambda chosen, run, a, b: Nested.apply(a),
    lambda chosen, run, a, b: Dirty.apply(a.clone(), chosen.random() < 0.7),
    lambda chosen, run, a, b: run.norm(a),
    lambda chosen, run, a, b: run.embedding(run.places),
    lambda chosen, run, a, b: run.rnn(a)[0],
    lambda chosen, run, a, b: a.data.mul_(2) and None,
    lambda chosen, run, a, b: a.detach().numpy().__iadd__(1) is None,
    lambda chosen, run, a, b: torch.func.grad(lambda x: (x * x).sum())(a),
    lambda chosen, run, a, b: torch.func.vmap(lambda x: x.sin() * 2)(a),
    lambda chosen, run, a, b: torch.func.jvp(torch.exp, (a,), (torch.ones_like(a),))[1],
    lambda chosen, run, a, b: torch.autograd.functional.jacobian(torch.sin, a),
    lambda chosen, run, a, b: copy.deepcopy(a) * 2,
    lambda chosen, run, a, b: a.requires_grad_(not a.requires_grad) is None,
    lambda chosen, run, a, b: setattr(a, "grad", torch.ones_like(a)),
    lambda chosen, run, a, b: a[..., 0].add_(1) is None,
    lambda chosen, run, a, b: a.clone().unbind(0)[0].mul_(2),
    lambda chosen, run, a, b: torch.mul(a, b, out=torch.empty(0)),
    lambda chosen, run, a, b: a.to(torch.float64),
    lambda chosen, run, a, b: a.masked_fill(a.real > 0, 0).mul_(2),
    lambda chosen, run, a, b: torch.where(a.real > 0, a, b),
    lambda chosen, run, a, b: torch.stack([a, b]).chunk(2)[0],
    lambda chosen, run, a, b: checkpoint(torch.tanh, a, use_reentrant=chosen.random() < 0.5),
    lambda chosen, run, a, b: run.in_thread(lambda: (a * 2).sum().backward()),
    lambda chosen, run, a, b: gc.collect() and None,
    lambda chosen, run, a, b: a.detach(),
    lambda chosen, run, a, b: a.retain_grad(),
    lambda chosen, run, a, b: a.register_hook(lambda g: 1 / 0 if chosen.random() < 0.3 else g * 2),
    lambda chosen, run, a, b: a.register_post_accumulate_grad_hook(run.see),
    lambda chosen, run, a, b: a.grad_fn.register_hook(lambda _, given: run.see(*given)),
    lambda chosen, run, a, b: a.register_hook(lambda _: run.train(1)),
    lambda chosen, run, a, b: run.within(torch.no_grad(), torch.mul, a, b),
    lambda chosen, run, a, b: run.within(torch.inference_mode(), torch.mul, a, b),
    lambda chosen, run, a, b: run.within(torch.autocast("cpu"), torch.matmul, a, b),
    lambda chosen, run, a, b: run.within(torch.autograd.graph.save_on_cpu(), torch.mul, a, b),
    lambda chosen, run, a, b: run.within(forward_ad.dual_level(), torch.mul, a, b),
)


class RandomProgram:
    """A program that a seed chooses; calling it runs it, with the same result each time."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def __call__(self) -> list[str]:
        """Run it; everything observable of the run, as texts."""
        self._chosen = chosen = random.Random(self._seed)
        torch.manual_seed(self._seed)
        self._seen: list[Any] = []
        # Most have one shape and dtype, so that most calls work.
        shapes = [(3, 3)] * 9 + [(), (3,), (0, 3), (2, 1, 3)]
        dtypes = [torch.float32] * 9 + [torch.float64, torch.complex64, torch.float16]
        self._leaves = [
            torch.randn(shape, dtype=dtype).requires_grad_(chosen.random() < 0.75)
            for shape, dtype in zip(chosen.sample(shapes, 4), chosen.sample(dtypes, 4), strict=True)
        ]
        self.places = torch.tensor([0, 2, 1])
        self.norm, self.rnn = nn.BatchNorm1d(3), nn.GRU(3, 3)
        self.embedding = nn.Embedding(3, 3, sparse=chosen.random() < 0.3)
        self._pool = [*self._leaves]
        weights = [*self.norm.parameters(), *self.rnn.parameters(), self.embedding.weight]
        optimizer = torch.optim.SGD(weights, lr=0.1, momentum=0.5 * chosen.randrange(2))
        for _ in range(chosen.randrange(1, 4)):
            for _ in range(chosen.randint(3, 14)):
                self._attempt(self._call)
            self._attempt(self._pass)
            self._attempt(optimizer.step)
            self.see(*[each.grad for each in (*self._leaves, *weights)])
        facts = [
            (each.shape, type(each.grad_fn).__name__, each.requires_grad, each.is_leaf)
            for each in self._pool
        ]
        return [*map(_text, self._seen), *map(str, facts)]

    def see(self, *values: Any) -> None:
        """Note what is seen in the run."""
        copied = [each.detach().clone() if isinstance(each, Tensor) else each for each in values]
        self._seen += copied

    def in_thread(self, work: Callable[[], Any]) -> None:
        """Do something in another thread, and wait for it."""
        thread = threading.Thread(target=self._attempt, args=(work,))
        thread.start()
        thread.join()

    def within(self, context: Any, call: Callable[..., Tensor], *given: Tensor) -> Tensor:
        """What a function returns in a context."""
        with context:
            return call(*given)

    def train(self, steps: int) -> None:
        """A pass of its own."""
        for _ in range(steps):
            self.norm(torch.ones(2, 3)).sum().backward()

    def _attempt(self, work: Callable[[], Any]) -> None:
        try:
            work()
        except Exception as error:  # noqa: BLE001 - errors are results, too
            self.see(f"{type(error).__name__}: {error}"[:160])

    def _call(self) -> None:
        chosen, (a, b) = self._chosen, self._chosen.choices(self._pool, k=2)
        made = chosen.choice(CALLS)(chosen, self, a, b)
        if isinstance(made, Tensor):
            self._pool.append(made)
            if chosen.random() < 0.3:
                self.see(made)

    def _pass(self) -> None:
        chosen, ends = self._chosen, [each for each in self._pool[-5:] if each.requires_grad]
        loss = sum((each.abs().float().square().sum() for each in ends), torch.zeros(()))
        leaves = [each for each in self._leaves if each.requires_grad]
        match chosen.randrange(5):
            case 0 | 1:
                loss.backward(retain_graph=chosen.random() < 0.5)
            case 2:
                made = torch.autograd.grad(loss, leaves, create_graph=True, allow_unused=True)
                self.see(*made)
                sum(each.abs().sum() for each in made if each is not None).backward()
            case 3:
                torch.autograd.backward(ends, [torch.ones_like(each) for each in ends])
            case _:
                loss.backward(inputs=leaves[:1], retain_graph=True)
                loss.backward()
        self.see(loss)


def _text(value: Any) -> str:
    """All digits of all elements of a tensor; the text of anything else."""
    if not isinstance(value, Tensor):
        return str(value)
    return f"{value.dtype} {[*value.shape]} {value.to_dense().tolist()}"
