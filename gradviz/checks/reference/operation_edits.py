"""Changes of single operations that are tried in a custom backward: offered, and run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

import torch
from msgspec import Struct, field
from msgspec.structs import replace
from torch import Tensor

EditKind = Literal[
    "accumulate",
    "first",
    "second",
    "conjugate_first",
    "conjugate_second",
    "unconjugate",
    "omit",
    "keepdim",
    "dimension",
    "reverse",
    "unflip",
    "flip",
    "flip_second",
    "scale",
    "replace",
    "exchange",
    "negate_first",
    "negate_second",
    "exponent",
    "total",
    "shift",
    "multiply",
    "divide",
    "use_first",
    "use_second",
    "square_first",
    "square_second",
    "root_first",
    "root_second",
    "left_product",
    "right_product",
]
"""What is changed: add instead of overwriting; transpose or conjugate an operand; do not conjugate;
leave the result out; keep a reduced dimension, or reduce another one; apply the transpose of the
operation; do not flip; flip the result or an operand; multiply the result by a number; use a
related function, exchanged or negated operands, or another exponent; sum the result; add a number
to it; multiply or divide it by another value; use another value as an operand; square an operand,
or take its root; multiply the result by another matrix on its left or right."""


class OperationEdit(Struct, frozen=True):
    """A change that can be tried.

    Attributes:
        kind: What is changed.
        dims: The dimensions it is about.
        value: The new exponent.
        name: The function to use instead, or the value to multiply with.
        transposes: Whether this value is transposed.
        function: Name of a function of this value to use instead of it; empty for the value itself.
    """

    kind: EditKind
    dims: tuple[int, ...] = ()
    value: float = 1.0
    name: str = ""
    transposes: bool = False
    function: str = ""


FUNCTIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "log": torch.log,
    "exp": torch.exp,
    "sin": torch.sin,
    "cos": torch.cos,
    "sigmoid": torch.sigmoid,
    "tanh": torch.tanh,
}
"""Factors of derivatives that are computed from a value, as ``log(x)`` in that of ``x ** p``."""


class EditedCall(Struct, frozen=True):
    """One call of an operation that runs with a change."""

    option: OperationEdit
    factor: float
    values: Mapping[str, Tensor]
    func: Any
    args: tuple[Any, ...]
    named: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the operation in torch."""
        return str(self.func.overloadpacket.__name__)

    def run(self) -> Any:
        """Run the operation with its change."""
        return _RUN[self.option.kind](self)

    def with_operand(self, place: int, operand: Any) -> Any:
        """Run the unchanged operation with another operand."""
        changed = [*self.args]
        changed[place] = operand
        return self.func(*changed, **self.named)

    def other(self) -> Tensor:
        """The value that the change uses."""
        value = self.values[self.option.name]
        if self.option.function:
            value = FUNCTIONS[self.option.function](value)
        return value.mT if self.option.transposes else value

    def original(self) -> Any:
        """Run the unchanged operation."""
        return self.func(*self.args, **self.named)


_PRODUCTS = {"mm", "bmm", "mv"}
_OVERWRITING = {
    *("index_put", "index_put_", "_index_put_impl_", "scatter", "scatter_", "index_copy_"),
    "copy_",  # As in ``total[k : k + 3] = part``.
}
_INCREASING = {"add_", "sub_", "addcmul_", "index_add_", "scatter_add_", "baddbmm_", "addmm_"}
_KEEPING: Mapping[str, Callable[..., Tensor]] = {
    "sum": torch.sum,
    "mean": torch.mean,
    "amax": torch.amax,
    "amin": torch.amin,
    "logsumexp": torch.logsumexp,
}
"""Reductions with ``dim`` and ``keepdim``."""

_ALONG: Mapping[str, Callable[..., Tensor]] = {
    "cumsum": torch.cumsum,
    "cumprod": torch.cumprod,
    "_softmax": torch.softmax,
    "_log_softmax": torch.log_softmax,
}
"""Functions of one dimension that keep the shape."""

