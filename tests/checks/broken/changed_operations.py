"""Formulas from the literature in which one operation of backward is wrong, or two are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from tests.checks.broken.corpus import cases, inputs, made

COMPLEX = torch.complex128


def attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.mT).softmax(-1) @ v


def attention_back(total: Callable[[Tensor], Tensor]) -> Any:
    def back(g: Any, q: Tensor, k: Tensor, v: Tensor) -> Any:
        p = (q @ k.mT).softmax(-1)
        d = g[0] @ v.mT
        scores = p * (d - total(d * p))
        return scores @ k, scores.mT @ q, p.mT @ g[0]

    return back


def layer_norm(x: Tensor, w: Tensor) -> Tensor:
    return functional.layer_norm(x, x.shape[-1:], w)


def layer_norm_back(first: float, second: float) -> Any:
    def back(g: Any, x: Tensor, w: Tensor) -> Any:
        rstd = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        normal = (x - x.mean(-1, keepdim=True)) * rstd
        d = g[0] * w
        mean = first * d.mean(-1, keepdim=True)
        inner = (d * normal).mean(-1, keepdim=True)
        return (d - mean - second * normal * inner) * rstd, (g[0] * normal).sum(0)

    return back


def conv_back(*, flip: bool = True, back_again: bool = False) -> Any:
    def back(g: Any, x: Tensor, w: Tensor) -> Any:
        kernel = w.flip(2) if flip else w
        grad_x = functional.conv1d(functional.pad(g[0], (2, 2)), kernel.transpose(0, 1))
        grad_w = functional.conv1d(x.transpose(0, 1), g[0].transpose(0, 1)).transpose(0, 1)
        return grad_x, grad_w.flip(2) if back_again else grad_w

    return back


def chain_back(g: Any, a: Tensor, b: Tensor, c: Tensor) -> Any:
    d = g[0] * c.conj() * (a * b) * 2  # (a * b).conj()
    return d * b.conj(), d * a.conj(), g[0] * (a * b).conj() ** 2


def solve(a: Tensor, b: Tensor) -> Tensor:
    return torch.linalg.solve_triangular(a.tril() + 3 * torch.eye(3, dtype=a.dtype), b, upper=False)


def solve_back(g: Any, a: Tensor, b: Tensor) -> Any:
    grad = solve(a, g[0])
    return -(grad @ solve(a, b).mT).tril(), grad


def other_norm_back(g: Any, a: Tensor, b: Tensor) -> Any:
    one, other = a.norm(dim=1, keepdim=True), b.norm(dim=1, keepdim=True)
    c = (a * b).sum(1, keepdim=True) / (one * other)
    d = g[0][:, None]
    return d * (b / (one * other) - c * a / one**2), d * (a / (one * other) - c * b / one**2)


def silu_back(g: Tensor, x: Tensor, s: Tensor) -> Tensor:
    return g * s * (1 + x * (1 + s))  # 1 - s


def scan_back(g: Any, x: Tensor) -> Tensor:
    slopes, total, steps = g[0] * x.cumsum(0).exp(), torch.zeros_like(x[0]), []
    for each in slopes.flip(0):
        total = total + each
        steps.append(total)
    return torch.stack(steps)


def log_cumulative_back(g: Any, x: Tensor) -> Tensor:
    return (g[0] * (-x.logcumsumexp(-1)).exp()).cumsum(-1) * x.exp()


SQUARE = inputs((4, 4), (4, 4), (4, 4))

CASES = (
    *cases(
        "missing_sum",
        (
            "softmax sum over the wrong dimension",
            made(attention, attention_back(lambda t: t.sum(-2, keepdim=True))),
            SQUARE,
        ),
    ),
    *cases(
        "wrong_operation",
        (
            "softmax sum without keepdim",
            made(attention, attention_back(lambda t: t.sum(-1))),
            SQUARE,
        ),
        (
            "convolution, missing flip",
            made(functional.conv1d, conv_back(flip=False)),
            inputs((1, 2, 5), (2, 2, 3)),
        ),
        (
            "convolution, flipped weight",
            made(functional.conv1d, conv_back(back_again=True)),
            inputs((1, 2, 5), (2, 2, 3)),
        ),
        (
            "modulus without division",
            made(torch.abs, lambda g, x: g[0] * x),
            inputs((3, 2), dtype=COMPLEX),
        ),
        (
            "slope too large",
            made(torch.tanh, lambda g, x: g[0] * (1.1 - x.tanh() ** 2)),
            inputs((3, 4)),
        ),
        ("exponent", made(torch.tanh, lambda g, x: g[0] * (1 - x.tanh() ** 3)), inputs((3, 4))),
        (
            "determinant without itself",
            made(torch.det, lambda g, a: g[0] * a.inverse().mT),
            inputs((3, 3)),
        ),
        (
            "norm of the other input",
            made(functional.cosine_similarity, other_norm_back),
            inputs((4, 3), (4, 3)),
        ),
        ("steps not reversed", made(lambda x: x.cumsum(0).exp(), scan_back), inputs((4, 3))),
    ),
    *cases(
        "factor_constant",
        ("layer norm, two terms", made(layer_norm, layer_norm_back(2, -1)), inputs((3, 5), (5,))),
    ),
    *cases(
        "missing_conjugate",
        (
            "inner conjugate",
            made(lambda a, b, c: (a * b) ** 2 * c, chain_back),
            inputs((2, 2), (2, 2), (2, 2), dtype=COMPLEX),
        ),
        (
            "conjugate transpose",
            made(
                lambda a, b: a @ b,
                lambda g, a, b: (g[0] @ b.mT, a.mH @ g[0]),
            ),
            inputs((2, 3), (3, 2), dtype=COMPLEX),
        ),
    ),
    *cases(
        "transposed",
        (
            "Fourier transform",
            made(torch.fft.fft, lambda g, x: torch.fft.fft(g[0])),
            inputs((2, 4), dtype=COMPLEX),
        ),
        ("triangular solve", made(solve, solve_back), inputs((3, 3), (3, 2))),
        (
            "cumulative sum inside",
            made(lambda x: x.logcumsumexp(-1), log_cumulative_back),
            inputs((3, 4)),
        ),
    ),
    *cases(
        "factor_sign",
        (
            "sign of a saved value",
            made(functional.silu, lambda g, x: silu_back(g[0], x, x.sigmoid())),
            inputs((3, 4)),
        ),
    ),
)
