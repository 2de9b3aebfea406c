"""Functions of torch that hide several terms of a derivative, written out in simpler ones.

Only what they compute by default is written out; with other options the answer is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor


def _softmax(input: Tensor, dim: int | None, *rest: Any, **more: Any) -> Tensor | None:
    if dim is None or more.get("dtype") is not None:
        return None
    shifted = (input - input.detach().amax(dim, keepdim=True)).exp()
    return shifted / shifted.sum(dim, keepdim=True)


def _log_softmax(input: Tensor, dim: int | None, *rest: Any, **more: Any) -> Tensor | None:
    if dim is None or more.get("dtype") is not None:
        return None
    return input - input.logsumexp(dim, keepdim=True)


def _layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *rest: Any,
) -> Tensor:
    dims = tuple(range(-len(normalized_shape), 0))
    centred = input - input.mean(dims, keepdim=True)
    variance = input.var(dims, unbiased=False, keepdim=True)
    return _scaled(centred * (variance + eps).rsqrt(), weight, bias)


def _rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    dims = tuple(range(-len(normalized_shape), 0))
    small = torch.finfo(input.dtype).eps if eps is None else eps
    return _scaled(input * ((input * input).mean(dims, keepdim=True) + small).rsqrt(), weight, None)


def _normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12) -> Tensor:
    size: Tensor = torch.linalg.vector_norm(input, p, dim, keepdim=True)
    return input / size.clamp_min(eps)


def _gelu(input: Tensor, approximate: str = "none") -> Tensor | None:
    if approximate != "none":
        return None
    return input * (0.5 * (1 + torch.erf(input * 0.5**0.5)))


def _silu(input: Tensor, inplace: bool = False) -> Tensor | None:
    return None if inplace else input * input.sigmoid()


def _mish(input: Tensor, inplace: bool = False) -> Tensor | None:
    return None if inplace else input * input.exp().log1p().tanh()


def _cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    one, other = (torch.linalg.vector_norm(each, 2, dim) for each in (x1, x2))
    return (x1 * x2).sum(dim) / (one.clamp_min(eps) * other.clamp_min(eps))


def _scaled(value: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    value = value if weight is None else value * weight
    return value if bias is None else value + bias


COMPOSITE: Mapping[str, Callable[..., Tensor | None]] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "normalize": _normalize,
    "gelu": _gelu,
    "silu": _silu,
    "mish": _mish,
    "cosine_similarity": _cosine_similarity,
}
"""By the names under which torch calls them; they take the same arguments."""