_FLIPPABLE = {"stack", "cat", "cumsum", "flip", "convolution"}
_RELATED: Mapping[str, tuple[str, ...]] = {
    "sin": ("cos",),
    "cos": ("sin",),
    "sinh": ("cosh",),
    "cosh": ("sinh",),
    "exp": ("expm1",),
    "expm1": ("exp",),
    "log": ("log1p",),
    "log1p": ("log",),
    "sqrt": ("rsqrt",),
    "rsqrt": ("sqrt", "reciprocal"),
    "reciprocal": ("rsqrt",),
    "tanh": ("sigmoid",),
    "sigmoid": ("tanh",),
    "gt": ("lt",),
    "ge": ("le",),
    "lt": ("gt",),
    "le": ("ge",),
    "amax": ("amin",),
    "amin": ("amax",),
}
_WITH_POWERS = {"add", "sub", "rsub", "mul", "div"}
_EXPONENTS = (1, 2, 3, -1, -2, 0.5, -0.5, 1.5, -1.5)
_MOST_DIMENSIONS = 4


def offered_edits(
    func: Any, args: tuple[Any, ...], named: Mapping[str, Any], result: Any
) -> Iterator[OperationEdit]:
    """The changes that can be tried in one call of an operation."""
    name = func.overloadpacket.__name__
    if name in _OVERWRITING and not _adds_up(name, args, named):
        yield OperationEdit("accumulate")
    if name in _PRODUCTS:
        places: tuple[EditKind, ...] = ("first", "second")
        yield from (
            OperationEdit(place)
            for place, each in zip(places, args, strict=False)
            # Only a square operand still fits when it is transposed.
            if each.dim() >= 2 and each.shape[-1] == each.shape[-2] > 1
        )
    if not isinstance(result, Tensor):
        return
    if result.is_complex():
        yield from _conjugates(name, args)
    yield from _flips(name, args, result)
    if args and isinstance(args[0], Tensor):
        yield from _of_dimensions(name, args, result)
        if _is_reversible(name, args):
            yield OperationEdit("reverse")
    yield from _of_values(func, name, args, result)


def _conjugates(name: str, args: tuple[Any, ...]) -> Iterator[OperationEdit]:
    if name in ("_conj", "_conj_physical", "conj_physical"):
        yield OperationEdit("unconjugate")
        return
    if name in ("mul", "div", *_PRODUCTS):
        places: tuple[EditKind, ...] = ("conjugate_first", "conjugate_second")
        for place, each in zip(places, args, strict=False):
            if isinstance(each, Tensor) and each.is_complex():
                yield OperationEdit(place)


def _flips(name: str, args: tuple[Any, ...], result: Tensor) -> Iterator[OperationEdit]:
    if name not in _FLIPPABLE or result.dim() > _MOST_DIMENSIONS:
        return
    if name == "flip":
        yield OperationEdit("unflip")
    shown = range(2, result.dim()) if name == "convolution" else range(result.dim())
    long = [k for k in shown if result.shape[k] > 1]
    yield from (OperationEdit("flip", dims) for dims in subsets(long))
    if name == "convolution":
        yield from (OperationEdit("flip_second", dims) for dims in subsets(range(2, args[1].dim())))


def _of_dimensions(name: str, args: tuple[Any, ...], result: Tensor) -> Iterator[OperationEdit]:
    dim = args[0].dim()
    if dim > _MOST_DIMENSIONS:
        return
    if name in _KEEPING:
        own, kept = reduced_dims(args), len(args) > 2 and bool(args[2])
        every = list(subsets(range(dim)))
        if not kept:
            whole = len(own) == dim
            yield from (
                OperationEdit("keepdim", dims)
                for dims in every
                if dims == own or (whole and dim > 1)
            )
        yield from (OperationEdit("dimension", dims) for dims in every if dims != own)
    elif name in _ALONG:
        yield from (OperationEdit("dimension", (k,)) for k in range(dim) if k != args[1] % dim)
    if name == "mul":
        long = [k for k in range(result.dim()) if result.shape[k] > 1]
        yield from (OperationEdit("total", dims) for dims in subsets(long))


