"""Analytical Jacobians from one backward pass per output element, bit for bit gradcheck's.

Source: ``_check_analytical_jacobian_attributes`` in torch/autograd/gradcheck.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.checks.jacobians.matrices import MutableElements, RowBlocks, new_matrix, transposed
from gradviz.checks.run.progress import Evaluations, MatrixProgress
from gradviz.recorder.compat import gradients_of
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.tensors.tensor_compat import copy_each

Backward = Callable[[Tensor], Sequence[Tensor | None]]
"""A backward pass: maps an output's gradient to the inputs' gradients, None if undefined."""


class AnalyticalJacobians(Struct, frozen=True):
    """Result of two identical series of backward passes.

    Attributes:
        matrices: For each input, ``[input elements, output elements]``, from the first series.
        spreads: For each input, the largest difference between the two series; NaN if any is NaN.
        misfits: Indices of inputs whose gradient does not match them in shape or dtype.
    """

    matrices: tuple[Tensor, ...]
    spreads: tuple[float, ...]
    misfits: tuple[int, ...]


def engine_backward(output: Tensor, inputs: Sequence[Tensor], evaluations: Evaluations) -> Backward:
    """Build a function that runs a counted backward pass through the engine."""

    @calls_user_code
    def run(gradient: Tensor) -> Sequence[Tensor | None]:
        evaluations.begin()
        return gradients_of([output], inputs, [gradient], retain_graph=True)

    return run


def analytical_jacobians(
    backward: Backward,
    output: Tensor,
    inputs: Sequence[Tensor],
    growth: MatrixProgress | None = None,
    *,
    all_fit: bool = False,
) -> AnalyticalJacobians:
    """Compute the Jacobian of an output for each input, twice, to measure repeatability.

    Args:
        backward: Runs one backward pass; called twice for each output element.
        output: The output to differentiate.
        inputs: The inputs to differentiate with respect to.
        growth: Receives the progress of the matrices.
        all_fit: Whether no gradient is None and each is known to match its input in shape, dtype,
            device and layout, so that it needs no further look at it.
    """
    growth = growth or MatrixProgress()
    rows = _GradientRows(output.numel(), inputs)
    misfits: set[int] = set()
    store: _Store = copy_each if all_fit else partial(_store, misfits)
    growth.begin("analytical", rows.columns(), flush=rows.flush)
    rows.fill(_passes(backward, output), store, growth)
    store = copy_each if all_fit else partial(_store, set())
    spreads = rows.spreads(_passes(backward, output), store)
    growth.end()
    return AnalyticalJacobians(
        matrices=tuple(rows.transposed()),
        spreads=spreads,
        misfits=tuple(sorted(misfits)),
    )


def analytical_columns(
    backward: Backward, output: Tensor, inputs: Sequence[Tensor], chosen: Sequence[int]
) -> list[Tensor]:
    """Selected columns of the Jacobian for each input, as ``[input elements, chosen]``."""
    rows = _GradientRows(len(chosen), inputs)
    rows.fill(_passes(backward, output, chosen), partial(_store, set()), MatrixProgress())
    return rows.transposed()


def engine_columns(
    output: Tensor,
    inputs: Sequence[Tensor],
    evaluations: Evaluations,
    chosen: Sequence[int] | None = None,
) -> list[Tensor]:
    """Columns by the engine, all of them by default, as `analytical_columns`; announces them."""
    columns = range(output.numel()) if chosen is None else chosen
    evaluations.expect(len(columns))
    return analytical_columns(engine_backward(output, inputs, evaluations), output, inputs, columns)


_Passes = Iterable[Sequence[Tensor | None]]
_Store = Callable[[Sequence[Tensor], Sequence[Tensor | None]], object]


class _GradientRows:
    """Transposed Jacobians: for each input, ``[passes, input elements]``.

    Writing columns pass by pass would take several times as long.
    """

    def __init__(self, passes: int, inputs: Sequence[Tensor]) -> None:
        self._block = RowBlocks(passes, inputs)
        self._whole = [new_matrix(passes, each.numel(), each.dtype, each.device) for each in inputs]

    def columns(self) -> list[Tensor]:
        """Views of the Jacobians, ``[input elements, passes]``."""
        return [each.t() for each in self._whole]

    def transposed(self) -> list[Tensor]:
        """Return the Jacobians as contiguous matrices, and free the rows."""
        self._whole.reverse()
        return [transposed(self._whole.pop()) for _ in range(len(self._whole))]

    def fill(self, passes: _Passes, store: _Store, growth: MatrixProgress) -> None:
        """Run the passes, and store their gradients in the rows."""
        for places in self._block.ranges:
            # The passes come last, so that `zip` runs none that has no row.
            for place, row, gradients in zip(places, self._block.rows, passes, strict=False):
                store(row, gradients)
                growth.filled = place + 1
            self.flush(places.stop)

    def flush(self, filled: int) -> None:
        """Write the gradients of the first ``filled`` passes to the rows."""
        places, rows = self._block.take(filled)
        for whole, block in zip(self._whole, self._block.matrices, strict=True):
            whole[places].copy_(block[rows])

    def spreads(self, passes: _Passes, store: _Store) -> tuple[float, ...]:
        """For each input, the largest difference between rows and gradients of other passes."""
        found = [0.0] * len(self._whole)
        for places in self._block.ranges:
            for _, row, gradients in zip(places, self._block.rows, passes, strict=False):
                store(row, gradients)
            for i, (whole, block) in enumerate(zip(self._whole, self._block.matrices, strict=True)):
                before = whole[places.start : places.stop]
                found[i] = _larger(found[i], _spread(before, block[: len(places)]))
        return tuple(found)


def _spread(before: Tensor, again: Tensor) -> float:
    """The largest difference between rows; NaN if it is NaN for rows that differ."""
    found = 0.0
    if not torch.equal(before, again):
        for row, other in zip(before.unbind(), again.unbind(), strict=True):
            if not torch.equal(row, other):
                found = _larger(found, float((row - other).abs().max()))
    return found


def _larger(one: float, other: float) -> float:
    # Once NaN, always NaN: no later value is larger.
    return other if other > one or math.isnan(other) else one


def _passes(
    backward: Backward, output: Tensor, chosen: Sequence[int] | None = None
) -> Iterator[Sequence[Tensor | None]]:
    """Run a backward pass for each (chosen) output element, in row-major order."""
    # Like gradcheck, refill a single tensor of zeros for each pass.
    gradient = torch.zeros_like(output.detach(), memory_format=torch.contiguous_format)
    elements = MutableElements(gradient)
    put, clear = elements.put, elements.clear
    (one,) = elements.listed(torch.ones(1, dtype=gradient.dtype, device=gradient.device))
    for place in range(gradient.numel()) if chosen is None else chosen:
        clear()
        put(place, one)
        yield backward(gradient)


@calls_user_code
def _store(misfits: set[int], rows: Sequence[Tensor], gradients: Sequence[Tensor | None]) -> None:
    """Copy gradients into rows, and collect the indices of those that do not fit."""
    for i, (row, gradient) in enumerate(zip(rows, gradients, strict=True)):
        if gradient is None:
            row.zero_()
            continue
        if gradient.layout is not torch.strided:
            gradient = gradient.to_dense()
        if gradient.shape != row.shape or gradient.dtype is not row.dtype:
            misfits.add(i)
            row.zero_()
        else:
            row.copy_(gradient.detach() if gradient.requires_grad else gradient)
