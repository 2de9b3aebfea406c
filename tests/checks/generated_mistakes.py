"""Many broken Functions and correct ones: each base with its mistakes, in several sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from tests.checks.broken.corpus import made
from tests.checks.written_mistakes import Written

SIZES = ((3, 4, 5), (5, 3, 4), (4, 4, 4), (2, 6, 3))


def drawn(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    """Reproducible values of both signs that require a gradient."""
    source = torch.Generator().manual_seed(seed + sum(shape))
    return torch.randn(shape, generator=source, dtype=dtype).requires_grad_()


Backward = Callable[..., Any]
Mistakes = dict[str, tuple[str, Backward]]
"""For each mistake the diagnoses that are right, separated by spaces, and the backward."""


def _linear_back(x: Any = None, w: Any = None, b: Any = None) -> Backward:
    def back(g: Any, left: Tensor, right: Tensor, bias: Tensor) -> Any:
        d = g[0]
        return (
            x(d, left, right) if x else d @ right.t(),
            w(d, left, right) if w else left.t() @ d,
            b(d) if b else d.sum(0),
        )

    return back


def _lost(grad: Tensor, *place: Any) -> Tensor:
    grad = grad.clone()
    grad[place] = 0
    return grad


LINEAR: Mistakes = {
    "right": ("none", _linear_back()),
    "twice": ("factor_constant", _linear_back(x=lambda d, x, w: 2 * d @ w.t())),
    "negative": ("factor_sign", _linear_back(w=lambda d, x, w: -x.t() @ d)),
    "mean bias": ("factor_batch_size", _linear_back(b=lambda d: d.mean(0))),
    "one bias": ("missing_sum", _linear_back(b=lambda d: d[0])),
    "lost row": (
        "wrong_some_indices",
        _linear_back(x=lambda d, x, w: _lost(d @ w.t(), 0)),
    ),
    "lost column": (
        "wrong_some_indices",
        _linear_back(w=lambda d, x, w: _lost(x.t() @ d, slice(None), -1)),
    ),
    "no bias": ("dropped_none", _linear_back(b=lambda d: None)),
    "zero": ("dropped_zero", _linear_back(x=lambda d, x, w: torch.zeros_like(x))),
    "summed": (
        "extra_sum",
        _linear_back(x=lambda d, x, w: (d @ w.t()).sum(0, keepdim=True).expand_as(x).clone()),
    ),
    "ones": ("ignores_grad_output", _linear_back(b=lambda d: torch.ones_like(d).sum(0))),
    "both negative": (
        "factor_sign",
        _linear_back(x=lambda d, x, w: -d @ w.t(), w=lambda d, x, w: -x.t() @ d),
    ),
}


def _linear(n: int, m: int, k: int) -> tuple[Tensor, ...]:
    return drawn(n, m), drawn(m, k, seed=1), drawn(k, seed=2)


def _layer(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return (0.5 * (x @ w + b)).tanh()


def _layer_back(slope: Any) -> Backward:
    def back(g: Any, x: Tensor, w: Tensor, b: Tensor) -> Any:
        d = 0.5 * g[0] * slope(_layer(x, w, b))
        return d @ w.t(), x.t() @ d, d.sum(0)

    return back


LAYER: Mistakes = {
    "right": ("none", _layer_back(lambda y: 1 - y * y)),
    "no slope": ("factor_elements", _layer_back(torch.ones_like)),
    "half a slope": ("factor_elements wrong_operation", _layer_back(lambda y: 1 - y)),
    "wrong slope": ("factor_elements wrong_operation", _layer_back(lambda y: (1 - y * y) ** 2)),
    "half": ("factor_constant", _layer_back(lambda y: (1 - y * y) / 2)),
}


def _softmax_back(reduce: Any, sign: int = -1, factor: float = 1.0) -> Backward:
    def back(g: Any, x: Tensor) -> Any:
        y = x.softmax(-1)
        return factor * y * (g[0] + sign * reduce(g[0] * y))

    return back


SOFTMAX: Mistakes = {
    "right": ("none", _softmax_back(lambda t: t.sum(-1, keepdim=True))),
    "no sum": ("missing_term", _softmax_back(lambda t: 0 * t)),
    "sign": ("factor_sign", _softmax_back(lambda t: t.sum(-1, keepdim=True), 1)),
    "mean": ("factor_batch_size", _softmax_back(lambda t: t.mean(-1, keepdim=True))),
    "all": ("extra_sum", _softmax_back(lambda t: t.sum())),
    "third": ("factor_constant", _softmax_back(lambda t: t.sum(-1, keepdim=True), -1, 1 / 3)),
}

CENTERED: Mistakes = {
    "right": ("none", lambda g, x: g[0] - g[0].mean(-1, keepdim=True)),
    "sign": ("factor_sign", lambda g, x: g[0] + g[0].mean(-1, keepdim=True)),
    "no mean": ("missing_term", lambda g, x: g[0].clone()),
    "sum": ("factor_batch_size", lambda g, x: g[0] - g[0].sum(-1, keepdim=True)),
    "twice the mean": ("factor_constant", lambda g, x: g[0] - g[0].mean(-1, keepdim=True) * 2),
}


def _index(n: int, m: int, k: int) -> tuple[Tensor, Tensor]:
    source = torch.Generator().manual_seed(n * m)
    index = torch.randint(0, n, (m + 2,), generator=source)
    return drawn(n, k), torch.cat([index, index[:1]])


def _index_back(write: Any, factor: float = 1.0) -> Backward:
    def back(g: Any, table: Tensor, index: Tensor) -> Any:
        return write(torch.zeros_like(table), index, g[0] * factor)

    return back


def _write(grad: Tensor, index: Tensor, values: Tensor) -> Tensor:
    grad[index] = values
    return grad


def _increase(grad: Tensor, index: Tensor, values: Tensor) -> Tensor:
    grad[index] += values
    return grad


OVERWRITTEN = "wrong_some_indices missing_sum"

INDEX: Mistakes = {
    "right": ("none", _index_back(lambda grad, index, v: grad.index_add_(0, index, v))),
    "written": (OVERWRITTEN, _index_back(_write)),
    "increased": (OVERWRITTEN, _index_back(_increase)),
    "copied": (OVERWRITTEN, _index_back(lambda grad, index, v: grad.index_copy_(0, index, v))),
    "half": (
        "factor_constant",
        _index_back(lambda grad, index, v: grad.index_add_(0, index, v), 0.5),
    ),
}

CUMMAX: Mistakes = {
    "right": (
        "none",
        lambda g, x: torch.zeros_like(x).scatter_add(-1, x.cummax(-1).indices, g[0]),
    ),
    "scattered": (
        OVERWRITTEN,
        lambda g, x: torch.zeros_like(x).scatter_(-1, x.cummax(-1).indices, g[0]),
    ),
}


def _two_back(one: int, other: int) -> Backward:
    return lambda g, x: g[one] * x.cos() + g[other] * 2 * x


TWO: Mistakes = {
    "right": ("none", _two_back(0, 1)),
    "swapped": ("swapped_grad_outputs", _two_back(1, 0)),
    "first": ("swapped_grad_outputs", _two_back(0, 0)),
    "second": ("swapped_grad_outputs", _two_back(1, 1)),
    "twice": ("factor_constant", lambda g, x: 2 * (g[0] * x.cos() + g[1] * 2 * x)),
    "no second": ("missing_term ignores_grad_output", lambda g, x: g[0] * x.cos()),
}


def _groups(n: int, m: int, k: int) -> tuple[Tensor, Tensor]:
    return drawn(6, m), torch.tensor([0, 1, 1, 2, 2, 2])


def _group_means(x: Tensor, groups: Tensor) -> Tensor:
    counts = torch.bincount(groups, minlength=3).double()
    return x.new_zeros(3, x.shape[1]).index_add(0, groups, x) / counts[:, None]


def _counts(groups: Tensor) -> Tensor:
    return torch.bincount(groups).double()[groups][:, None]


GROUPS: Mistakes = {
    "right": ("none", lambda g, x, groups: g[0][groups] / _counts(groups)),
    "no count": ("factor_count", lambda g, x, groups: g[0][groups]),
    "twice the count": (
        "factor_count wrong_operation",
        lambda g, x, groups: g[0][groups] / _counts(groups) ** 2,
    ),
}


def _chain(n: int, m: int, k: int) -> tuple[Tensor, ...]:
    return drawn(n, m), drawn(m, m, seed=1), drawn(m, k, seed=2)


def _chain_back(x: Any = None, a: Any = None) -> Backward:
    def back(g: Any, left: Tensor, inner: Tensor, right: Tensor) -> Any:
        hidden = (left @ inner).sin()
        d = (g[0] @ right.t()) * (left @ inner).cos()
        return (
            x(d, inner) if x else d @ inner.t(),
            a(d, left) if a else left.t() @ d,
            hidden.t() @ g[0],
        )

    return back


CHAIN: Mistakes = {
    "right": ("none", _chain_back()),
    "inner": ("transposed", _chain_back(x=lambda d, a: d @ a)),
    "negative": ("factor_sign", _chain_back(a=lambda d, x: -(x.t() @ d))),
    "twice": ("factor_constant", _chain_back(x=lambda d, a: 2 * d @ a.t())),
}


def _loop(x: Tensor, w: Tensor) -> Tensor:
    hidden = x[0]
    for each in x[1:]:
        hidden = (hidden @ w).sin() + each
    return hidden


def _loop_back(change: Any) -> Backward:
    def back(g: Any, x: Tensor, w: Tensor) -> Any:
        states = [x[0]]
        for each in x[1:]:
            states.append((states[-1] @ w).sin() + each)
        d, grad_x, grad_w = g[0], torch.zeros_like(x), torch.zeros_like(w)
        for k in range(len(x) - 1, 0, -1):
            d = change(d, k)
            grad_x[k] = d
            slope = d * (states[k - 1] @ w).cos()
            grad_w += states[k - 1].t() @ slope
            d = slope @ w.t()
        grad_x[0] = d
        return grad_x, grad_w

    return back


LOOP: Mistakes = {
    "right": ("none", _loop_back(lambda d, k: d)),
    "one round": ("factor_constant", _loop_back(lambda d, k: d * 2 if k == 1 else d)),
    "one sign": ("factor_sign", _loop_back(lambda d, k: -d if k == 1 else d)),
}

PRODUCT: Mistakes = {
    "right": ("none", lambda g, a, b: (g[0] * b.conj(), g[0] * a.conj())),
    "swapped": ("swapped_gradients", lambda g, a, b: (g[0] * a.conj(), g[0] * b.conj())),
    "other": (
        "factor_elements wrong_operation",
        lambda g, a, b: (g[0] * a.conj(), g[0] * a.conj()),
    ),
    "squared": (
        "factor_elements wrong_operation",
        lambda g, a, b: (g[0] * b.conj() ** 2, g[0] * a.conj()),
    ),
    "twice": ("factor_constant", lambda g, a, b: (2 * g[0] * b.conj(), g[0] * a.conj())),
}
COMPLEX: Mistakes = {
    **PRODUCT,
    # Complex factors of single elements are not looked for.
    "other": ("unknown", PRODUCT["other"][1]),
    "no conjugate": ("missing_conjugate", lambda g, a, b: (g[0] * b, g[0] * a)),
}

SIGMOID: Mistakes = {
    "right": ("none", lambda g, x: g[0] * x.sigmoid() * (1 - x.sigmoid())),
    "half": ("factor_elements", lambda g, x: g[0] * x.sigmoid()),
    "another": ("unknown", lambda g, x: g[0] * (1 + x * x).rsqrt()),
    "squared": ("factor_elements unknown wrong_operation", lambda g, x: g[0] * x.sigmoid() ** 2),
    "shifted": ("surplus_term", lambda g, x: g[0] * (x.sigmoid() * (1 - x.sigmoid()) + x * 0.1)),
    "no slope": ("factor_elements", lambda g, x: g[0].clone()),
}

CUMSUM: Mistakes = {
    "right": ("none", lambda g, x: g[0].flip(-1).cumsum(-1).flip(-1)),
    "forward": ("transposed", lambda g, x: g[0].cumsum(-1)),
    "lost and twice": (
        "factor_constant wrong_some_indices",
        lambda g, x: _lost(2 * g[0].flip(-1).cumsum(-1).flip(-1), slice(None), -1),
    ),
    "too much": (
        "surplus_term",
        lambda g, x: g[0].flip(-1).cumsum(-1).flip(-1) + g[0].mean(),
    ),
}

TRANSPOSE: Mistakes = {
    "right": ("none", lambda g, x: g[0].t() * 3),
    "reshaped": ("transposed", lambda g, x: g[0].reshape(x.shape) * 3),
}


def _matrix(n: int, m: int, k: int) -> tuple[Tensor]:
    return (drawn(n, m),)


def _pair(n: int, m: int, k: int) -> tuple[Tensor, Tensor]:
    return drawn(n, m), drawn(n, m, seed=1)


def _complex_pair(n: int, m: int, k: int) -> tuple[Tensor, Tensor]:
    dtype = torch.complex128
    return drawn(n, m, dtype=dtype), drawn(n, m, seed=1, dtype=dtype)


BASES: tuple[tuple[str, Any, Any, Mistakes], ...] = (
    ("linear", lambda x, w, b: x @ w + b, _linear, LINEAR),
    ("layer", _layer, _linear, LAYER),
    ("softmax", lambda x: x.softmax(-1), _matrix, SOFTMAX),
    ("centered", lambda x: x - x.mean(-1, keepdim=True), _matrix, CENTERED),
    ("index", lambda table, index: table[index], _index, INDEX),
    ("cummax", lambda x: x.cummax(-1).values, _matrix, CUMMAX),
    ("two outputs", lambda x: (x.sin(), x * x), _matrix, TWO),
    ("group means", _group_means, _groups, GROUPS),
    ("chain", lambda x, a, b: (x @ a).sin() @ b, _chain, CHAIN),
    ("loop", _loop, lambda n, m, k: (drawn(4, n, m), drawn(m, m, seed=1)), LOOP),
    ("product", lambda a, b: a * b, _pair, PRODUCT),
    ("complex product", lambda a, b: a * b, _complex_pair, COMPLEX),
    ("sigmoid", torch.sigmoid, _matrix, SIGMOID),
    ("cumsum", lambda x: x.cumsum(-1), _matrix, CUMSUM),
    ("transpose", lambda x: x.t() * 3, _matrix, TRANSPOSE),
)


CASES = [(base, mistake) for base, *_, mistakes in BASES for mistake in mistakes]


def generated(base: str, mistake: str) -> Iterator[Written]:
    """One mistake in all sizes."""
    forward, inputs, mistakes = next(rest for name, *rest in BASES if name == base)
    codes, backward = mistakes[mistake]
    for sizes in SIZES:
        yield Written(
            f"{base}, {mistake}, {sizes}",
            made(forward, backward),
            inputs(*sizes),
            frozenset(codes.split()),
        )
