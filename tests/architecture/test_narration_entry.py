"""All sentences come from one entry point, so that they agree everywhere."""

from __future__ import annotations

from pathlib import PurePosixPath

from tests.architecture.layers import imports
from tests.architecture.modules import modules

MAKERS = tuple(
    f"gradviz.text.sentences.{name}"
    for name in ("dispatch", "line", "op", "phase", "second_order", "stage", "step", "training")
)


def test_only_the_door_imports_what_makes_sentences() -> None:
    users = set()
    for module in modules().values():
        if any(each.name in MAKERS for each in imports(module.path, module.tree)):
            users.add(module.path)
    own = {place for place in users if place.parent == PurePosixPath("text/sentences")}
    assert users - own == {PurePosixPath("text/narration.py")}
    assert own
