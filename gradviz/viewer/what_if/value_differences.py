"""Values at the current position in two runs, prepared for side-by-side display."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.analysis.compare.exact_differences import (
    DifferenceDetail,
    ExactDifferences,
    ExactVerdict,
    detail_of,
    difference_of,
)
from gradviz.analysis.compare.item_pairs import (
    ItemPair,
    ItemRole,
    matching_position,
    pairs_at_position,
)
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import format_count
from gradviz.drawing.appearance.color_map import color_limit
from gradviz.model.item import Item
from gradviz.model.tensor import TensorValue
from gradviz.viewer.translation import translate

_MOST_BYTES = 1 << 20
"""Larger values are not read, as this would block the GUI thread."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueDifference:
    """One value in both runs.

    Attributes:
        role: Its role in the step.
        name: Name of the value.
        verdict: Result of the comparison.
        old: Its elements in the old run; None if there is nothing to paint.
        new: Its elements in the new run; None if there is nothing to paint.
        apart: New minus old; None if undefined or if the values do not differ.
        old_text: Text for the old value if there is nothing to paint.
        new_text: Text for the new value if there is nothing to paint.
        limit: The shared color scale goes from minus this to this.
        change: Size of the difference, as text.
    """

    role: str
    name: str
    verdict: ExactVerdict
    old: TensorValue | None
    new: TensorValue | None
    apart: TensorValue | None
    old_text: str
    new_text: str
    limit: float
    change: str


def value_differences_at(
    old: TraceIndex, new: TraceIndex, differences: ExactDifferences, place: TracePosition
) -> list[ValueDifference]:
    """Return the values at a position of the new run and the matching one of the old run."""
    before = matching_position(old, new, place, differences.alignment.old(place.step))
    pairs = pairs_at_position(old, new, before, place)
    return [_row(old, new, pair, differences.verdict(pair)) for pair in pairs]


def _row(
    old: TraceIndex, new: TraceIndex, pair: ItemPair, verdict: ExactVerdict
) -> ValueDifference:
    before, after = _value(old, pair.old), _value(new, pair.new)
    apart, detail, limit = None, None, 0.0
    known = [each for each in (before, after) if each is not None]
    differs = verdict == "differs"
    if differs and before is not None and after is not None and _alike(before, after):
        detail = detail_of(before, after, whole=_is_whole(new, pair.new))
        found = difference_of(before, after)
        if found is not None:
            data = np.ascontiguousarray(found).tobytes()
            apart = TensorValue(dtype=found.dtype.name, shape=found.shape, data=data)
    shown = [*known, *([] if apart is None else [apart])]
    limit = max((color_limit(each.array()) for each in shown), default=0.0)
    return ValueDifference(
        role=role_text(pair.role),
        name=pair.name,
        verdict=verdict,
        old=before,
        new=after,
        apart=apart,
        old_text=_text(old, pair.old),
        new_text=_text(new, pair.new),
        limit=limit,
        change=change_text(verdict, detail),
    )


def _alike(one: TensorValue, other: TensorValue) -> bool:
    return (one.dtype, one.shape) == (other.dtype, other.shape)


def _is_whole(index: TraceIndex, item: Item | None) -> bool:
    if item is None or item.tensor is None:
        return False
    return index.tensor.bare(item.tensor).content == "whole"


def _value(index: TraceIndex, item: Item | None) -> TensorValue | None:
    if item is None or item.tensor is None:
        return None
    if index.tensor.bare(item.tensor).kept_bytes > _MOST_BYTES:
        return None
    return index.value(item.tensor)


def _text(index: TraceIndex, item: Item | None) -> str:
    if item is None:
        return translate("Changes", "missing")
    if item.tensor is None:
        return item.text if item.kind == "object" else translate("Changes", "None")
    record = index.tensor.bare(item.tensor)
    shape = "×".join(map(str, record.shape)) or translate("Changes", "one element")
    return f"{shape}, {record.dtype}"


def change_text(verdict: ExactVerdict, detail: DifferenceDetail | None) -> str:
    """Describe how much two values differ."""
    match verdict:
        case "equal":
            return translate("Changes", "equal bit for bit")
        case "alike":
            return translate("Changes", "equal in the stored part")
        case "unknown":
            return translate("Changes", "unknown, because not stored")
        case "only_old":
            return translate("Changes", "only in the original run")
        case "only_new":
            return translate("Changes", "only in the changed run")
    if detail is None or not detail.differing:
        return translate("Changes", "differs")
    parts = [_largest(detail)] if detail.largest is not None else []
    text = translate("Changes", "{0} of {1} elements") if detail.count > 1 else ""
    if not detail.whole:
        text = translate("Changes", "{0} of the {1} stored elements")
    if text:
        parts.append(text.format(format_count(detail.differing), format_count(detail.count)))
    return "\n".join(parts) or translate("Changes", "differs")


def _largest(detail: DifferenceDetail) -> str:
    assert detail.largest is not None
    sign = f"{detail.largest:.4g}"
    if detail.largest == 0:
        return translate("Changes", "equal value, different bits")
    if detail.where:
        place = ", ".join(map(str, detail.where))
        sign = translate("Changes", "{0} at [{1}]").format(sign, place)
    if detail.relative is None:
        return sign
    return translate("Changes", "{0} ({1})").format(sign, _share(detail.relative))


def _share(relative: float) -> str:
    return f"{relative:.3g}×" if relative >= 10 else f"{100 * relative:.3g} %"


def role_text(role: ItemRole) -> str:
    """Return the role of a value in its step, in one or two words."""
    roles: dict[ItemRole, str] = {
        "input": translate("Changes", "input"),
        "output": translate("Changes", "output"),
        "saved": translate("Changes", "saved"),
        "root": translate("Changes", "initial gradient"),
        "incoming": translate("Changes", "incoming"),
        "received": translate("Changes", "received"),
        "returned": translate("Changes", "returned"),
        "passed": translate("Changes", "passed on"),
        "contribution": translate("Changes", "contribution"),
        "total": translate("Changes", "total"),
        "result": translate("Changes", "result"),
        "local": translate("Changes", "variable"),
        "value": translate("Changes", "returned"),
        "raised": translate("Changes", "raised"),
    }
    return roles[role]
