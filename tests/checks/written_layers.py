"""Norms, losses, indexing, FFT and activations as people write them, with mistakes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as fn

from tests.checks.written_mistakes import (
    FACTOR,
    OPERATION,
    SIGN,
    SIZE,
    SOME,
    TERM,
    drawn,
    family,
)


@family(
    (drawn(3, 5), drawn(5), drawn(5)),
    mean=TERM,
    spread=TERM,
    unbiased=OPERATION + " " + FACTOR + " factor_batch_size",
    batch=OPERATION + " extra_sum missing_sum",
    gamma=OPERATION + " " + TERM + " factor_elements",
    averaged=SIZE,
)
class LayerNorm:
    """(x - mean) / sqrt(var + eps) * gamma + beta."""

    @staticmethod
    def forward(x: Tensor, gamma: Tensor, beta: Tensor) -> Any:
        centered = x - x.mean(-1, keepdim=True)
        r = (x.var(-1, unbiased=False, keepdim=True) + 1e-5).rsqrt()
        y = centered * r
        return y * gamma + beta, (y, r, gamma)

    @staticmethod
    def backward(m: str, g: Tensor, y: Tensor, r: Tensor, gamma: Tensor) -> Any:
        d = g if m == "gamma" else g * gamma
        n = y.shape[-1] - 1 if m == "unbiased" else y.shape[-1]
        along = 0 if m == "batch" else -1
        gx = d if m == "mean" else d - d.mean(along, keepdim=True)
        if m != "spread":
            gx = gx - y * (d * y).sum(-1, keepdim=True) / n
        weight = (g * y).mean(0) if m == "averaged" else (g * y).sum(0)
        return gx * r, weight, g.sum(0)


@family(
    (drawn(3, 4), drawn(4)),
    term=TERM,
    summed=SIZE + " " + OPERATION,
    weight=OPERATION + " " + TERM + " factor_elements",
    given=OPERATION,
)
class RmsNorm:
    """x / sqrt(mean(x^2) + eps) * w."""

    @staticmethod
    def forward(x: Tensor, w: Tensor) -> Any:
        r = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return x * r * w, (x, w, r)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, w: Tensor, r: Tensor) -> Any:
        d = g if m == "weight" else g * w
        total = (d * x).sum(-1, keepdim=True)
        total = total if m == "summed" else total / x.shape[-1]
        gx = d * r if m == "term" else d * r - x * r**3 * total
        return gx, (g * (x if m == "given" else x * r)).sum(0)


@family(
    (drawn(12), drawn(12)),
    mask=OPERATION + " " + SOME,
    reduced=SIZE,
    sign=SIGN,
    delta=FACTOR + " " + SOME + " " + OPERATION,
)
class Huber:
    """Mean of the Huber loss with delta 0.8."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Any:
        d = x - y
        loss = torch.where(d.abs() <= 0.8, 0.5 * d * d, 0.8 * (d.abs() - 0.4))
        return loss.mean(), (d,)

    @staticmethod
    def backward(m: str, g: Tensor, d: Tensor) -> Any:
        far = d.sign() if m == "delta" else 0.8 * d.sign()
        gx = d if m == "mask" else torch.where(d.abs() <= 0.8, d, far)
        gx = g * gx if m == "reduced" else g * gx / d.numel()
        return gx, gx if m == "sign" else -gx


@family(
    (drawn(4, 3), torch.tensor([0, 2, 1, 2]), torch.tensor([1.0, 2.5, 0.7], dtype=torch.float64)),
    unweighted=OPERATION + " " + TERM + " factor_elements",
    target=TERM + " surplus_term wrong_operation wrong_some_indices",
    count=SIZE,
)
class WeightedCrossEntropy:
    """Cross entropy with class weights, averaged by weight."""

    @staticmethod
    def forward(x: Tensor, target: Tensor, weight: Tensor) -> Any:
        logp = x.log_softmax(-1)
        w = weight[target]
        loss = -(w * logp[torch.arange(len(x)), target]).sum() / w.sum()
        return loss, (logp, target, w)

    @staticmethod
    def backward(m: str, g: Tensor, logp: Tensor, target: Tensor, w: Tensor) -> Any:
        d = logp.exp()
        if m != "target":
            d = d - fn.one_hot(target, d.shape[1])
        d = d if m == "unweighted" else d * w[:, None]
        return g * d / (len(d) if m == "count" else w.sum()), None, None