def _of_values(
    func: Any, name: str, args: tuple[Any, ...], result: Tensor
) -> Iterator[OperationEdit]:
    yield from (OperationEdit("replace", name=other) for other in _RELATED.get(name, ()))
    if not (result.is_floating_point() or result.is_complex()) or func.is_view:
        return
    yield OperationEdit("omit")
    # No sentence can say that the change is what `total += part` adds.
    if name not in _INCREASING:
        yield OperationEdit("scale")
    if name.endswith("_"):
        return
    yield from _powers(name, args)
    if name in ("add", "sub", "rsub"):
        yield OperationEdit("shift")
        if isinstance(args[0], Tensor):
            yield OperationEdit("negate_first")
        if isinstance(args[1], Tensor):
            yield OperationEdit("negate_second")
    if name == "div" and len(args) > 1 and isinstance(args[1], Tensor):
        yield OperationEdit("exchange")
    if name in _PRODUCTS and len({each.shape for each in args[:2]}) == 1:
        yield OperationEdit("exchange")
    if name == "pow" and not isinstance(args[1], Tensor):
        yield from (OperationEdit("exponent", value=e) for e in _EXPONENTS if e != args[1])


def _powers(name: str, args: tuple[Any, ...]) -> Iterator[OperationEdit]:
    kinds: tuple[tuple[EditKind, EditKind], ...] = (
        ("square_first", "root_first"),
        ("square_second", "root_second"),
    )
    for offered, each in zip(kinds, args if name in _WITH_POWERS else (), strict=False):
        if isinstance(each, Tensor) and each.is_floating_point():
            yield from map(OperationEdit, offered)


def reduced_dims(args: tuple[Any, ...]) -> tuple[int, ...]:
    """The dimensions that a call of a reduction is over."""
    given = args[1] if len(args) > 1 else None
    count = args[0].dim()
    if isinstance(given, int):
        return (given % max(count, 1),)
    return tuple(sorted(each % count for each in given)) if given else tuple(range(count))


