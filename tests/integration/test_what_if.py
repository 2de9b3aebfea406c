"""All that the window offers to change of a scene can be changed, as the worker runs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.gallery.catalogue import SCENES, Scene, offer_of
from gradviz.model.change_targets import Candidate, candidates_at
from gradviz.model.changes import Change
from gradviz.model.differences import compare
from gradviz.model.index import Index
from gradviz.protocol.messages import Run
from gradviz.store.reader import open_trace
from gradviz.worker.run import run


def candidates(index: Index, names: list[str]) -> list[Candidate]:
    steps = range(1, len(index.trace.steps) + 1)
    found = {each.target: each for number in steps for each in candidates_at(index, number, names)}
    return list(found.values())


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.id)
def test_each_thing_that_is_offered_is_changed(scene: Scene, tmp_path: Path) -> None:
    offer = offer_of(scene)
    assert run(Run(offer=offer, trace=str(tmp_path / "old.gradviz"), level="lines")) == ""
    with open_trace(tmp_path / "old.gradviz") as old:
        index = old.index()
        found = candidates(index, [spec.name for spec in offer.inputs])
        assert found
        for number, each in enumerate(found):
            record = index.tensor.bare(each.tensor)
            change = Change(
                target=each.target, dtype=record.dtype, shape=record.shape, way="scale", factor=3.0
            )
            path = tmp_path / f"{number}.gradviz"
            request = Run(offer=offer, trace=str(path), level="lines", changes=(change,))
            assert run(request) == ""
            with open_trace(path) as new:
                changed = new.index()
                assert changed.trace.changes[0].applied, each
                differences = compare(index, changed)
                assert differences.alignment.diverged is None
                assert differences.steps != ()
