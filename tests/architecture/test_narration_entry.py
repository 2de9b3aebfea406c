"""All sentences come from one entry point, so that they agree everywhere."""

from __future__ import annotations

from pathlib import PurePosixPath

from tests.architecture.layers import PACKAGE, imports

MAKERS = tuple(
    f"gradviz.text.sentences.{name}"
    for name in ("dispatch", "line", "op", "phase", "second_order", "stage", "step", "training")
)


def test_only_the_door_imports_what_makes_sentences() -> None:
    users = set()
    for path in PACKAGE.rglob("*.py"):
        place = PurePosixPath(path.relative_to(PACKAGE).as_posix())
        names = [each.name for each in imports(place, path.read_text(encoding="utf-8"))]
        if any(name in MAKERS for name in names):
            users.add(place)
    own = {place for place in users if place.parent == PurePosixPath("text/sentences")}
    assert users - own == {PurePosixPath("text/narration.py")}
    assert own