def subsets(dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """All nonempty sets of dimensions, the smallest first."""
    for count in range(1, len(dims) + 1):
        yield from combinations(dims, count)


def _adds_up(name: str, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    if "put" in name:
        return bool(args[3] if len(args) > 3 else named.get("accumulate", False))
    if name == "copy_":
        # Of `total[1:] += part`, the last step is to set the slice to itself.
        return bool(args[0].data_ptr() == args[1].data_ptr())
    return not isinstance(args[3] if len(args) > 3 else None, Tensor)


def _is_reversible(name: str, args: tuple[Any, ...]) -> bool:
    if name in ("index", "index_select", "gather"):
        return _permutation(name, args) is not None
    return name in ("cumsum", "roll", "_fft_c2c", "linalg_solve_triangular", "_linalg_solve_ex")


def _permutation(name: str, args: tuple[Any, ...]) -> tuple[int, Tensor] | None:
    """Argument with an index that only reorders a dimension, and the inverse; None otherwise."""
    if name == "index":
        place, given = 1, args[1]
        found = [k for k, each in enumerate(given) if each is not None]
        dimension, index = (found[0], given[found[0]]) if len(found) == 1 else (0, None)
    else:
        place, dimension, index = 2, args[1], args[2]
    if index is None or index.dtype is not torch.int64 or not args[0].dim():
        return None
    along = dimension % args[0].dim() if name == "gather" else 0
    if (name != "gather" and index.dim() != 1) or index.dim() <= along:
        return None
    size = args[0].shape[dimension]
    ordered, inverse = index.sort(along)
    shape = [size if k == along else 1 for k in range(index.dim())]
    if index.shape[along] != size or not bool(
        (ordered == torch.arange(size, device=index.device).view(shape)).all()
    ):
        return None
    return place, inverse


def _accumulate(call: EditedCall) -> Any:
    """Add all values for equal indices to what was there, of which only one would be kept."""
    args, name = call.args, call.name
    own = args[0] if name.endswith("_") else args[0].clone()
    if name == "copy_":
        return own.add_(args[1])
    if "put" in name:
        indices = [slice(None) if each is None else each for each in args[1]]
        change = args[2] - own[tuple(indices)]
        return torch.ops.aten.index_put_(own, args[1], change, True)
    dimension, index, values = args[1:4]
    if name == "index_copy_":
        return own.index_add_(dimension, index, values - own.index_select(dimension, index))
    shape = tuple(slice(size) for size in index.shape)
    return own.scatter_add_(dimension, index, values[shape] - own.gather(dimension, index))


def _transpose(call: EditedCall) -> Any:
    place = 0 if call.option.kind == "first" else 1
    return call.with_operand(place, call.args[place].transpose(-1, -2))


def _conjugate(call: EditedCall) -> Any:
    place = 0 if call.option.kind == "conjugate_first" else 1
    return call.with_operand(place, torch.conj_physical(call.args[place]))


def _reduce(call: EditedCall) -> Any:
    value, dims = call.args[0], call.option.dims
    if call.name in _ALONG:
        return _ALONG[call.name](value, dims[0])
    keep = call.option.kind == "keepdim" or (len(call.args) > 2 and bool(call.args[2]))
    return _KEEPING[call.name](value, dims, keep)


def _reverse(call: EditedCall) -> Any:
    args, name = call.args, call.name
    if name == "cumsum":
        return torch.cumsum(args[0].flip(args[1]), args[1]).flip(args[1])
    if name == "roll":
        return call.with_operand(1, [-each for each in args[1]])
    if name == "_fft_c2c":
        return call.with_operand(3, not args[3])
    if name == "linalg_solve_triangular":
        named = {**call.named, "upper": not call.named["upper"]}
        return call.func(args[0].mT, *args[1:], **named)
    if name == "_linalg_solve_ex":
        return call.with_operand(0, args[0].mT)
    found = _permutation(name, args)
    assert found is not None  # Else it would not have been offered.
    place, inverse = found
    if name != "index":
        return call.with_operand(place, inverse)
    return call.with_operand(place, [None if each is None else inverse for each in args[1]])


def _scale(call: EditedCall) -> Any:
    """Multiply the result, or what an operation in place adds to its first argument."""
    if not call.name.endswith("_"):
        return call.original() * call.factor
    before = call.args[0].clone() if call.name in _INCREASING else None
    result = call.original()
    if before is None:
        return result.mul_(call.factor)
    return result.copy_(before + (result - before) * call.factor)


def _replace(call: EditedCall) -> Any:
    if call.name in _KEEPING:
        return _KEEPING[call.option.name](*call.args, **call.named)
    return getattr(torch, call.option.name)(*call.args)


def _expanded_sum(call: EditedCall) -> Any:
    result = call.original()
    return result.sum(call.option.dims, keepdim=True).expand_as(result)


_RUN: Mapping[EditKind, Callable[[EditedCall], Any]] = {
    "accumulate": _accumulate,
    "first": _transpose,
    "second": _transpose,
    "conjugate_first": _conjugate,
    "conjugate_second": _conjugate,
    "unconjugate": lambda call: call.args[0].clone(),
    "unflip": lambda call: call.args[0].clone(),
    "keepdim": _reduce,
    "dimension": _reduce,
    "reverse": _reverse,
    "flip": lambda call: call.original().flip(call.option.dims),
    "flip_second": lambda call: call.with_operand(1, call.args[1].flip(call.option.dims)),
    "omit": lambda call: _scale(replace(call, factor=0.0)),
    "scale": _scale,
    "replace": _replace,
    "exchange": lambda call: call.func(call.args[1], call.args[0], *call.args[2:], **call.named),
    "negate_first": lambda call: call.with_operand(0, -call.args[0]),
    "negate_second": lambda call: call.with_operand(1, -call.args[1]),
    "exponent": lambda call: call.with_operand(1, call.option.value),
    "total": _expanded_sum,
    "shift": lambda call: call.original() + call.factor,
    "multiply": lambda call: call.original() * call.other(),
    "divide": lambda call: call.original() / call.other(),
    "use_first": lambda call: call.with_operand(0, call.other()),
    "use_second": lambda call: call.with_operand(1, call.other()),
    "square_first": lambda call: call.with_operand(0, call.args[0] ** 2),
    "square_second": lambda call: call.with_operand(1, call.args[1] ** 2),
    "root_first": lambda call: call.with_operand(0, call.args[0] ** 0.5),
    "root_second": lambda call: call.with_operand(1, call.args[1] ** 0.5),
    "left_product": lambda call: call.other() @ call.original(),
    "right_product": lambda call: call.original() @ call.other(),
}
