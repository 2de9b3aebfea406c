"""Values of a pair of steps, prepared for side-by-side display."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.analysis.compare.run_comparison import ComparedValue, RunComparison
from gradviz.analysis.compare.tensor_difference import difference_magnitudes
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.color_map import color_limit
from gradviz.model.item import Item
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.compare import verdict_text
from gradviz.text.phrases import shape_text
from gradviz.viewer.translation import translate
from gradviz.viewer.what_if.value_differences import role_text

_MOST_BYTES = 1 << 20
"""Larger values are not read, as this would block the GUI thread."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SideValue:
    """One value of one run.

    Attributes:
        text: Text to show if there is nothing to paint.
        record: Record of a tensor; None for anything else.
        value: Its stored elements; None if there is nothing to paint.
    """

    text: str
    record: TensorRecord | None = None
    value: TensorValue | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedValue:
    """One value in both runs.

    Attributes:
        name: Name of the value.
        role: Its role in the step.
        left: The value on the left.
        right: The value on the right.
        apart: Right minus left; None if it is undefined or zero.
        limit: The shared color scale goes from minus this to this.
        verdict: Result of the comparison, as text.
        agrees: Whether the two count as equal.
        same: Whether they are equal bit for bit.
    """

    name: str
    role: str
    left: SideValue
    right: SideValue
    apart: SideValue | None
    limit: float
    verdict: str
    agrees: bool
    same: bool


def value_pairs_of(found: RunComparison, left: int | None, right: int | None) -> list[PairedValue]:
    """Return the values of two steps, one of which may be None; differences come first."""
    rows = [_row(found, value) for value in found.values(left, right)]
    return sorted(rows, key=lambda row: (row.agrees, row.same))


def _row(found: RunComparison, value: ComparedValue) -> PairedValue:
    left, right = _shown(found.left, value.pair.left), _shown(found.right, value.pair.right)
    apart = _apart(left, right)
    values = [each.value for each in (left, right, apart) if each is not None]
    limits = [color_limit(each.array()) for each in values if each is not None]
    return PairedValue(
        name=value.pair.name,
        role=role_text(value.pair.role),
        left=left,
        right=right,
        apart=apart,
        limit=max(limits, default=0.0),
        verdict=verdict_text(found, value),
        agrees=not value.differs,
        same=value.apart.verdict == "equal",
    )


def _shown(index: TraceIndex, item: Item | None) -> SideValue:
    if item is None:
        return SideValue(text=translate("Compare", "missing"))
    if item.tensor is None:
        return SideValue(text=item.text if item.kind == "object" else translate("Compare", "None"))
    record = index.tensor.bare(item.tensor)
    text = f"{shape_text(record.shape)}, {record.dtype}"
    if record.kept_bytes > _MOST_BYTES:
        return SideValue(text=text, record=record)
    return SideValue(text=text, record=index.tensor[item.tensor], value=index.value(item.tensor))


def _apart(left: SideValue, right: SideValue) -> SideValue | None:
    """Compute right minus left in float64 or complex128; None if undefined or zero."""
    one, other = left.value, right.value
    if one is None or other is None or left.record is None or one.shape != other.shape:
        return None
    if "bool" in (one.dtype, other.dtype):
        return None
    arrays = one.array(), other.array()
    if not difference_magnitudes(*arrays).any():
        return None
    wide = np.complex128 if "complex" in one.dtype + other.dtype else np.float64
    with np.errstate(all="ignore"):
        change = np.ascontiguousarray(arrays[1].astype(wide) - arrays[0].astype(wide))
    name = np.dtype(wide).name
    value = TensorValue(dtype=name, shape=one.shape, data=change.tobytes())
    record = TensorRecord(
        id=0,
        dtype=name,
        shape=left.record.shape,
        strides=None,
        device="cpu",
        layout="strided",
        requires_grad=False,
        storage=None,
        version=None,
        content=left.record.content,
        kept_shape=left.record.kept_shape,
        kept_steps=left.record.kept_steps,
        note=left.record.note,
        statistics=statistics_of(change.reshape(one.shape)),
    )
    return SideValue(text="", record=record, value=value)
