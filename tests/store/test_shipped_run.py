"""The shipped recording of the first scene equals a fresh one, and names no path of its machine."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gradviz
from gradviz.gallery.registry import FIRST_SCENE
from gradviz.model.trace import Trace
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from gradviz.store.shipped_run import FIRST_RUN, unpack_first_run
from tools.first_run import record

COUNTED = ("created", "sequence_nr")
"""What depends on the moment, and on how much the process has run before."""
VERSIONS = ("gradviz", "python", "torch", "numpy", "platform")


def plain(value: Any) -> Any:
    """A value without times and versions, which differ in each recording."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        left_out = (*COUNTED, *(VERSIONS if "torch" in fields else ()))
        kept = [name for name in fields if name not in left_out and not name.endswith("_ns")]
        return type(value).__name__, {name: plain(getattr(value, name)) for name in kept}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(each) for each in value]
    return value


def content(path: Path) -> tuple[Trace, Any, list[Any]]:
    with open_trace(path) as reader:
        trace = reader.trace()
        return trace, plain(trace), [reader.value(tensor.id) for tensor in trace.tensors]


def test_shipped_run_equals_a_fresh_recording(tmp_path: Path) -> None:
    record(tmp_path / "fresh.gradviz")
    unpack_first_run(tmp_path / "shipped.gradviz")
    fresh, fresh_plain, fresh_values = content(tmp_path / "fresh.gradviz")
    shipped, shipped_plain, shipped_values = content(tmp_path / "shipped.gradviz")
    assert shipped.origin.subject == f"scene:{FIRST_SCENE}"
    assert len(shipped.steps) == len(fresh.steps) > 0
    assert shipped_plain == fresh_plain, "run `make first-run`"
    # Values compare as bytes.
    assert shipped_values == fresh_values


def test_shipped_run_has_the_paths_of_this_machine_only_once_unpacked(tmp_path: Path) -> None:
    package = str(Path(gradviz.__file__).resolve().parent)
    unpack_first_run(tmp_path / "shipped.gradviz")
    with open_trace(tmp_path / "shipped.gradviz") as reader:
        assert [source.path for source in reader.trace().sources if "<" not in source.path] == [
            f"{package}/gallery/scenes/linear.py"
        ]
    packed = resource_path(FIRST_RUN).read_bytes()
    assert package.encode() not in packed
    assert b"/home/" not in packed
