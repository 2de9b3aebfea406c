"""Every change that the window offers for a scene works in the worker."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.analysis.compare.exact_differences import compare_exactly
from gradviz.analysis.compare.what_if_targets import Candidate, Changeable, candidates_at
from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.gallery.registry import Scene, offer_of
from gradviz.model.inputs import Offer
from gradviz.model.step import PassBeginStep
from gradviz.model.what_if import WhatIfChange
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace
from gradviz.worker.run import run
from tests.sweeps import PARTS, scene_of_each_kind

_MOST = 12
"""Of more, some are changed, evenly taken: each is a run of its own."""


def candidates(index: TraceIndex, offer: Offer) -> list[Candidate]:
    steps = range(1, len(index.trace.steps) + 1)
    before = Changeable.of(offer)
    found = {each.target: each for number in steps for each in candidates_at(index, number, before)}
    return list(found.values())


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("scene", scene_of_each_kind())
def test_each_offered_change_can_be_made(scene: Scene, part: int, tmp_path: Path) -> None:
    offer = offer_of(scene)
    failed = run(RunRequest(offer=offer, trace=str(tmp_path / "old.gradviz"), level="all"))
    assert bool(failed.problem) == scene.fails
    with open_trace(tmp_path / "old.gradviz") as old:
        index = index_reader(old)
        found = candidates(index, offer)
        assert found or scene.id == "scalar-tensor"
        chosen = found[:: len(found) // _MOST + 1]
        kinds = {type(each.target): each for each in reversed(found)}
        first = list(kinds.values()) if part == 0 else []
        for number, each in enumerate(dict.fromkeys([*first, *chosen[part::4]])):
            _change(scene, index, each, tmp_path / f"{number}.gradviz")


def _change(scene: Scene, index: TraceIndex, each: Candidate, path: Path) -> None:
    """Scale by three; without effect only on bools, and if all elements are zero."""
    record, value = index.tensor.bare(each.tensor), index.value(each.tensor)
    assert value is not None
    change = WhatIfChange(
        target=each.target, dtype=record.dtype, shape=record.shape, way="scale", factor=3.0
    )
    request = RunRequest(offer=offer_of(scene), trace=str(path), level="all", changes=(change,))
    is_index = record.dtype == "int64"  # Three times as high, it may lie outside.
    failed = run(request)
    assert bool(failed.problem) == scene.fails or is_index, failed
    with open_trace(path) as new:
        changed = index_reader(new)
        record = changed.trace.changes[0]
        if scene.fails and not record.applied:
            assert record.problem
            return
        assert record.applied, each
        if failed and is_index:
            return
        differences = compare_exactly(index, changed)
        begins = [step for step in index.trace.steps if isinstance(step, PassBeginStep)]
        in_graph = any(step.create_graph for step in begins)
        # In a pass that is recorded, the change itself is an op.
        assert differences.alignment.diverged is None or in_graph
        is_changed = value.dtype != "bool" and value.array().any()
        assert differences.steps != () or not is_changed
