"""The Jacobians of a check as data of the page, with verdict and diagnosis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.color_map import HeatValues
from gradviz.drawing.cells.cells import Cells
from gradviz.drawing.cells.pair_matrices import MATRICES, PairMatrices, read_matrices
from gradviz.export.check.verdict import (
    block_place,
    block_sentence,
    diagnosis_sentence,
    outcome_role,
    outcome_sentence,
    problem_sentence,
    settings_words,
)
from gradviz.export.page.page_tensors import cells_json
from gradviz.model.jacobian_report import JacobianReport
from gradviz.text.phrases import shape_text
from gradviz.text.titles import with_display_title

MOST_PAIRS = 6
MOST_SIDE = 64
"""Rows and columns of cells that the map of a pair has at most."""


def jacobian_data(index: TraceIndex) -> list[dict[str, Any]]:
    """Build a list with an object for each stored check.

    Args:
        index: The trace.

    Returns:
        ``{title, outcome, role, settings, diagnoses, problems, pairs, notes}`` for each check; a
        pair is ``{title, sentence, rows, columns, pooled, wrong, worst, maps, notes}``.
    """
    return [_check(index, report) for report in index.trace.reports]


def _check(index: TraceIndex, report: JacobianReport) -> dict[str, Any]:
    # Pairs with wrong elements first; the others stay in order.
    blocks = sorted(report.blocks, key=lambda each: each.wrong == 0)
    found = (read_matrices(report, each, index.value) for each in blocks if each.count)
    pairs = [_pair(each) for each in found if each is not None]
    more = len(pairs) - MOST_PAIRS
    title = with_display_title(report, index.trace.origin).subject
    return {
        "title": visible_text(title or say("heatmap.untitled")),
        "outcome": visible_text(outcome_sentence(report)),
        "role": outcome_role(report),
        "settings": visible_text(settings_words(report, "")),
        "diagnoses": [
            {
                "sentence": visible_text(diagnosis_sentence(report, each)),
                "evidence": _plain(
                    [*each.evidence, *([each.repair.message] if each.repair else [])]
                ),
            }
            for each in report.diagnoses
        ],
        "problems": _plain([problem_sentence(each) for each in report.problems]),
        "pairs": pairs[:MOST_PAIRS],
        "notes": [say_count("heatmap.left_out", more)] if more > 0 else [],
    }


def _plain(texts: Sequence[str]) -> list[str]:
    return [visible_text(each) for each in texts]


def _pair(maps: PairMatrices) -> dict[str, Any]:
    block = maps.block
    rows, columns = (math.ceil(each / MOST_SIDE) for each in maps.shape)
    marks, worst = maps.wrong.cells // (rows, columns), maps.worst
    notes = []
    if (rows, columns) != (1, 1):
        notes.append(say("heatmap.pooled", rows=rows, columns=columns))
    if maps.is_complex:
        notes.append(say("heatmap.magnitudes"))
    return {
        "title": visible_text(block_place(block)),
        "sentence": visible_text(block_sentence(block)),
        "rows": _side(block.input_name, block.input_shape),
        "columns": _side(block.output_name, block.output_shape),
        "pooled": [rows, columns],
        "wrong": np.unique(marks, axis=0).tolist(),
        "worst": None if worst is None else [worst[0] // rows, worst[1] // columns],
        "maps": [
            _map(name, each, (rows, columns), is_complex=maps.is_complex)
            for name, each in zip(MATRICES, maps.layers, strict=True)
        ],
        "notes": notes,
    }


def _side(name: str, shape: tuple[int, ...]) -> dict[str, Any]:
    return {"name": visible_text(name), "shape": list(shape), "text": shape_text(shape)}


def _map(name: str, cells: Cells, steps: tuple[int, int], *, is_complex: bool) -> dict[str, Any]:
    shown = pooled(cells.heat, steps)
    if steps == (1, 1) and not is_complex:
        shown = np.real(without_noise_in_cells(cells.plane.values))
    return {
        "title": say(f"matrix.{name}"),
        **cells_json(shown, cells.colors.limit),
    }


def pooled(heat: HeatValues, steps: tuple[int, int]) -> HeatValues:
    """Reduce each block to its element of largest magnitude; NaN and infinity come first."""
    for axis, step in enumerate(steps):
        if step > 1:
            heat = _pooled_along(heat, axis, step)
    return heat


def _pooled_along(heat: HeatValues, axis: int, step: int) -> HeatValues:
    starts = np.arange(0, heat.shape[axis], step)
    with np.errstate(invalid="ignore"):
        # maximum and minimum propagate NaN, and an infinity is larger than everything else.
        high = np.maximum.reduceat(heat, starts, axis=axis)
        low = np.minimum.reduceat(heat, starts, axis=axis)
        chosen: HeatValues = np.where(high >= -low, high, low)
    return np.where(np.isnan(high), np.nan, chosen)
