"""Composite torch functions, written out in simpler operations that show each term.

Only the default behavior is written out; with other options the result is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as fn


def _softmax(input: Tensor, dim: int | None, *rest: Any, **more: Any) -> Tensor | None:
    if dim is None or more.get("dtype") is not None:
        return None
    # Softmax does not depend on what is subtracted, so the maximum needs no history.
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
    return _scaled(_standardized(input, dims, eps), weight, bias)


def _rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    dims = tuple(range(-len(normalized_shape), 0))
    small = torch.finfo(input.dtype).eps if eps is None else eps
    return _scaled(input * ((input * input).mean(dims, keepdim=True) + small).rsqrt(), weight, None)


def _batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor | None:
    # Torch uses running statistics in place of the batch's own, or updates them as a side effect.
    if not training or running_mean is not None or running_var is not None:
        return None
    dims = (0, *range(2, input.dim()))
    return _of_channels(_standardized(input, dims, eps), weight, bias)


def _instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor | None:
    if running_mean is not None or running_var is not None:
        return None
    return _of_channels(_standardized(input, tuple(range(2, input.dim())), eps), weight, bias)


def _group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    groups = input.reshape(input.shape[0], num_groups, -1)
    return _of_channels(_standardized(groups, (2,), eps).reshape(input.shape), weight, bias)


def _cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor | None:
    is_plain = weight is None and label_smoothing == 0 and not target.is_floating_point()
    if not is_plain or input.dim() != 2 or bool((target == ignore_index).any()):
        return None
    each = input.logsumexp(1) - input.gather(1, target.unsqueeze(1)).squeeze(1)
    if reduction == "none":
        return each
    return each.mean() if reduction == "mean" else each.sum()


def _normalize(
    input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor | None:
    if out is not None:
        return None
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
    sizes: Tensor = one.clamp_min(eps) * other.clamp_min(eps)
    return (x1 * x2).sum(dim) / sizes


def _var(
    input: Tensor,
    dim: int | tuple[int, ...] | None = None,
    unbiased: bool = True,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Tensor | None:
    if isinstance(dim, bool):  # It is `unbiased`.
        return None
    dims = tuple(range(input.dim())) if dim is None else dim
    centered = input - input.mean(dims, keepdim=True)
    total = centered.pow(2).sum(dims, keepdim=keepdim)
    count = input.numel() // max(1, total.numel())
    return total / (count - (float(unbiased) if correction is None else correction))


def _std(input: Tensor, *rest: Any, **more: Any) -> Tensor | None:
    variance = _var(input, *rest, **more)
    return None if variance is None else variance.sqrt()


def _solve(matrix: Tensor, right: Tensor, *, left: bool = True) -> Tensor | None:
    if not left or matrix.dim() != 2:
        return None
    # Both factors of the matrix's derivative show: the inverse, and the solution.
    inverse = torch.linalg.inv(matrix.detach())
    solution = inverse @ right.detach()
    found: Tensor = solution + inverse @ (right - matrix @ solution)
    return found


def _chosen(input: Tensor, index: Tensor, dim: int, *, keepdim: bool) -> Tensor:
    value = input.gather(dim, index if keepdim else index.unsqueeze(dim))
    return value if keepdim else value.squeeze(dim)


def _extreme(
    find: Callable[..., Any], input: Tensor, dim: Any = None, keepdim: bool = False, *rest: Any
) -> Any:
    """The result of ``max``, ``min`` or ``median``; with ``dim``, also the indices."""
    if not input.dim() or rest or not (dim is None or isinstance(dim, int)):
        return None
    if dim is None:
        flat = input.reshape(-1)
        with torch.no_grad():
            index = find(flat, 0).indices
        return _chosen(flat, index, 0, keepdim=False)
    with torch.no_grad():
        found = find(input, dim, keepdim)
    return type(found)((_chosen(input, found.indices, dim, keepdim=keepdim), found.indices))


def _extreme_value(
    find: Callable[..., Any], input: Tensor, dim: Any = (), keepdim: bool = False, *rest: Any
) -> Any:
    """The result of ``amax`` or ``amin``."""
    found = _extreme(find, input, dim, keepdim, *rest) if isinstance(dim, int) else None
    return getattr(found, "values", None)


def _topk(input: Tensor, k: int, dim: int = -1, *rest: Any, **more: Any) -> Any:
    with torch.no_grad():
        found = torch.topk(input, k, dim, *rest, **more)
    return type(found)((_chosen(input, found.indices, dim, keepdim=True), found.indices))


def _sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    with torch.no_grad():
        found = torch.sort(input, dim=dim, descending=descending, stable=stable)
    return type(found)((_chosen(input, found.indices, dim, keepdim=True), found.indices))


def _max_pool(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
    *,
    dims: int,
) -> Tensor | None:
    sizes, steps, pads, gaps = (
        (each,) * dims if isinstance(each, int) else tuple(each)
        for each in (kernel_size, stride or kernel_size, padding, dilation)
    )
    if ceil_mode or any(pads) or any(each != 1 for each in gaps):
        return None
    windows = input
    for k in range(dims):
        windows = windows.unfold(input.dim() - dims + k, sizes[k], steps[k])
    value: Tensor = _extreme(torch.max, windows.flatten(-dims), -1).values
    return value


def _max_pool_with_indices(
    pool: Callable[..., Any], input: Tensor, *rest: Any, dims: int, **more: Any
) -> Any:
    value = _max_pool(input, *rest, **more, dims=dims)
    with torch.no_grad():
        return value if value is None else (value, pool(input, *rest, **more)[1])


def _standardized(input: Tensor, dims: tuple[int, ...], eps: float) -> Tensor:
    # Normalization divides by the biased variance.
    variance = input.var(dims, unbiased=False, keepdim=True)
    return (input - input.mean(dims, keepdim=True)) * (variance + eps).rsqrt()


def _of_channels(value: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    shape = (1, -1, *([1] * (value.dim() - 2)))
    return _scaled(
        value,
        None if weight is None else weight.view(shape),
        None if bias is None else bias.view(shape),
    )


def _scaled(value: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    value = value if weight is None else value * weight
    return value if bias is None else value + bias


COMPOSITE: Mapping[str, Callable[..., Tensor | None]] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "layer_norm": _layer_norm,
    "batch_norm": _batch_norm,
    "instance_norm": _instance_norm,
    "group_norm": _group_norm,
    "cross_entropy": _cross_entropy,
    "rms_norm": _rms_norm,
    "normalize": _normalize,
    "gelu": _gelu,
    "silu": _silu,
    "mish": _mish,
    "cosine_similarity": _cosine_similarity,
}
"""Implementations by torch's function name, with the same arguments."""

PARTS: Mapping[str, Callable[..., Any]] = {
    **COMPOSITE,
    "var": _var,
    "std": _std,
    "solve": _solve,
    "linalg_solve": _solve,
    "max": partial(_extreme, torch.max),
    "min": partial(_extreme, torch.min),
    "amax": partial(_extreme_value, torch.max),
    "amin": partial(_extreme_value, torch.min),
    "median": partial(_extreme, torch.median),
    "topk": _topk,
    "sort": _sort,
    "max_pool1d": partial(_max_pool, dims=1),
    "max_pool2d": partial(_max_pool, dims=2),
    "max_pool1d_with_indices": partial(_max_pool_with_indices, fn.max_pool1d, dims=1),
    "max_pool2d_with_indices": partial(_max_pool_with_indices, fn.max_pool2d, dims=2),
}
"""Also those whose parts people write out in backward only."""
