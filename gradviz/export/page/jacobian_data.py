"""The Jacobians of a check as data of the page, with verdict and diagnosis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.export.check.element_names import block_place, block_sentence
from gradviz.export.check.heatmap_cells import (
    HeatmapCells,
    JacobianHeatmaps,
    jacobian_heatmaps,
)
from gradviz.export.check.verdict import (
    diagnosis_sentence,
    outcome_role,
    outcome_sentence,
    problem_sentence,
    settings_words,
)
from gradviz.model.codec import float_to_json
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValues
from gradviz.model.trace import Trace
from gradviz.text.titles import with_display_title

MOST_PAIRS = 6
MOST_SIDE = 64
"""Rows and columns of cells that the map of a pair has at most."""


def jacobian_data(trace: Trace, values: TensorValues) -> list[dict[str, Any]]:
    """Build a list with an object for each stored check.

    Args:
        trace: The trace.
        values: Reads the elements of a tensor by id.

    Returns:
        ``{title, outcome, role, settings, diagnoses, problems, pairs, notes}`` for each check; a
        pair is ``{title, sentence, rows, columns, pooled, wrong, worst, maps, notes}``.
    """
    return [_check(trace, report, values) for report in trace.reports]


def _check(trace: Trace, report: JacobianReport, values: TensorValues) -> dict[str, Any]:
    # Pairs with wrong elements first; the others stay in order.
    blocks = sorted(report.blocks, key=lambda each: each.wrong == 0)
    found = (jacobian_heatmaps(report, each, values, MOST_SIDE) for each in blocks)
    pairs = [_pair(each) for each in found if each is not None]
    more = len(pairs) - MOST_PAIRS
    title = with_display_title(report, trace.origin).subject
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


def _pair(maps: JacobianHeatmaps) -> dict[str, Any]:
    block = maps.block
    notes = []
    if maps.pooled != (1, 1):
        notes.append(say("heatmap.pooled", rows=maps.pooled[0], columns=maps.pooled[1]))
    if maps.is_complex:
        notes.append(say("heatmap.magnitudes"))
    return {
        "title": visible_text(block_place(block)),
        "sentence": visible_text(block_sentence(block)),
        "rows": {"name": visible_text(block.input_name), "shape": list(block.input_shape)},
        "columns": {"name": visible_text(block.output_name), "shape": list(block.output_shape)},
        "pooled": list(maps.pooled),
        "wrong": np.argwhere(maps.wrong).tolist(),
        "worst": None if maps.worst is None else [int(each) for each in maps.worst],
        "maps": [_map(maps, each) for each in maps.cells],
        "notes": notes,
    }


def _map(maps: JacobianHeatmaps, cells: HeatmapCells) -> dict[str, Any]:
    shown = cells.heat
    if cells.values is not None and not maps.is_complex:
        shown = np.real(without_noise_in_cells(cells.values))
    return {
        "title": say(f"matrix.{cells.name}"),
        "limit": float_to_json(float(cells.limit)),
        "values": [[float_to_json(float(each)) for each in row] for row in shown],
    }
