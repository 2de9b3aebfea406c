"""The shipped recordings equal fresh ones, and name no path of their machine."""

from __future__ import annotations

import site
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

import gradviz
from gradviz.catalogue.language import current_language, load_language
from gradviz.gallery.registry import FIRST_SCENE
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from gradviz.model.trace import Trace
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from gradviz.store.shipped_run import (
    FIRST_RUN,
    lesson_archive,
    lesson_run_keys,
    unpack_first_run,
    unpack_lesson_run,
)
from tests.sweeps import thinned
from tools.first_run import pack, record
from tools.lesson_runs import LANGUAGES, runs_of
from tools.lesson_runs import record as record_for_lesson

COUNTED = ("created", "sequence_nr")
"""What depends on the moment, and on how much the process has run before."""
VERSIONS = ("gradviz", "python", "torch", "numpy", "platform")

UNINITIALIZED = {("nn-linear", 1), ("nn-linear", 3)}
"""Parameters in the memory that ``torch.empty`` gave them, before their module fills it."""


def plain(value: Any) -> Any:
    """A value without times and versions, which differ in each recording."""
    if isinstance(value, Struct):
        fields = value.__struct_fields__
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


@pytest.fixture(params=thinned(LANGUAGES, len(LANGUAGES)))
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    before = current_language()
    load_language(request.param)
    yield request.param
    load_language(before)


@pytest.mark.sweep
def test_runs_of_lessons_equal_fresh_recordings(tmp_path: Path, language: str) -> None:
    runs = runs_of([shipped_lesson(name) for name in LESSONS])
    assert runs.keys() == lesson_run_keys(language), "run `make lesson-runs`"
    shipped, fresh = tmp_path / "shipped.gradviz", tmp_path / "fresh.gradviz"
    archive = zipfile.ZipFile(lesson_archive(language))
    for key, (offer, checked) in runs.items():
        fresh.unlink(missing_ok=True)
        record_for_lesson(offer, fresh, checked=checked)
        pack(fresh, fresh)
        shipped.write_bytes(archive.read(key))
        trace, shipped_plain, shipped_values = content(shipped)
        _, fresh_plain, fresh_values = content(fresh)
        assert trace.steps, key
        assert bool(trace.reports) == checked
        assert shipped_plain == fresh_plain, f"{key}: run `make lesson-runs`"
        pairs = zip(trace.tensors, shipped_values, fresh_values, strict=True)
        differing = {(key, tensor.id) for tensor, one, other in pairs if one != other}
        assert differing <= UNINITIALIZED


def test_runs_of_lessons_name_no_path_of_their_machine(tmp_path: Path, language: str) -> None:
    here = str(Path(gradviz.__file__).resolve().parents[1])
    with zipfile.ZipFile(lesson_archive(language)) as archive:
        for key in archive.namelist():
            packed = archive.read(key)
            for path in (here, *site.getsitepackages(), "/home/", "/root/", "/tmp/"):
                assert path.encode() not in packed, (key, path)
            unpack_lesson_run(language, key, tmp_path / "run.gradviz")
            with open_trace(tmp_path / "run.gradviz") as reader:
                paths = [source.path for source in reader.trace().sources]
            assert all(Path(path).is_file() for path in paths if "<" not in path), key
