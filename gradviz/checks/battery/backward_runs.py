"""One trial run: a fresh forward, then a backward with gradients in a given layout.

Only a Function's own output passes the layout of a gradient on to its backward; any operation in
between creates a new tensor. Functions further inside the graph therefore get theirs from a hook
on their node.

The layouts all occur in everyday use of backward. Each gradient is placed in a buffer at least as
large as its shape needs, with other values around it. A backward that ignores strides stays within
the buffer and is detected by its results.

Comparison of two sets of gradients that should be equal up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Literal

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import DifferentiatedInput, restore_arguments
from gradviz.checks.backward_function import custom_name, differentiable, nodes_of, with_undefined
from gradviz.checks.problem_messages import UserCodeAttempt
from gradviz.checks.random_tensors import RandomTensors, RewindRandomState
from gradviz.checks.run.context import CheckContext
from gradviz.model.arrays import index_at
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.patching.signals import calls_user_code

Strides = Callable[[Sequence[int]], tuple[int, ...] | None]
"""Function from a shape to strides; None if the layout does not apply to the shape."""


class MemoryLayout(Struct, frozen=True, kw_only=True):
    """A memory layout of a tensor.

    Attributes:
        code: Last part of the keys of its names in the catalogue.
        strides: Strides for each shape.
        offset: Elements of the buffer before the first one.
    """

    code: str
    strides: Strides
    offset: int = 0

    def fits(self, shape: Sequence[int]) -> bool:
        """Whether the layout applies to nonempty tensors of a shape."""
        return prod(shape) > 0 and self.strides(shape) is not None

    def repeated(self, values: Tensor) -> Tensor:
        """The values the layout can represent: repeated along dimensions of stride 0."""
        strides = self.strides(values.shape) if self.fits(values.shape) else None
        return values if strides is None else values[_distinct_slices(strides)].expand_as(values)

    def placed(self, values: Tensor, drawn: RandomTensors) -> tuple[Tensor, Tensor]:
        """A copy of the values in this layout, and its entire buffer as a vector."""
        shape = values.shape
        strides = self.strides(shape) if self.fits(shape) else _dense(shape)
        strides = _dense(shape) if strides is None else strides
        if strides == _dense(shape) and not self.offset:
            memory = values.reshape(-1).clone()
            return memory.view(shape), memory
        reach = 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
        memory = drawn.like(values, self.offset + max(reach, values.numel(), 1))
        placed = memory.as_strided(shape, strides, self.offset)
        where = _distinct_slices(strides)
        placed[where].copy_(values[where])
        return placed, memory


def _distinct_slices(strides: Sequence[int]) -> tuple[slice, ...]:
    """Slices that keep one element of each dimension of stride 0, and all of the others."""
    return tuple(slice(0, 1) if step == 0 else slice(None) for step in strides)


def _dense(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(shape[k + 1 :]) for k in range(len(shape)))


def _transposed(shape: Sequence[int]) -> tuple[int, ...] | None:
    # With less than two long dimensions, this is dense memory.
    if sum(size > 1 for size in shape) < 2:
        return None
    return tuple(prod(shape[:k]) for k in range(len(shape)))


def _every_second(shape: Sequence[int]) -> tuple[int, ...] | None:
    return tuple(2 * step for step in _dense(shape)) if prod(shape) > 1 else None


def _channels_last(shape: Sequence[int]) -> tuple[int, ...] | None:
    # With one channel or one pixel, this is dense memory.
    if len(shape) != 4 or shape[1] == 1 or shape[2] * shape[3] == 1:
        return None
    _, channels, height, width = shape
    return channels * height * width, 1, width * channels, channels


def _expanded(shape: Sequence[int]) -> tuple[int, ...] | None:
    return (0,) * len(shape) if prod(shape) > 1 else None


def _expanded_first(shape: Sequence[int]) -> tuple[int, ...] | None:
    rest = prod(shape[1:])
    return (0, *_dense(shape[1:])) if rest > 1 and shape[0] > 1 else None


DENSE = MemoryLayout(code="dense", strides=_dense)
"""The layout that gradcheck uses."""

NON_OVERLAPPING: tuple[MemoryLayout, ...] = (
    MemoryLayout(code="transposed", strides=_transposed),
    MemoryLayout(code="sliced", strides=_every_second),
    MemoryLayout(code="channels_last", strides=_channels_last),
    MemoryLayout(code="offset", strides=_dense, offset=3),
)
"""Layouts in which every element has its own memory location."""

EXPANDED: tuple[MemoryLayout, ...] = (
    MemoryLayout(code="expanded", strides=_expanded),
    MemoryLayout(code="expanded_first", strides=_expanded_first),
)
"""Layouts in which several elements share a memory location."""


DifferenceKind = Literal["gradient", "output"]

_TOLERANCES = {torch.float64: 1e-4, torch.complex128: 1e-4, torch.float32: 1e-2}
_TOLERANCES |= {torch.complex64: 1e-2}
_COARSE = 0.2
_LEAST = 1e-3
"""Relative to the largest of all gradients; anything smaller may be due to cancellation."""


class GradientDifference(Struct, frozen=True):
    """The element with the largest difference.

    Attributes:
        kind: Whether it belongs to the gradient of a tensor or to the tensor itself.
        name: Name of that tensor.
        index: Its index there.
        found: The value found.
        expected: The correct value.
        matters: Whether the difference is more than rounding.
    """

    kind: DifferenceKind
    name: str
    index: tuple[int, ...]
    found: complex
    expected: complex
    matters: bool

    @property
    def text(self) -> str:
        """The difference as a clause: which element has which value instead of which."""
        found, expected = _distinct_texts(self.found, self.expected)
        return say(
            f"difference.{self.kind}{'.element' if self.index else ''}",
            name=self.name,
            index=", ".join(map(str, self.index)),
            found=found,
            expected=expected,
        )


def gradient_difference(
    inputs: Sequence[DifferentiatedInput],
    found: Sequence[Tensor | None],
    expected: Sequence[Tensor | None],
    *,
    allowed: float | None = None,
    kind: DifferenceKind = "gradient",
) -> GradientDifference | None:
    """The largest difference among all gradients; None if there is none.

    None counts as zeros. Elements whose expected value is Inf or NaN are ignored. Shapes must
    match.

    Args:
        inputs: The inputs that the gradients belong to.
        found: The gradients found.
        expected: The correct gradients.
        allowed: Tolerance relative to the largest expected value; by dtype if omitted.
        kind: ``output`` if outputs are compared rather than gradients.
    """
    if all(map(_same, found, expected)):
        return None
    pairs = [
        (each, _wide(ours, each), _wide(theirs, each))
        for each, ours, theirs in zip(inputs, found, expected, strict=True)
    ]
    largest = max([_LEAST, *(_largest(theirs) for _, _, theirs in pairs)])
    candidates = []
    for each, ours, theirs in pairs:
        if theirs.numel() == 0:
            continue
        # NaN in place of a number is the largest difference.
        distance = (ours - theirs).abs().nan_to_num(nan=torch.inf, posinf=torch.inf)
        distance = distance.masked_fill(~theirs.isfinite(), 0.0)
        place = int(distance.argmax())
        scale = max(_largest(theirs), _LEAST * largest)
        excess = float(distance.view(-1)[place]) / scale
        entry = GradientDifference(
            kind=kind,
            name=each.name,
            index=index_at(place, tuple(theirs.shape)),
            found=complex(ours.view(-1)[place].item()),
            expected=complex(theirs.view(-1)[place].item()),
            matters=excess > (allowed or _TOLERANCES.get(each.tensor.dtype, _COARSE)),
        )
        candidates.append((excess, entry))
    return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None


def _same(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return torch.equal(one.cpu(), other.cpu())  # They may be results of two devices.


def _wide(gradient: Tensor | None, wanted: DifferentiatedInput) -> Tensor:
    wide = torch.complex128 if wanted.tensor.is_complex() else torch.float64
    if gradient is None:
        return torch.zeros(wanted.tensor.shape, dtype=wide, device="cpu")
    return gradient.cpu().to(wide).contiguous()


def _largest(gradient: Tensor) -> float:
    finite = gradient[gradient.isfinite()]
    return float(finite.abs().max()) if finite.numel() else 0.0


def _distinct_texts(*values: complex) -> list[str]:
    """Format numbers with at least four digits, and enough of them to show a difference."""
    texts: list[str] = []
    for digits in range(4, 18):
        texts = [_number(each, digits) for each in values]
        if len(set(texts)) > 1:
            break
    return texts


def _number(value: complex, digits: int) -> str:
    return f"{value.real:.{digits}g}" if value.imag == 0 else f"{value:.{digits}g}"


Incoming = Callable[[Sequence[Tensor]], Sequence[Tensor]]
"""Function that creates the values of the incoming gradients for differentiable outputs."""

ALL = -1
"""All outputs, where a position among the differentiable ones is expected."""


class BackwardRun(Struct):
    """Result of one trial run.

    Attributes:
        gradients: Gradients of the inputs; empty if something raised.
        error: What forward or backward raised.
        changed: Names of the Functions whose backward wrote to its incoming gradient; an empty
            name if the Function is unknown.
        strides: Strides of the gradients placed in the requested layout, unless it is dense.
        positions: Positions of the differentiable outputs.
        shapes: Shapes of all incoming gradients.
    """

    gradients: tuple[Tensor | None, ...] = ()
    error: Exception | None = None
    changed: tuple[str, ...] = ()
    strides: tuple[tuple[int, ...], ...] = ()
    positions: tuple[int, ...] = ()
    shapes: frozenset[torch.Size] = frozenset()


class _Watched(Struct, frozen=True):
    name: str
    memory: Tensor
    before: Tensor

    @property
    def is_changed(self) -> bool:
        # Compared as bytes, since NaN differs from itself and -0.0 equals 0.0.
        return not torch.equal(self.memory.view(torch.uint8), self.before.view(torch.uint8))


class _Laid:
    """Placement of gradients in a layout, with detection of writes to them."""

    def __init__(self, layout: MemoryLayout, *, dense: bool) -> None:
        self.strides: list[tuple[int, ...]] = []
        self.shapes: set[torch.Size] = set()
        self._wanted = layout
        self._chosen = DENSE if dense else layout
        self._watched: list[_Watched] = []
        self._drawn = RandomTensors(1)

    def __call__(self, values: Tensor, name: str) -> Tensor:
        placed, memory = self._chosen.placed(self._wanted.repeated(values), self._drawn)
        self.shapes.add(values.shape)
        self._watched.append(_Watched(name, memory, memory.clone()))
        if self._wanted is not DENSE and self._wanted.fits(values.shape):
            self.strides.append(tuple(placed.stride()))
        return placed

    def changed(self) -> tuple[str, ...]:
        """Names of the Functions that wrote to a gradient."""
        return tuple(dict.fromkeys(each.name for each in self._watched if each.is_changed))


class BackwardRunner:
    """Runner of forward and backward of one function with chosen incoming gradients."""

    def __init__(self, case: CheckContext, rewind: RewindRandomState) -> None:
        self._case = case
        self._rewind = rewind

    def run(
        self,
        incoming: Incoming,
        layout: MemoryLayout = DENSE,
        *,
        dense: bool = False,
        missing: int | None = None,
    ) -> BackwardRun:
        """Run forward and backward once.

        Args:
            incoming: Creates the values of the incoming gradients.
            layout: Their memory layout; values that share a location (stride 0) are made equal.
            dense: Whether to store the values that fit the layout in dense memory instead.
            missing: Index of the differentiable output that gets no gradient, or `ALL`.
        """
        self._rewind()
        self._case.evaluations.expect(2)
        result, laid = BackwardRun(), _Laid(layout, dense=dense)
        with restore_arguments(self._case.subject.arguments), UserCodeAttempt() as attempt:
            chosen = differentiable(self._case.evaluator.evaluate())
            result.positions = tuple(position for position, _ in chosen)
            outputs = [value for _, value in chosen]
            for node in nodes_of(outputs):
                if name := custom_name(node):
                    # Inner Functions get their gradients in the requested layout too, not only the
                    # outermost.
                    node.register_prehook(_replacing(laid, name))
            result.gradients = self._backward(outputs, incoming, laid, missing)
        result.error = attempt.error
        result.changed = laid.changed()
        result.strides = tuple(laid.strides)
        result.shapes = frozenset(laid.shapes)
        return result

    @calls_user_code
    def _backward(
        self, outputs: list[Tensor], incoming: Incoming, laid: _Laid, missing: int | None
    ) -> tuple[Tensor | None, ...]:
        self._case.evaluations.begin()
        gradients = [laid(values, "") for values in incoming(outputs)]
        if missing == ALL:
            # The engine needs an output to start from, so a node behind each of them drops its
            # gradient.
            outputs = with_undefined(outputs, None)
        elif missing is not None:
            # For an output that is left out, the engine passes on an undefined gradient.
            del outputs[missing], gradients[missing]
        found = gradients_of(outputs, self._case.subject.tensors, gradients)
        # Cloned, because backward may return a tensor that it keeps and changes in the next run.
        return tuple(None if each is None else each.detach().to_dense().clone() for each in found)


def _replacing(laid: _Laid, name: str) -> Callable[[Any], Any]:
    def hook(gradients: tuple[Tensor | None, ...]) -> tuple[Tensor | None, ...]:
        return tuple(None if each is None else laid(each.detach(), name) for each in gradients)

    return hook
