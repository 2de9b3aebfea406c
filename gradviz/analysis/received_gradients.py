"""What a backward pass left in the leaves, next to the correct gradient where a check knows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.jacobian_report import JacobianBlock, JacobianReport, PassGradient
from gradviz.model.step import AccumulateStep, NodeStep, PassBeginStep, PassEndStep

Elements = npt.NDArray[np.float64]

_MOST_ELEMENTS = 4096
"""Maximum elements of a gradient to compare with a check."""

_MOST_SOURCES = 200
"""Maximum gradients of a pass among which the one of the checked output is looked for."""

_CLOSE = 1e-5
"""Relative difference up to which the analytical Jacobian explains a recorded gradient."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReceivedGradient:
    """The gradient of a leaf, or of an input of ``autograd.grad``, after a pass.

    Attributes:
        name: The leaf or the input; empty if it has no name.
        item: The leaf's ``.grad``, or the returned gradient.
        accumulated: Whether it was accumulated into a leaf.
        changed: Whether the leaf's ``.grad`` has changed since.
        verified: Whether a check found no wrong element in it.
        correct: Its correct elements where a check found wrong ones; None if they are not known.
        numerical: Finite differences of the whole program where a check measured other elements
            than these; None if it did not. They are correct, too, unless the program changes its
            gradient on purpose.
    """

    name: str
    item: Item
    accumulated: bool
    changed: bool = False
    verified: bool = False
    correct: Elements | None = None
    numerical: Elements | None = None


def received_gradients(index: TraceIndex, end: PassEndStep) -> tuple[ReceivedGradient, ...]:
    """The gradients that a pass accumulated or returned, in the order of the run."""
    steps = [step for step in _steps(index, end) if isinstance(step, AccumulateStep)]
    found = [
        (index.node[step.node].variable_name or "", step.total, step.contribution) for step in steps
    ]
    accumulated = bool(found) and not end.results
    if not accumulated:
        found = [(item.name, item, item) for item in end.results]
    known = _checked(index, end, {name: item for name, _, item in found})
    measured = _measured(index, end.pass_id)
    received = [
        _received(
            index, name, total, part, known.get(name), measured.get(name), accumulated=accumulated
        )
        for name, total, part in found
    ]
    later = {each.node: each.total for each in end.totals if accumulated}
    for at, step in enumerate(steps):
        if step.node in later:
            # What a check says is about what was accumulated.
            received[at] = ReceivedGradient(
                name=received[at].name, item=later[step.node], accumulated=True, changed=True
            )
    return tuple(received)


def _received(
    index: TraceIndex,
    name: str,
    total: Item,
    part: Item,
    known: tuple[JacobianBlock, Elements | None] | None,
    measured: PassGradient | None,
    *,
    accumulated: bool,
) -> ReceivedGradient:
    found = ReceivedGradient(name=name, item=total, accumulated=accumulated)
    whole, added = _of(index, total), _of(index, part)
    # A check knows what one pass contributes, not what was in `.grad` before.
    if whole is None or added is None or not np.array_equal(whole, added):
        return found
    if known is not None:
        block, gradient = known
        return replace(found, verified=not block.wrong, correct=gradient if block.wrong else None)
    if measured is None or not _is_same(added, measured):
        return found
    if not measured.wrong:
        return replace(found, verified=measured.is_measured)
    numerical = _rounded(np.array(measured.numerical)).reshape(added.shape)
    if measured.confirmed:
        exact = np.array(measured.reference).reshape(added.shape)
        return replace(found, numerical=numerical, correct=exact)
    return replace(found, numerical=numerical)


def _measured(index: TraceIndex, pass_id: int) -> dict[str, PassGradient]:
    """What the last check that ran the program found for the leaves of a pass."""
    passes = next((each.passes for each in reversed(index.trace.reports) if each.passes), ())
    return {each.name: each for each in passes if each.pass_id == pass_id}


def _is_same(recorded: Elements, measured: PassGradient) -> bool:
    """Whether the check's runs of the program got the recorded gradient, up to rounding."""
    own = np.array(measured.received)
    if recorded.shape != measured.shape:
        return False
    scale = max(float(np.abs(recorded).max(initial=0.0)), 1e-300)
    return bool(np.abs(recorded.ravel() - own).max(initial=0.0) <= _CLOSE * scale)


