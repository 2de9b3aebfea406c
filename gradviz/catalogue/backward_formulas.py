"""Lookup of the formulas with which torch's built-in nodes compute their gradients."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from gradviz.catalogue.language import translated

_SUMMED = "If an input was broadcast, its gradient is then summed to the shape of that input."
_TIES = "If several elements are equal, they share the gradient."
_REDUCTION = 'n is the number of elements; with reduction="sum", it is 1.'
_NORMALISED = "x is the normalized input, result2 is one over its standard deviation."

_WINDOW = (
    "spread copies each gradient to all elements of its window; window is the number of "
    "elements in it."
)

_ELEMENTWISE: dict[str, tuple[str, ...]] = {
    "Abs": ("grad_self = grad * sign(self)",),
    "Acosh": ("grad_self = grad / sqrt(self² - 1)",),
    "Acos": ("grad_self = -grad / sqrt(1 - self²)",),
    "Asin": ("grad_self = grad / sqrt(1 - self²)",),
    "Asinh": ("grad_self = grad / sqrt(self² + 1)",),
    "Atanh": ("grad_self = grad / (1 - self²)",),
    "Atan": ("grad_self = grad / (1 + self²)",),
    "Ceil": ("grad_self = 0",),
    "Clamp": ("grad_self = where((min <= self) & (self <= max), grad, 0)",),
    "ClampMax": ("grad_self = where(self <= max, grad, 0)",),
    "ClampMin": ("grad_self = where(self >= min, grad, 0)",),
    "Cos": ("grad_self = -grad * sin(self)",),
    "Cosh": ("grad_self = grad * sinh(self)",),
    "Elu": ("grad_self = where(self > 0, grad, grad * alpha * exp(self))",),
    "Erf": ("grad_self = grad * 2 / sqrt(pi) * exp(-self²)",),
    "Exp": ("grad_self = grad * result",),
    "Exp2": ("grad_self = grad * result * log(2)",),
    "Expm1": ("grad_self = grad * (result + 1)",),
    "Fill": ("grad_self = 0",),
    "Fmod": ("grad_self = grad",),
    "Frac": ("grad_self = grad",),
    "Floor": ("grad_self = 0",),
    "Gelu": ("grad_self = grad * (Φ(self) + self * φ(self))",),
    "Hardsigmoid": ("grad_self = where((-3 < self) & (self < 3), grad / 6, 0)",),
    "Hardswish": (
        "grad_self = where(self < -3, 0, where(self > 3, grad, grad * (self / 3 + 1 / 2)))",
    ),
    "Hardtanh": ("grad_self = where((min_val < self) & (self < max_val), grad, 0)",),
    "LeakyRelu": ("grad_self = where(self > 0, grad, grad * negative_slope)",),
    "Log": ("grad_self = grad / self",),
    "Log10": ("grad_self = grad / (self * log(10))",),
    "Log1P": ("grad_self = grad / (1 + self)",),
    "Log2": ("grad_self = grad / (self * log(2))",),
    "LogSigmoid": ("grad_self = grad * sigmoid(-self)",),
    "Mish": ("grad_self = grad * (t + self * sigmoid(self) * (1 - t²))",),
    "Neg": ("grad_self = -grad",),
    "Reciprocal": ("grad_self = -grad * result²",),
    "Relu": ("grad_self = where(result > 0, grad, 0)",),
    "Remainder": ("grad_self = grad",),
    "Round": ("grad_self = 0",),
    "Rsqrt": ("grad_self = -grad * result³ / 2",),
    "Sigmoid": ("grad_self = grad * result * (1 - result)",),
    "Sign": ("grad_self = 0",),
    "Silu": ("grad_self = grad * sigmoid(self) * (1 + self * (1 - sigmoid(self)))",),
    "Sin": ("grad_self = grad * cos(self)",),
    "Sinh": ("grad_self = grad * cosh(self)",),
    "Softplus": ("grad_self = where(self * beta > threshold, grad, grad * sigmoid(self * beta))",),
    "Sqrt": ("grad_self = grad / (2 * result)",),
    "Tan": ("grad_self = grad * (1 + result²)",),
    "Tanh": ("grad_self = grad * (1 - result²)",),
    "Trunc": ("grad_self = 0",),
    "Threshold": ("grad_self = where(self > threshold, grad, 0)",),
}

_SEVERAL_INPUTS: dict[str, tuple[str, ...]] = {
    "Add": ("grad_self = grad", "grad_other = grad * alpha"),
    "Addcdiv": (
        "grad_self = grad",
        "grad_tensor1 = grad * value / tensor2",
        "grad_tensor2 = -grad * value * tensor1 / tensor2²",
    ),
    "Addcmul": (
        "grad_self = grad",
        "grad_tensor1 = grad * value * tensor2",
        "grad_tensor2 = grad * value * tensor1",
    ),
    "Atan2": (
        "grad_self = grad * other / (self² + other²)",
        "grad_other = -grad * self / (self² + other²)",
    ),
    "Div": ("grad_self = grad / other", "grad_other = -grad * self / other²"),
    "Hypot": ("grad_self = grad * self / result", "grad_other = grad * other / result"),
    "Lerp": ("grad_self = grad * (1 - weight)", "grad_end = grad * weight"),
    "MaskedFill": (
        "grad_self = where(mask, 0, grad)",
        "grad_value = sum(where(mask, grad, 0))",
    ),
    "Maximum": (
        "grad_self = where(self > other, grad, where(self == other, grad / 2, 0))",
        "grad_other = where(other > self, grad, where(self == other, grad / 2, 0))",
    ),
    "Minimum": (
        "grad_self = where(self < other, grad, where(self == other, grad / 2, 0))",
        "grad_other = where(other < self, grad, where(self == other, grad / 2, 0))",
    ),
    "Mul": ("grad_self = grad * other", "grad_other = grad * self"),
    "Pow": ("grad_self = grad * exponent * self ** (exponent - 1)",),
    "Pow1": (
        "grad_self = grad * exponent * self ** (exponent - 1)",
        "grad_exponent = grad * result * log(self)",
    ),
    "Pow2": ("grad_exponent = grad * result * log(self)",),
    "Rsub": ("grad_self = -grad * alpha", "grad_other = grad"),
    "Sub": ("grad_self = grad", "grad_other = -grad * alpha"),
    "Xlogy": ("grad_self = grad * log(other)", "grad_other = grad * self / other"),
    "Where": ("grad_self = where(condition, grad, 0)", "grad_other = where(condition, 0, grad)"),
}

_MATRICES: dict[str, tuple[str, ...]] = {
    "Addmm": (
        "grad_self = grad * beta",
        "grad_mat1 = alpha * grad @ mat2ᵀ",
        "grad_mat2 = alpha * mat1ᵀ @ grad",
    ),
    "Addmv": (
        "grad_self = grad * beta",
        "grad_mat = alpha * outer(grad, vec)",
        "grad_vec = alpha * matᵀ @ grad",
    ),
    "Baddbmm": (
        "grad_self = grad * beta",
        "grad_batch1 = alpha * grad @ batch2ᵀ",
        "grad_batch2 = alpha * batch1ᵀ @ grad",
    ),
    "Bmm": ("grad_self = grad @ mat2ᵀ", "grad_mat2 = selfᵀ @ grad"),
    "Dot": ("grad_self = grad * tensor", "grad_tensor = grad * self"),
    "LinalgDet": ("grad_A = grad * result * inv(A)ᵀ",),
    "LinalgInvEx": ("grad_A = -inverseᵀ @ grad @ inverseᵀ",),
    "Mm": ("grad_self = grad @ mat2ᵀ", "grad_mat2 = selfᵀ @ grad"),
    "Mv": ("grad_self = outer(grad, vec)", "grad_vec = selfᵀ @ grad"),
}

_SHAPES: dict[str, tuple[str, ...]] = {
    "Alias": ("grad_self = grad",),
    "Cat": ("grad_tensors = split(grad, sizes, dim)",),
    "Clone": ("grad_self = grad",),
    "ConstantPadNd": ("grad_self = crop(grad, pad)",),
    "Diagonal": ("grad_self = zeros.diagonal_scatter(grad, offset, dim1, dim2)",),
    "Expand": ("grad_self = sum_to(grad, self.shape)",),
    "Flip": ("grad_self = flip(grad, dims)",),
    "Gather": ("grad_self = zeros.scatter_add(dim, index, grad)",),
    "Index": ("grad_self = zeros.index_put(indices, grad, accumulate=True)",),
    "IndexAdd": ("grad_self = grad", "grad_source = alpha * index_select(grad, dim, index)"),
    "IndexPut": ("grad_self = grad.index_put(indices, zero)", "grad_values = grad[indices]"),
    "IndexSelect": ("grad_self = zeros.index_add(dim, index, grad)",),
    "MaskedSelect": ("grad_self = zeros.masked_scatter(mask, grad)",),
    "Permute": ("grad_self = permute(grad, inverse(dims))",),
    "Repeat": ("grad_self = sum_repeats(grad, repeats)",),
    "Reshape": ("grad_self = reshape(grad, self.shape)",),
    "ReshapeAlias": ("grad_self = reshape(grad, self.shape)",),
    "Roll": ("grad_self = roll(grad, -shifts, dims)",),
    "Scatter": ("grad_self = grad.scatter(dim, index, 0)", "grad_src = gather(grad, dim, index)"),
    "ScatterAdd": ("grad_self = grad", "grad_src = gather(grad, dim, index)"),
    "Select": ("grad_self = zeros.select_scatter(grad, dim, index)",),
    "Slice": ("grad_self = zeros.slice_scatter(grad, dim, start, end, step)",),
    "Split": ("grad_self = cat(grads, dim)",),
    "Squeeze": ("grad_self = reshape(grad, self.shape)",),
    "Stack": ("grad_tensors = unbind(grad, dim)",),
    "T": ("grad_self = gradᵀ",),
    "ToCopy": ("grad_self = cast(grad, self.dtype)",),
    "Transpose": ("grad_self = transpose(grad, dim0, dim1)",),
    "Tril": ("grad_self = tril(grad, diagonal)",),
    "Triu": ("grad_self = triu(grad, diagonal)",),
    "Unbind": ("grad_self = stack(grads, dim)",),
    "UnsafeView": ("grad_self = reshape(grad, self.shape)",),
    "Unsqueeze": ("grad_self = squeeze(grad, dim)",),
    "View": ("grad_self = reshape(grad, self.shape)",),
}

_REDUCTIONS: dict[str, tuple[str, ...]] = {
    "Amax": ("grad_self = share(grad, self == result)",),
    "Amin": ("grad_self = share(grad, self == result)",),
    "Cumsum": ("grad_self = flip(cumsum(flip(grad, [dim]), dim), [dim])",),
    "LinalgVectorNorm": ("grad_self = grad * self / result",),
    "LogSoftmax": ("grad_self = grad - exp(result) * sum(grad, dim)",),
    "Logaddexp": (
        "grad_self = grad * sigmoid(self - other)",
        "grad_other = grad * sigmoid(other - self)",
    ),
    "Logsumexp": ("grad_self = grad * exp(self - result)",),
    "Max": ("grad_self = zeros.scatter(dim, indices, grad)",),
    "Max1": ("grad_self = share(grad, self == result)",),
    "Mean": ("grad_self = expand(grad, self.shape) / n",),
    "Min": ("grad_self = zeros.scatter(dim, indices, grad)",),
    "Min1": ("grad_self = share(grad, self == result)",),
    "Norm": ("grad_self = grad * self / result",),
    "Prod": ("grad_self = grad * result / self",),
    "Softmax": ("grad_self = result * (grad - sum(grad * result, dim))",),
    "Sort": ("grad_self = zeros.scatter(dim, indices, grad)",),
    "Std": ("grad_self = grad * (self - mean(self)) / (result * (n - correction))",),
    "Sum": ("grad_self = expand(grad, self.shape)",),
    "Topk": ("grad_self = zeros.scatter(dim, indices, grad)",),
    "Var": ("grad_self = grad * 2 * (self - mean(self)) / (n - correction)",),
}

_NETWORKS: dict[str, tuple[str, ...]] = {
    "AccumulateGrad": ("variable.grad = variable.grad + grad",),
    "AdaptiveAvgPool2D": ("grad_self = spread(grad) / window",),
    "AvgPool2D": ("grad_self = spread(grad) / window",),
    "BinaryCrossEntropy": ("grad_self = grad * (self - target) / (self * (1 - self)) / n",),
    "BinaryCrossEntropyWithLogits": ("grad_self = grad * (sigmoid(self) - target) / n",),
    "Convolution": (
        "grad_input = conv_transpose(grad, weight)",
        "grad_weight = correlate(input, grad)",
        "grad_bias = sum_to(grad, bias.shape)",
    ),
    "CopyBackwards": ("grad_src = grad",),
    "Embedding": ("grad_weight = zeros.index_add(0, indices, grad)",),
    "HuberLoss": ("grad_self = grad * clamp(self - target, -delta, delta) / n",),
    "MaxPool2DWithIndices": ("grad_self = unpool(grad, result1)",),
    "MseLoss": ("grad_self = grad * 2 * (self - target) / n",),
    "NativeBatchNorm": (
        "grad_input = result2 * weight * (grad - mean(grad) - x * mean(grad * x))",
        "grad_weight = sum(grad * x)",
        "grad_bias = sum(grad)",
    ),
    "NativeDropout": ("grad_input = grad * result1 / (1 - p)",),
    "NativeLayerNorm": (
        "grad_input = result2 * (g - mean(g) - x * mean(g * x))",
        "grad_weight = sum(grad * x)",
        "grad_bias = sum(grad)",
    ),
    "SmoothL1Loss": ("grad_self = grad * clamp((self - target) / beta, -1, 1) / n",),
    "NllLoss": ("grad_self = zeros.scatter(1, target, -grad / n)",),
}

EQUATIONS = _ELEMENTWISE | _SEVERAL_INPUTS | _MATRICES | _SHAPES | _REDUCTIONS | _NETWORKS
"""Keyed by node name without ``Backward`` and version, or with the version if it differs."""

NOTES: dict[str, str] = {
    **dict.fromkeys(_SEVERAL_INPUTS, _SUMMED),
    **dict.fromkeys(("Addmm", "Addmv", "Baddbmm"), _SUMMED),
    "Amax": _TIES,
    "Amin": _TIES,
    "Max1": _TIES,
    "Min1": _TIES,
    "AccumulateGrad": "The first gradient becomes variable.grad unchanged.",
    **dict.fromkeys(("AdaptiveAvgPool2D", "AvgPool2D"), _WINDOW),
    "BinaryCrossEntropy": _REDUCTION,
    "BinaryCrossEntropyWithLogits": _REDUCTION,
    "Clamp": "A bound of None always holds.",
    "Convolution": (
        "correlate shifts the input to each position of the kernel, multiplies it by "
        "grad and sums the products."
    ),
    "Elu": "For the default scale and input_scale of 1.",
    "Expand": "sum_to sums over the expanded dimensions.",
    "Gelu": (
        "Φ is the standard normal distribution function and φ its density; with "
        'approximate="tanh", both are approximated.'
    ),
    "HuberLoss": _REDUCTION,
    "SmoothL1Loss": _REDUCTION,
    "ConstantPadNd": "crop removes the padding.",
    "IndexPut": "With accumulate=True, grad_self is grad unchanged.",
    "Mish": "t is tanh(softplus(self)).",
    "Index": "zeros has the shape of self; the gradients of elements that were selected more than "
    "once add up.",
    "LinalgVectorNorm": "For the default ord=2.",
    **dict.fromkeys(("Max", "Min"), "The gradient goes to the element whose index was returned."),
    **dict.fromkeys(
        ("Sort", "Topk"), "Each gradient goes to the position that its element came from."
    ),
    "MaxPool2DWithIndices": ("unpool passes each gradient to the largest element of its window."),
    "Mean": "n is the number of averaged elements.",
    "MseLoss": _REDUCTION,
    "NativeBatchNorm": (
        f"{_NORMALISED} Means and sums are taken over all elements of a channel. In eval "
        "mode, which uses the running statistics, both means are omitted."
    ),
    "NativeLayerNorm": (
        f"{_NORMALISED} g is grad * weight. Means are taken over the elements of one "
        "sample, sums over all samples."
    ),
    "NllLoss": (
        "Without class weights or ignored targets; n is the number of samples, and with "
        'reduction="sum", it is 1.'
    ),
    "Norm": "For the default p=2.",
    "Prod": "If no element is 0.",
    "Repeat": "sum_repeats sums over the repetitions.",
    "Std": "n is the number of reduced elements.",
    "Sum": "Along the summed dimensions.",
    "Var": "n is the number of reduced elements.",
    "Softplus": "With the given beta and threshold.",
}
"""Notes on names and special cases, with the same keys."""


_NODE = re.compile(r"(?:.*::)?(?P<base>\w+?)(?P<version>\d*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackwardFormula:
    """The computation of a node's backward, in torch's own names.

    Attributes:
        equations: Such as ``grad_self = grad @ mat2ᵀ``: ``grad`` is the incoming gradient, the
            other names are the node's inputs and saved values.
        note: A sentence on names or special cases; may be empty.
    """

    equations: tuple[str, ...]
    note: str = ""


def formula_of(node: str) -> BackwardFormula | None:
    """The backward formula of a node; None if the table has none.

    Args:
        node: Torch's name of the node, such as ``MulBackward0``.
    """
    name = next((name for name in _names(node) if name in EQUATIONS), None)
    if name is None:
        return None
    return BackwardFormula(
        equations=EQUATIONS[name], note=translated(f"formula.{name}", NOTES.get(name, ""))
    )


def _names(node: str) -> Iterator[str]:
    """A node's name with its version, which may have a formula of its own, and without it."""
    found = _NODE.match(node)
    if found is not None:
        yield found["base"].removesuffix("Backward") + found["version"]
        yield found["base"].removesuffix("Backward")