@family(
    (drawn(4), drawn(4)),
    term=TERM,
    operand=OPERATION,
    norm=OPERATION + " " + FACTOR + " " + TERM,
)
class Cosine:
    """Cosine similarity of two vectors."""

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Any:
        na, nb = a.norm(), b.norm()
        c = (a * b).sum() / (na * nb)
        return c, (a, b, na, nb, c)

    @staticmethod
    def backward(m: str, g: Tensor, a: Tensor, b: Tensor, na: Tensor, nb: Tensor, c: Tensor) -> Any:
        ga = b / (na * nb)
        if m != "term":
            ga = ga - c * (b if m == "operand" else a) / (na if m == "norm" else na * na)
        return g * ga, g * (a / (na * nb) - c * b / (nb * nb))


@family(
    (drawn(5, 3), torch.tensor([0, 2, 2, 1, 0])),
    count="factor_count wrong_operation",
    kept=SOME + " missing_sum",
)
class SegmentMean:
    """Mean of the rows of each segment, gathered back to the rows."""

    @staticmethod
    def forward(x: Tensor, index: Tensor) -> Any:
        total = torch.zeros(3, 3, dtype=x.dtype).index_add(0, index, x)
        count = torch.zeros(3, dtype=x.dtype).index_add(0, index, torch.ones(5, dtype=x.dtype))
        return (total / count[:, None])[index], (index, count)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor, count: Tensor) -> Any:
        total = torch.zeros(3, 3, dtype=g.dtype)
        if m == "kept":
            total[index] = g
        else:
            total.index_add_(0, index, g)
        total = total if m == "count" else total / count[:, None]
        return total[index], None


@family(
    (drawn(4, 3), torch.tensor([1, 3, 0, 1, 0])),
    padding=SOME + " wrong_operation",
    kept=SOME + " missing_sum",
    position="wrong_operation transposed wrong_some_indices",
)
class Embedding:
    """Rows of a table; row 0 is padding and gives zeros."""

    @staticmethod
    def forward(table: Tensor, index: Tensor) -> Any:
        mask = (index != 0).to(table.dtype)[:, None]
        return table[index] * mask, (table, index, mask)

    @staticmethod
    def backward(m: str, g: Tensor, table: Tensor, index: Tensor, mask: Tensor) -> Any:
        g = g if m == "padding" else g * mask
        found = torch.zeros_like(table)
        if m == "kept":
            found[index] = g
        else:
            found.index_add_(0, (index + 1) % 4 if m == "position" else index, g)
        return found, None


@family(
    (drawn(6), drawn(6)),
    conj="missing_conjugate wrong_operation transposed",
    operand=OPERATION + " swapped_gradients",
    scale=SIZE,
)
class CircularConvolution:
    """Circular convolution by FFT."""

    @staticmethod
    def forward(x: Tensor, k: Tensor) -> Any:
        fx, fk = torch.fft.fft(x), torch.fft.fft(k)
        return torch.fft.ifft(fx * fk).real, (fx, fk)

    @staticmethod
    def backward(m: str, g: Tensor, fx: Tensor, fk: Tensor) -> Any:
        fg = torch.fft.fft(g)
        gx = torch.fft.ifft(fg * (fk if m == "conj" else fk.conj())).real
        gk = torch.fft.ifft(fg * (fk if m == "operand" else fx).conj()).real
        return gx, 6 * gk if m == "scale" else gk


