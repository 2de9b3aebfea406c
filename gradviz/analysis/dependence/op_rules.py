"""Rules that say which input elements of an op determine one element of its output."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from gradviz.analysis.dependence.element_dependence import (
    DependenceQuery,
    DependenceRule,
    ElementArray,
    ElementDependence,
    InputElements,
    broadcast_index,
    element_index,
    element_wise_rule,
    elements_along,
    move_rule,
    row_major_numbers,
)
from gradviz.analysis.dependence.view_rules import VIEW_RULES

_PYTHON: Final = {
    "__add__": "add", "__iadd__": "add", "__mul__": "mul", "__imul__": "mul", "__sub__": "sub",
    "__isub__": "sub", "__truediv__": "div", "__itruediv__": "div", "__matmul__": "matmul",
    "true_divide": "div", "divide": "div", "multiply": "mul", "subtract": "sub", "negative": "neg",
    "absolute": "abs",
}  # fmt: skip
"""Aten names of Python functions, whose calls are recorded without their ops."""


def element_dependence(
    name: str, requested: DependenceQuery, *, aten: bool = True
) -> ElementDependence | None:
    """The input elements that determine one output element; None if the op has no rule.

    Args:
        name: Name of the op or function, such as ``aten::add_`` or ``add``.
        requested: The output element.
        aten: Whether it is an aten op, whose arguments are named as in its schema. For a Python
            function, only the rules based on shapes are used.
    """
    op_name = aten_name(name)
    rule = RULES_BY_SHAPE.get(op_name) or (RULES_BY_ARGUMENTS.get(op_name) if aten else None)
    if rule is None:
        return None
    try:
        return rule(requested)
    except (ValueError, IndexError, KeyError, TypeError, OverflowError):
        # The recorded inputs are not what the op is expected to take.
        return None


def aten_name(name: str) -> str:
    """The aten name of an op or Python function; ``add`` for ``aten::add_`` and ``__iadd__``."""
    op_name = name.removeprefix("aten::")
    # `add_` works like `add`, but the underscores of `__add__` belong to its name.
    if not op_name.endswith("__"):
        op_name = op_name.removesuffix("_")
    return _PYTHON.get(op_name, op_name)


def _where(requested: DependenceQuery) -> ElementDependence | None:
    condition = requested.values(0)
    element = broadcast_index(requested.shapes[0], requested)
    if condition is None or element is None:
        return None
    chosen = 1 if condition[element] else 2
    return _chosen(requested, chosen, InputElements(at=0, elements=(element,), role="selector"))


def _masked_fill(requested: DependenceQuery) -> ElementDependence | None:
    mask = requested.values(1)
    element = broadcast_index(requested.shapes[1], requested)
    if mask is None or element is None:
        return None
    chosen = 2 if mask[element] else 0
    return _chosen(requested, chosen, InputElements(at=1, elements=(element,), role="selector"))


def _chosen(
    requested: DependenceQuery, at: int, selector: InputElements
) -> ElementDependence | None:
    if at not in requested.shapes:
        return ElementDependence(sums=((selector,),))
    element = broadcast_index(requested.shapes[at], requested)
    return (
        None
        if element is None
        else ElementDependence(sums=((InputElements(at=at, elements=(element,)), selector),))
    )


def _mm(first: int = 0, second: int = 1) -> DependenceRule:
    """Rule for matrix products, batched or not; an input before ``first`` is added."""

    def rule(requested: DependenceQuery) -> ElementDependence | None:
        one, other = requested.shapes[first], requested.shapes[second]
        if len(one) != len(other) or len(one) < 2 or one[:-2] != other[:-2]:
            return None
        if requested.shape != (*one[:-1], other[-1]):
            return None
        *batch, row, column = requested.element
        left = tuple([(*batch, row, each) for each in range(one[-1])])
        right = tuple([(*batch, each, column) for each in range(one[-1])])
        product = (InputElements(at=first, elements=left), InputElements(at=second, elements=right))
        return _plus(requested, first, product)

    return rule


def _plus(
    requested: DependenceQuery, first: int, product: tuple[InputElements, ...]
) -> ElementDependence | None:
    if not first:
        return ElementDependence(sums=(product,))
    element = broadcast_index(requested.shapes[0], requested)
    return (
        None
        if element is None
        else ElementDependence(sums=((InputElements(at=0, elements=(element,)),), product))
    )


def _mv(first: int = 0, second: int = 1) -> DependenceRule:
    def rule(requested: DependenceQuery) -> ElementDependence | None:
        rows, columns = requested.shapes[first]
        if requested.shape != (rows,) or requested.shapes[second] != (columns,):
            return None
        left = tuple([(requested.element[0], each) for each in range(columns)])
        right = tuple([(each,) for each in range(columns)])
        product = (InputElements(at=first, elements=left), InputElements(at=second, elements=right))
        return _plus(requested, first, product)

    return rule


def _dot(requested: DependenceQuery) -> ElementDependence:
    elements = tuple([(each,) for each in range(requested.shapes[0][0])])
    return ElementDependence(
        sums=((InputElements(at=0, elements=elements), InputElements(at=1, elements=elements)),)
    )


def _matmul(requested: DependenceQuery) -> ElementDependence | None:
    ranks = (len(requested.shapes[0]), len(requested.shapes[1]))
    rules = {(2, 2): _mm(), (2, 1): _mv(), (1, 1): _dot}
    rule = rules.get(ranks)
    return None if rule is None else rule(requested)


def _reduced(*, chooses: bool = False) -> DependenceRule:
    """Rule for sums and other reductions over whole dimensions.

    Args:
        chooses: Whether a single element can determine the result, as in a maximum.
    """

    def rule(requested: DependenceQuery) -> ElementDependence | None:
        shape = requested.shapes[0]
        names = {each.name for each in requested.inputs}
        dims = requested.dimensions("dim", len(shape))
        kept = bool(requested.argument("keepdim", False)) if "keepdim" in names else False
        left = [1 if dim in dims else size for dim, size in enumerate(shape)]
        if not kept:
            left = [size for dim, size in enumerate(shape) if dim not in dims]
        if tuple(left) != requested.shape:
            return None
        element = list(requested.element)
        if not kept:
            for dim in sorted(dims):
                element.insert(dim, 0)
        elements = elements_along(requested, dims, tuple(element))
        return ElementDependence(sums=((InputElements(at=0, elements=elements),),), chooses=chooses)

    return rule


def _summed_to(requested: DependenceQuery) -> ElementDependence | None:
    """Rule for a sum over broadcast dimensions, which follow from the shapes."""
    shape = requested.shapes[0]
    extra = len(shape) - len(requested.shape)
    if extra < 0:
        return None
    later = zip(shape[extra:], requested.shape, strict=True)
    dims = [*range(extra)]
    for dim, (size, kept) in enumerate(later, extra):
        if kept != size:
            if kept != 1:
                return None
            dims.append(dim)
    elements = elements_along(requested, dims, (*[0] * extra, *requested.element))
    return ElementDependence(sums=((InputElements(at=0, elements=elements),),))


def _row(requested: DependenceQuery) -> ElementDependence:
    """Rule for a softmax, which uses the whole row."""
    dim = requested.dimension("dim", len(requested.shape))
    return ElementDependence(
        sums=(
            (InputElements(at=0, elements=elements_along(requested, (dim,), requested.element)),),
        )
    )


def _row_backward(*, logarithmic: bool) -> DependenceRule:
    """Rule for softmax backward: all gradients of a row, and one or all of its outputs."""

    def rule(requested: DependenceQuery) -> ElementDependence:
        dim = requested.dimension("dim", len(requested.shape))
        row = elements_along(requested, (dim,), requested.element)
        # log_softmax: grad - exp(output) * sum(grad), so only its own output counts.
        outputs = (requested.element,) if logarithmic else row
        output = InputElements(at=1, elements=outputs, role="divisor")
        return ElementDependence(sums=((InputElements(at=0, elements=row),), (output,)))

    return rule


def _cumulated(requested: DependenceQuery) -> ElementDependence:
    dim = requested.dimension("dim", len(requested.shape))
    until = requested.element[dim] + 1
    return ElementDependence(
        sums=(
            (
                InputElements(
                    at=0, elements=elements_along(requested, (dim,), requested.element)[:until]
                ),
            ),
        )
    )


def _embedding(requested: DependenceQuery) -> ElementDependence | None:
    rows = requested.values(1)
    if rows is None:
        return None
    *place, column = requested.element
    at = (int(rows[tuple(place)]), column)
    chosen = InputElements(at=1, elements=(tuple(place),), role="selector")
    return ElementDependence(sums=((InputElements(at=0, elements=(at,)), chosen),))


def _gathered(requested: DependenceQuery) -> ElementDependence | None:
    rows = requested.values(2)
    if rows is None:
        return None
    element = list(requested.element)
    element[requested.dimension("dim", len(element))] = int(rows[requested.element])
    chosen = InputElements(at=2, elements=(requested.element,), role="selector")
    return ElementDependence(sums=((InputElements(at=0, elements=(tuple(element),)), chosen),))


def _index_selected(requested: DependenceQuery) -> ElementDependence | None:
    rows = requested.values(2)
    if rows is None:
        return None
    dim = requested.dimension("dim", len(requested.shape))
    element = list(requested.element)
    chosen = InputElements(at=2, elements=((element[dim],),), role="selector")
    element[dim] = int(rows.reshape(-1)[element[dim]])
    return ElementDependence(sums=((InputElements(at=0, elements=(tuple(element),)), chosen),))


def _indexed(requested: DependenceQuery) -> ElementDependence | None:
    numbers = indexed_numbers(requested)
    if numbers is None or numbers.shape != requested.shape:
        return None
    element = element_index(int(numbers[requested.element]), requested.shapes[0])
    return ElementDependence(sums=((InputElements(at=0, elements=(element,)),),))


def indexed_numbers(requested: DependenceQuery) -> ElementArray | None:
    """Row-major numbers of the elements of input 0 that ``indices`` select; None if unknown."""
    indices: list[Any] = []
    for at, item in enumerate(requested.inputs):
        if item.name.startswith("indices["):
            indices.append(requested.values(at) if item.tensor is not None else slice(None))
    if not indices or any(each is None for each in indices):
        return None
    return np.asarray(row_major_numbers(requested.shapes[0])[tuple(indices)])


def _nothing(requested: DependenceQuery) -> ElementDependence:
    return ElementDependence()


_ONE: Final = (
    "neg abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh"
    " tanh asinh acosh atanh sigmoid relu relu6 hardtanh leaky_relu elu gelu silu softplus mish"
    " square erf erfc erfinv floor ceil round trunc frac sign sgn clone detach alias to _to_copy"
    " contiguous positive conj _conj _conj_physical conj_physical resolve_conj resolve_neg clamp"
    " clamp_min clamp_max nan_to_num logit lgamma digamma threshold hardswish hardsigmoid selu celu"
    " log_sigmoid log_sigmoid_forward softsign tanhshrink real imag angle lift_fresh"
    " native_dropout dropout float double half bfloat16 cpu cuda pin_memory requires_grad_"
)
_NEW: Final = (
    "zero fill zeros_like ones_like full_like empty_like rand_like randn_like new_zeros new_ones"
    " new_full new_empty new_empty_strided normal uniform random bernoulli"
)
_ARRAYS: Final = ("Tensor.numpy", "torch.as_tensor", "torch.tensor", "torch.from_numpy")
_TWO: Final = {
    "0+1": "add sub rsub logaddexp hypot eq ne lt le gt ge",
    "0*1": "mul pow xlogy sigmoid_backward tanh_backward gelu_backward silu_backward"
    " elu_backward leaky_relu_backward hardtanh_backward softplus_backward logit_backward"
    " hardswish_backward hardsigmoid_backward mish_backward log_sigmoid_backward",
    "0/1": "div fmod remainder floor_divide atan2",
    "0|1": "maximum minimum fmax fmin",
    "0?1": "threshold_backward copysign",
    "0+1*2": "addcmul",
    "0+1/2": "addcdiv",
    "1-0": "copy",
}

RULES_BY_SHAPE: Final[dict[str, DependenceRule]] = {
    **dict.fromkeys(_ONE.split(), element_wise_rule("0")),
    **{name: element_wise_rule(form) for form, names in _TWO.items() for name in names.split()},
    "reciprocal": element_wise_rule("/0"),
    **dict.fromkeys(_ARRAYS, element_wise_rule("0")),
    "where": _where,
    "masked_fill": _masked_fill,
    "mm": _mm(),
    "bmm": _mm(),
    "mv": _mv(),
    "dot": _dot,
    "matmul": _matmul,
    "t": move_rule(lambda numbers, requested: numbers.T),
    "sum_to_size": _summed_to,
}
"""Rules that need only the shapes and values of the tensor inputs, by position."""

RULES_BY_ARGUMENTS: Final[dict[str, DependenceRule]] = {
    "addmm": _mm(1, 2),
    "baddbmm": _mm(1, 2),
    "addmv": _mv(1, 2),
    **dict.fromkeys(
        ("sum", "mean", "norm", "linalg_vector_norm", "logsumexp", "var", "std"), _reduced()
    ),
    **dict.fromkeys(("amax", "amin", "max", "min", "prod", "any", "all"), _reduced(chooses=True)),
    **dict.fromkeys(("_softmax", "_log_softmax"), _row),
    "_softmax_backward_data": _row_backward(logarithmic=False),
    "_log_softmax_backward_data": _row_backward(logarithmic=True),
    **dict.fromkeys(("cumsum", "cumprod", "logcumsumexp"), _cumulated),
    "embedding": _embedding,
    "gather": _gathered,
    "index": _indexed,
    "index_select": _index_selected,
    **dict.fromkeys(_NEW.split(), _nothing),
    **VIEW_RULES,
}
"""Rules that need arguments by their schema names."""
