"""Data of the page's Compare tab: each pair of steps with its values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from gradviz.analysis.compare.run_comparison import (
    ComparedValue,
    Mismatch,
    RunComparison,
    differing_places,
)
from gradviz.analysis.compare.step_pairing import StepPair
from gradviz.analysis.compare.tensor_difference import value_difference
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import position_path
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import shared_color_limit, side_by_side_limits
from gradviz.export.page.page_steps import MOST_STEPS
from gradviz.export.page.page_tensors import MOST_ELEMENTS, PageTensors
from gradviz.model.tensor import TensorValue
from gradviz.text.compare import (
    comparison_summary,
    mismatch_sentence,
    short_value_name,
    side_title,
    verdict_text,
)
from gradviz.text.narration import describe_step
from gradviz.text.scope import scope_notes

_SIDES = ("left", "right")

MOST_VALUES = 100
"""Values of a pair of steps that the page has at most."""


def compare_data(found: RunComparison) -> dict[str, Any]:
    """Build what the page shows of a comparison.

    Args:
        found: The comparison; its left run is that of the page.

    Returns:
        ``{left, right, outcome, summary, counts, notes, tensors, pairs}``. A pair is ``{left,
        right, verdict, sentence, other, how, matters, line, values, note}``, with a value as
        ``{name, role, text, differs, sides}``, whose sides are the values of both runs and their
        difference. Outcome, summary, verdicts and texts are those of ``gradviz compare --format
        json``.
    """
    verdicts = {
        (each.left, each.right): each.verdict for each in (*found.roundings, *found.mismatches)
    }
    mismatches = {(each.left, each.right): each for each in found.mismatches}
    pairs = found.pairs.in_order()
    shown = _shown_pairs(pairs, mismatches)
    values = _ValuePairs(found)
    left_out = len(pairs) - len(shown)
    members = [
        {
            "verdict": verdicts.get(pair, "equal"),
            **_pair(found, pair, mismatches.get(pair)),
            **values.of(pair),
        }
        for pair in shown
    ]
    return {
        **{side: _side(index) for side, index in _sides(found)},
        "outcome": found.outcome,
        "summary": visible_text(comparison_summary(found)),
        "counts": [format_count(len(each)) for each in (mismatches, pairs)],
        "notes": [say_count("compare.not_in_page", left_out)] if left_out else [],
        "tensors": values.tensors,
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
    return {"title": side_title(index), "about": visible_text(about)}


def _pair(
    found: RunComparison,
    pair: StepPair,
    mismatch: Mismatch | None,
) -> dict[str, Any]:
    sentences = [
        None if number is None else describe_step(index, index.trace.steps[number - 1])
        for (_, index), number in zip(_sides(found), pair, strict=True)
    ]
    left, right = (
        None if each is None else visible_text(each.splitlines()[0]) for each in sentences
    )
    line, _ = (None, None) if mismatch is None else differing_places(found, *pair)
    return {
        "left": pair[0],
        "right": pair[1],
        "sentence": left or right,
        "other": right if left is not None and left != right else None,
        "how": None if mismatch is None else visible_text(mismatch_sentence(found, mismatch)),
        "matters": mismatch is not None and found.matters(mismatch),
        "line": None if line is None or line.line is None else position_path(line),
    }


class _ValuePairs:
    """Encodes values of both runs, with their difference and the color scale of all three."""

    def __init__(self, found: RunComparison) -> None:
        self._found, pool = found, dict[str, int]()
        self._tensors = tuple(
            PageTensors(index, MOST_ELEMENTS // 4, pool) for _, index in _sides(found)
        )

    @property
    def tensors(self) -> list[dict[str, Any]]:
        """The tensors of both runs."""
        return self._tensors[0].tensors

    def of(self, pair: StepPair) -> dict[str, Any]:
        """Build ``{values, note}`` with the values of two steps; differences come first.

        The end of a pass has no values of its own; it sums up what the leaves received.
        """
        compared = sorted(
            self._found.values(*pair) or self._found.received(*pair),
            key=lambda each: (not each.differs, each.difference.verdict == "equal"),
        )
        shown = compared[:MOST_VALUES]
        kept = [self._kept(each) for each in shown]
        ends = [(0.0, shared_color_limit([value.array() for value in each])) for each in kept]
        limits = side_by_side_limits(dict(enumerate(ends)))
        left_out = len(compared) - len(shown)
        return {
            "values": [self._value(each, limits[at]) for at, each in enumerate(shown)],
            "note": say_count("compare.values_not_in_page", left_out) if left_out else None,
        }

    def _value(self, value: ComparedValue, limit: float) -> dict[str, Any]:
        pair = value.pair
        data: dict[str, Any] = {
            "name": visible_text(short_value_name(pair)),
            "role": pair.role,
            "text": visible_text(verdict_text(self._found, value)),
            "differs": value.differs,
            "sides": [],
        }
        if value.difference.verdict == "equal":
            # The page has the value itself in its steps.
            return data
        for side, tensors, item in zip(_SIDES, self._tensors, (pair.left, pair.right), strict=True):
            if item is not None:
                title = say(f"page.compare.value.{side}")
                data["sides"].append(tensors.item(item, title, limit))
        for difference in self._kept(value)[2:]:
            title = say("page.compare.value.difference")
            data["sides"].append(self._tensors[0].computed(difference, title, limit))
        return data

    def _kept(self, value: ComparedValue) -> list[TensorValue]:
        """The elements of both sides and their difference, of which the page has the room."""
        if value.difference.verdict == "equal":
            return []
        items = zip(self._tensors, (value.pair.left, value.pair.right), strict=True)
        sides = [None if item is None else tensors.whole(item.tensor) for tensors, item in items]
        found = (*sides, value_difference(*sides))
        return [each for each in found if each is not None]