@family(
    (drawn(3, 6),),
    ortho=FACTOR + " " + OPERATION + " " + SIZE,
    power=FACTOR,
)
class PowerSpectrum:
    """|FFT(x)|^2 with norm "ortho"."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        f = torch.fft.fft(x, norm="ortho")
        return f.abs() ** 2, (f,)

    @staticmethod
    def backward(m: str, g: Tensor, f: Tensor) -> Any:
        d = g * f * (1 if m == "power" else 2)
        return torch.fft.fft(d.conj(), norm="backward" if m == "ortho" else "ortho").real


@family((drawn(5), drawn(1, low=0.5)), beta=OPERATION + " " + TERM, term=TERM, inner=OPERATION)
class Swish:
    """x sigmoid(beta x)."""

    @staticmethod
    def forward(x: Tensor, beta: Tensor) -> Any:
        s = torch.sigmoid(beta * x)
        return x * s, (x, beta, s)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, beta: Tensor, s: Tensor) -> Any:
        slope = s * (1 - s)
        gx = s if m == "term" else s + x * slope * (1 if m == "beta" else beta)
        return g * gx, (g * (x if m == "inner" else x * x) * slope).sum().reshape(1)


@family((drawn(6),), inner=TERM + " " + OPERATION, constant=FACTOR + " " + OPERATION)
class TanhGelu:
    """GELU in its tanh form."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        t = torch.tanh(0.79788456 * (x + 0.044715 * x**3))
        return 0.5 * x * (1 + t), (x, t)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, t: Tensor) -> Any:
        inner = 1 if m == "inner" else 1 + (1 if m == "constant" else 3) * 0.044715 * x * x
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.79788456 * inner)


@family(
    (drawn(6, 5), drawn(6, 5)),
    alpha=FACTOR + " " + OPERATION,
    slope=FACTOR + " " + SOME + " " + OPERATION,
    given=OPERATION + " " + SOME,
)
class LeakyResidual:
    """leaky_relu(x + 0.3 y, 0.1)."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Any:
        s = torch.add(x, y, alpha=0.3)
        return fn.leaky_relu(s, 0.1), (x, s)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, s: Tensor) -> Any:
        at = x if m == "given" else s
        d = g * torch.where(at > 0, 1.0, 0.01 if m == "slope" else 0.1)
        return d, d if m == "alpha" else 0.3 * d


@family(
    (drawn(3, 5),),
    unbiased=OPERATION + " " + SIZE,
    square=OPERATION + " factor_elements",
)
class RowStd:
    """Standard deviation of each row."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        s = x.std(1, unbiased=True)
        return s, (x, s)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, s: Tensor) -> Any:
        n = x.shape[1] if m == "unbiased" else x.shape[1] - 1
        c = x - x.mean(1, keepdim=True)
        c = c / n if m == "square" else c / (n * s[:, None])
        return g[:, None] * c


@family((drawn(3, 4),), along="wrong_operation missing_sum", temperature=FACTOR, term=TERM)
class Tempered:
    """softmax(x / 0.5) along rows."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        p = (x / 0.5).softmax(1)
        return p, (p,)

    @staticmethod
    def backward(m: str, g: Tensor, p: Tensor) -> Any:
        total = (g * p).sum(0 if m == "along" else 1, keepdim=True)
        d = p * (g if m == "term" else g - total)
        return d if m == "temperature" else d / 0.5


@family(
    (drawn(4, 3), drawn(5, 3)),
    sign=SIGN,
    distance=OPERATION + " factor_elements",
)
class Distances:
    """Euclidean distances between all rows of two matrices."""

    @staticmethod
    def forward(x: Tensor, y: Tensor) -> Any:
        difference = x[:, None] - y[None]
        d = difference.pow(2).sum(-1).sqrt()
        return d, (difference, d)

    @staticmethod
    def backward(m: str, g: Tensor, difference: Tensor, d: Tensor) -> Any:
        unit = g[..., None] * (difference if m == "distance" else difference / d[..., None])
        gy = unit.sum(0)
        return unit.sum(1), gy if m == "sign" else -gy


@family(
    (drawn(2, 5, low=0.3),),
    divisor="wrong_operation factor_elements",
    forwards="transposed wrong_operation",
)
class CumulativeProduct:
    """cumprod along rows."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        y = x.cumprod(1)
        return y, (x, y)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, y: Tensor) -> Any:
        d = g * y
        if m == "forwards":
            return d.cumsum(1) / x
        total = d.flip(1).cumsum(1).flip(1)
        return total / (y if m == "divisor" else x)


@family((drawn(6),), kept=SOME + " missing_sum")
class Windows:
    """Overlapping windows of three elements."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        return x.unfold(0, 3, 1).clone(), ()

    @staticmethod
    def backward(m: str, g: Tensor) -> Any:
        found = torch.zeros(6, dtype=g.dtype)
        for k in range(4):
            if m == "kept":
                found[k : k + 3] = g[k]
            else:
                found[k : k + 3] += g[k]
        return found