def _checked(
    index: TraceIndex, end: PassEndStep, gradients: dict[str, Item]
) -> dict[str, tuple[JacobianBlock, Elements | None]]:
    """The pair of a check that explains each gradient, and the gradient that it calls for."""
    for report in reversed(index.trace.reports):
        blocks = _usable_blocks(report, gradients)
        if not blocks:
            continue
        for source in islice(_sources(index, end, blocks[0].output_shape), _MOST_SOURCES):
            if _explains(index, blocks, source, gradients):
                return {
                    block.input_name: (block, _correct(index, report, block, source))
                    for block in blocks
                }
    return {}


def _usable_blocks(report: JacobianReport, gradients: dict[str, Item]) -> tuple[JacobianBlock, ...]:
    """The pairs of a check whose numerical Jacobians can be relied on; empty for none."""
    blocks = tuple(each for each in report.blocks if each.input_name in gradients)
    outputs = {each.output for each in report.blocks}
    finished = report.verdict in ("match", "mismatch") and not report.unfinished
    # A harmless diagnosis of wrong elements says that the numerical Jacobian is to blame.
    blamed = [each for each in report.diagnoses if each.code != "none" and each.is_harmless]
    plain = not any(each.part for each in blocks)
    usable = finished and plain and not blamed and not report.nudge and len(outputs) == 1
    return blocks if usable else ()


def _sources(index: TraceIndex, end: PassEndStep, shape: tuple[int, ...]) -> Iterator[Elements]:
    """The gradients in a pass that have the shape of the checked output."""
    for step in _steps(index, end):
        items: tuple[Item, ...] = ()
        if isinstance(step, PassBeginStep):
            items = tuple(root.gradient for root in step.roots)
        elif isinstance(step, NodeStep):
            items = step.incoming
        for item in items:
            value = _of(index, item)
            if value is not None and value.shape == shape:
                yield value


def _explains(
    index: TraceIndex,
    blocks: tuple[JacobianBlock, ...],
    source: Elements,
    gradients: dict[str, Item],
) -> bool:
    """Whether the analytical Jacobians turn a gradient of the output into those recorded.

    Then the check and the run had the same inputs and the same gradient of the output.
    """
    seen = False
    for block in blocks:
        recorded = _of(index, gradients[block.input_name])
        computed = _product(index, block.analytical, source)
        if recorded is None or computed is None or recorded.size != computed.size:
            return False
        scale = max(float(np.abs(recorded).max(initial=0.0)), 1e-300)
        if not np.abs(recorded.ravel() - computed).max(initial=0.0) <= _CLOSE * scale:
            return False
        seen = seen or bool(recorded.any())
    # Zeros are explained by any gradient.
    return seen


def _correct(
    index: TraceIndex, report: JacobianReport, block: JacobianBlock, source: Elements
) -> Elements | None:
    """The product with the reference Jacobian, or with the numerical one without its noise."""
    exact = None if block.reference is None else _product(index, block.reference, source)
    if exact is not None:
        return exact.reshape(block.input_shape)
    found = _product(index, block.numerical, source)
    if found is None:
        return None
    return _rounded(found, report.atol + report.rtol * np.abs(found)).reshape(block.input_shape)


def _rounded(found: Elements, tolerance: Elements | float = 1e-5) -> Elements:
    """Numbers without the noise of finite differences: integers where they are that close."""
    whole = np.rint(found)
    rounded: Elements = np.where(np.abs(found - whole) <= tolerance, whole, found) + 0.0
    return rounded


def _product(index: TraceIndex, jacobian: int, source: Elements) -> Elements | None:
    value = index.value(jacobian)
    matrix = None if value is None else value.array()
    if matrix is None or matrix.dtype.kind != "f" or matrix.ndim != 2:
        return None
    if matrix.shape[1] != source.size:
        return None
    with np.errstate(all="ignore"):
        product: Elements = matrix.astype(np.float64) @ source.ravel()
    return product


def _of(index: TraceIndex, item: Item) -> Elements | None:
    """The elements of a small real tensor that was stored whole; None of others."""
    record = None if item.tensor is None else index.tensor.get(item.tensor)
    if record is None or record.content != "whole" or record.count > _MOST_ELEMENTS:
        return None
    value = index.value(record.id)
    array = None if value is None else value.array()
    if array is None or array.dtype.kind != "f":
        return None
    return array.astype(np.float64)


def _steps(index: TraceIndex, end: PassEndStep) -> Iterator[object]:
    first = index.span[end.pass_id].first
    steps = (index.trace.steps[at] for at in range(first - 1, end.number))
    return (step for step in steps if step.pass_id == end.pass_id)
