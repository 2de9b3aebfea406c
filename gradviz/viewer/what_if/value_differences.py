"""Values at the current position in the original and the changed run."""

from __future__ import annotations

from dataclasses import replace

from gradviz.analysis.compare.exact_differences import (
    DifferenceDetail,
    ExactDifferences,
    ExactVerdict,
    detail_of,
)
from gradviz.analysis.compare.item_pairs import ValuePair, matching_position, pairs_at_position
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count, percent_text
from gradviz.catalogue.numbers import number_text
from gradviz.viewer.compare.value_pairs import PairedValue, paired_value, side_by_side
from gradviz.viewer.translation import translate


def value_differences_at(
    old: TraceIndex, new: TraceIndex, differences: ExactDifferences, place: TracePosition
) -> list[PairedValue]:
    """Return the values at a position of the new run and the matching one of the old run."""
    before = matching_position(old, new, place, differences.alignment.old(place.step))
    pairs = pairs_at_position(old, new, before, place)
    return side_by_side([_row(old, new, pair, differences.verdict(pair)) for pair in pairs])


def _row(old: TraceIndex, new: TraceIndex, pair: ValuePair, verdict: ExactVerdict) -> PairedValue:
    agrees = verdict in ("equal", "alike", "unknown")
    row = paired_value((old, new), pair, comparison="", agrees=agrees, same=verdict == "equal")
    detail, values = None, (row.left.value, row.right.value)
    if verdict == "differs" and values[0] is not None and values[1] is not None:
        alike = (values[0].dtype, values[0].shape) == (values[1].dtype, values[1].shape)
        whole = row.right.record is not None and row.right.record.content == "whole"
        detail = detail_of(values[0], values[1], whole=whole) if alike else None
    return replace(row, comparison=change_text(verdict, detail))


def change_text(verdict: ExactVerdict, detail: DifferenceDetail | None) -> str:
    """Describe how much two values differ."""
    match verdict:
        case "equal":
            return translate("Changes", "equal bit for bit")
        case "alike":
            return translate("Changes", "equal in the stored part")
        case "unknown":
            return translate("Changes", "unknown, because not stored")
        case "only_left":
            return translate("Changes", "only in the original run")
        case "only_right":
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
    sign = number_text(detail.largest)
    if detail.largest == 0:
        return translate("Changes", "equal value, different bits")
    if detail.where:
        place = ", ".join(map(str, detail.where))
        sign = translate("Changes", "{0} at [{1}]").format(sign, place)
    if detail.relative is None:
        return sign
    return translate("Changes", "{0} ({1})").format(sign, _share(detail.relative))


def _share(relative: float) -> str:
    if relative >= 10:
        return f"{number_text(relative, 3)}×"
    return percent_text(number_text(100 * relative, 3))
