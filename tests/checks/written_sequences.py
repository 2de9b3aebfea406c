"""Recurrences, attention and solvers as people write them, with mistakes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from tests.checks.written_mistakes import (
    FACTOR,
    OPERATION,
    SIGN,
    SOME,
    TERM,
    TRANSPOSED,
    drawn,
    family,
)


@family(
    (drawn(4, 3), drawn(3, 3), drawn(3)),
    step=OPERATION,
    cut=TERM,
    slope=OPERATION,
    last="missing_sum wrong_operation missing_term",
    turned=TRANSPOSED,
    decay=FACTOR,
)
class TanhCell:
    """h = tanh(x[t] + W h + b), all states returned."""

    @staticmethod
    def forward(x: Tensor, w: Tensor, b: Tensor) -> Any:
        h, states = torch.zeros_like(b), []
        for t in range(len(x)):
            h = torch.tanh(x[t] + w @ h + b)
            states.append(h)
        h = torch.stack(states)
        return h, (w, h)

    @staticmethod
    def backward(m: str, g: Tensor, w: Tensor, h: Tensor) -> Any:
        gx, gw = torch.zeros_like(h), torch.zeros_like(w)
        carried = torch.zeros_like(h[0])
        for t in reversed(range(len(h))):
            total = g[t] + (0 if m == "cut" else carried)
            d = total * (1 - (torch.tanh(h[t]) if m == "slope" else h[t]) ** 2)
            gx[t] = d
            before = h[t - 1] if t else torch.zeros_like(d)
            if m != "last" or t + 1 == len(h):
                gw = gw + torch.outer(d, h[t] if m == "step" else before)
            carried = (w if m == "turned" else w.t()) @ d
            carried = 0.9 * carried if m == "decay" else carried
        return gx, gw, gx.sum(0)


@family(
    (drawn(5, 2), drawn(2, low=0.2)),
    step=OPERATION,
    undecayed=OPERATION + " " + FACTOR + " " + TERM,
    later=SOME,
    cut=TERM,
)
class LeakyIntegrator:
    """s[t] = a s[t - 1] + x[t]."""

    @staticmethod
    def forward(x: Tensor, a: Tensor) -> Any:
        s, states = torch.zeros_like(a), []
        for t in range(len(x)):
            s = a * s + x[t]
            states.append(s)
        s = torch.stack(states)
        return s, (a, s)

    @staticmethod
    def backward(m: str, g: Tensor, a: Tensor, s: Tensor) -> Any:
        gx, ga = torch.zeros_like(s), torch.zeros_like(a)
        carried = torch.zeros_like(a)
        for t in reversed(range(len(s))):
            d = g[t] if m == "cut" else g[t] + carried
            if not (m == "later" and t + 1 == len(s)):
                gx[t + 1 if m == "later" else t] = d
            if t:
                ga = ga + d * s[t if m == "step" else t - 1]
            carried = d if m == "undecayed" else a * d
        return gx, ga


@family(
    (drawn(4, 3), drawn(4, 3), drawn(4, 3)),
    unscaled=FACTOR + " " + OPERATION,
    row=TERM,
    operand=OPERATION + " swapped_gradients",
    unmasked=OPERATION + " " + SOME,
    scores=OPERATION,
    sign=SIGN + " " + TERM,
)
class CausalAttention:
    """softmax(Q K^T / sqrt(d), causal) V."""

    @staticmethod
    def forward(q: Tensor, k: Tensor, v: Tensor) -> Any:
        mask = torch.ones(len(q), len(q), dtype=torch.bool).tril()
        scores = (q @ k.t()) / q.shape[1] ** 0.5
        p = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        return p @ v, (q, k, v, p, scores)

    @staticmethod
    def backward(
        m: str, g: Tensor, q: Tensor, k: Tensor, v: Tensor, p: Tensor, scores: Tensor
    ) -> Any:
        gp = g @ v.t()
        if m == "unmasked":
            p = scores.softmax(-1)
        total = (gp * p).sum(-1, keepdim=True)
        ds = p * gp if m == "row" else p * (gp + total if m == "sign" else gp - total)
        ds = ds if m == "unscaled" else ds / q.shape[1] ** 0.5
        gk = ds.t() @ (v if m == "operand" else q)
        gv = (scores if m == "scores" else p).t() @ g
        return ds @ k, gk, gv


def _solve(a: Tensor, b: Tensor) -> Tensor:
    return torch.linalg.solve(a, b)


@family(
    (drawn(3, 3), drawn(3, 2)),
    sign=SIGN,
    turned=TRANSPOSED,
    right=OPERATION,
)
class Solve:
    """X = A^-1 B."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Any:
        a = a + 3 * torch.eye(3, dtype=a.dtype)
        x = _solve(a, b)
        return x, (a, b, x)

    @staticmethod
    def backward(m: str, g: Tensor, a: Tensor, b: Tensor, x: Tensor) -> Any:
        gb = _solve(a if m == "turned" else a.t(), g)
        ga = -gb @ (b if m == "right" else x).t()
        return -ga if m == "sign" else ga, gb


@family(
    (drawn(3, 3), drawn(3)),
    free=TERM,
    turned=TRANSPOSED,
    given=OPERATION + " factor_elements",
    slope=OPERATION + " " + TERM,
)
class FixedPoint:
    """z = tanh(W z / 4 + x), iterated until it converges."""

    @staticmethod
    def forward(w: Tensor, x: Tensor) -> Any:
        z = torch.zeros_like(x)
        for _ in range(60):
            z = torch.tanh(w @ z / 4 + x)
        return z, (w, x, z)

    @staticmethod
    def backward(m: str, g: Tensor, w: Tensor, x: Tensor, z: Tensor) -> Any:
        slope = torch.ones_like(z) if m == "slope" else 1 - z * z
        j = slope[:, None] * w / 4
        j = j if m == "turned" else j.t()
        u = g if m == "free" else torch.linalg.solve(torch.eye(3, dtype=w.dtype) - j, g)
        d = u * slope
        return torch.outer(d, x if m == "given" else z) / 4, d
