"""Data of the page's Compare tab: each pair of steps with its values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from gradviz.analysis.compare.differing_lines import differing_places
from gradviz.analysis.compare.run_comparison import ComparedValue, Mismatch, RunComparison
from gradviz.analysis.compare.step_pairing import StepPair
from gradviz.analysis.compare.tensor_difference import value_difference
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say_count
from gradviz.drawing.appearance.color_map import shared_color_limit, side_by_side_limits
from gradviz.export.page.run_data import MOST_ELEMENTS, MOST_STEPS, PageValues, TensorPool
from gradviz.export.steps.item_encoder import ItemEncoder
from gradviz.export.tensor.json_value import nested_elements
from gradviz.model.item import Item
from gradviz.model.tensor import TensorValue
from gradviz.text.compare import (
    comparison_summary,
    mismatch_sentence,
    short_value_name,
    verdict_text,
)
from gradviz.text.narration import describe_step
from gradviz.text.scope import scope_notes
from gradviz.text.titles import origin_title

MOST_VALUES = 100
"""Values of a pair of steps that the page has at most."""


def compare_data(found: RunComparison) -> dict[str, Any]:
    """Build what the page shows of a comparison.

    Args:
        found: The comparison; its left run is that of the page.

    Returns:
        ``{left, right, outcome, summary, counts, notes, tensors, pairs}``. A pair is ``{left,
        right, verdict, sentence, other, how, matters, line, values, note}``, with a value as
        ``{name, role, text, verdict, differs, left, right, difference, limit}``. Outcome, summary,
        verdicts and texts are those of ``gradviz compare --format json``.
    """
    verdicts = {
        (each.left, each.right): each.verdict for each in (*found.roundings, *found.mismatches)
    }
    mismatches = {(each.left, each.right): each for each in found.mismatches}
    pairs = found.pairs.in_order()
    shown = _shown_pairs(pairs, mismatches)
    values, pool = _ValuePairs(found), TensorPool()
    left_out = len(pairs) - len(shown)
    members = [
        {
            "verdict": verdicts.get(pair, "equal"),
            **pool.pooled(_pair(found, pair, mismatches.get(pair))),
            **pool.pooled(values.of(pair)),
        }
        for pair in shown
    ]
    return {
        **pool.pooled({side: _side(index) for side, index in _sides(found)}),
        "outcome": found.outcome,
        "summary": pool.pooled(comparison_summary(found)),
        "counts": [format_count(len(each)) for each in (mismatches, pairs)],
        "notes": [say_count("compare.not_in_page", left_out)] if left_out else [],
        "tensors": pool.tensors,
        "pairs": members,
    }


def _shown_pairs(pairs: Sequence[StepPair], mismatches: dict[StepPair, Mismatch]) -> list[StepPair]:
    """The first pairs, and the first of those that differ, in order."""
    kept = {*pairs[:MOST_STEPS], *islice(mismatches, MOST_STEPS)}
    return [each for each in pairs if each in kept]


def _sides(found: RunComparison) -> tuple[tuple[str, TraceIndex], tuple[str, TraceIndex]]:
    return ("left", found.left), ("right", found.right)


def _side(index: TraceIndex) -> dict[str, str]:
    origin = index.trace.origin
    about = " · ".join((origin.subject, *scope_notes(index.trace.scope), origin.device))
    return {"title": origin_title(origin), "about": about}


def _pair(
    found: RunComparison,
    pair: StepPair,
    mismatch: Mismatch | None,
) -> dict[str, Any]:
    sentences = [
        None if number is None else describe_step(index, index.trace.steps[number - 1])
        for (_, index), number in zip(_sides(found), pair, strict=True)
    ]
    left, right = (None if each is None else each.splitlines()[0] for each in sentences)
    line, _ = (None, None) if mismatch is None else differing_places(found, *pair)
    return {
        "left": pair[0],
        "right": pair[1],
        "sentence": left or right,
        "other": right if left is not None and left != right else None,
        "how": None if mismatch is None else mismatch_sentence(found, mismatch),
        "matters": mismatch is not None and found.matters(mismatch),
        "line": None if line is None or line.line is None else position_path(line),
    }


class _ValuePairs:
    """Encodes values of both runs, with their difference and the color scale of all three."""

    def __init__(self, found: RunComparison) -> None:
        self._found = found
        self._kept = tuple(
            PageValues(index, index.value, MOST_ELEMENTS // 4) for _, index in _sides(found)
        )
        self._encoders = tuple(
            ItemEncoder(index, kept.read)
            for (_, index), kept in zip(_sides(found), self._kept, strict=True)
        )

    def of(self, pair: StepPair) -> dict[str, Any]:
        """Build ``{values, note}`` with the values of two steps; differences come first.

        The end of a pass has no values of its own; it sums up what the leaves received.
        """
        compared = sorted(
            self._found.values(*pair) or self._found.received(*pair),
            key=lambda each: (not each.differs, each.difference.verdict == "equal"),
        )
        rows = [self._value(each) for each in compared[:MOST_VALUES]]
        limits = side_by_side_limits({at: (0.0, limit) for at, (_, limit) in enumerate(rows)})
        left_out = len(compared) - len(rows)
        return {
            "values": [data | {"limit": limits[at]} for at, (data, _) in enumerate(rows)],
            "note": say_count("compare.values_not_in_page", left_out) if left_out else None,
        }

    def _value(self, value: ComparedValue) -> tuple[dict[str, Any], float]:
        """A value, and the end of its own color scale."""
        pair, verdict = value.pair, value.difference.verdict
        data: dict[str, Any] = {
            "name": short_value_name(pair),
            "role": pair.role,
            "text": verdict_text(self._found, value),
            "verdict": verdict,
            "differs": value.differs,
        }
        if verdict == "equal":
            # The page has the value itself in its steps.
            return data, 0.0
        items = (pair.left, pair.right)
        sides = [self._elements(side, item) for side, item in enumerate(items)]
        difference = value_difference(sides[0], sides[1])
        arrays = [each.array() for each in (*sides, difference) if each is not None]
        encoded = [
            None if item is None else encoder.item(item)
            for encoder, item in zip(self._encoders, items, strict=True)
        ]
        data |= {"left": encoded[0], "right": encoded[1], "difference": _difference(difference)}
        return data, shared_color_limit(arrays)

    def _elements(self, side: int, item: Item | None) -> TensorValue | None:
        """All elements of one side; None if it has none, or only a sample."""
        if item is None or item.tensor is None:
            return None
        record = (self._found.left, self._found.right)[side].tensor.bare(item.tensor)
        return self._kept[side].read(item.tensor) if record.content == "whole" else None


def _difference(value: TensorValue | None) -> dict[str, Any] | None:
    if value is None:
        return None
    return {
        "name": "",
        "dtype": value.dtype,
        "shape": list(value.shape),
        "values": nested_elements(value.array()),
    }
