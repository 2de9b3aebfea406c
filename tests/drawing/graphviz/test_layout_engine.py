"""A layout can be cancelled, reports failures in sentences, and leaves no process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.catalogue import optional_packages
from gradviz.catalogue.installation import install_command
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.graphviz import layout_engine
from gradviz.drawing.graphviz.layout_dot import LayoutStyle
from gradviz.drawing.graphviz.layout_engine import (
    LayoutError,
    available_engines,
    lay_out,
    lay_out_all,
    run_child,
    run_engine,
)
from tests.builders import linear_trace
from tests.drawing.graphs import drawn

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def picture() -> tuple[DrawnGraph, GraphGeometry]:
    graph = drawn(index_trace(linear_trace()))
    return graph, graph_geometry(graph, font_measure())


def test_a_long_text_reaches_a_child_that_starts_slowly():
    slow = "import sys, time; time.sleep(0.2); print(len(sys.stdin.buffer.read()))"
    text = b"x" * 1_000_000
    output = run_child([sys.executable, "-c", slow], text, name="slow", timeout_s=20)
    assert output.split() == [b"1000000"]


def test_a_child_is_killed_when_its_time_is_over():
    with pytest.raises(LayoutError, match=r"stopped after 0\.2 seconds") as caught:
        run_child(SLEEP, b"", name="sleep", timeout_s=0.2)
    assert caught.value.reason == "timed_out"


def test_a_child_is_killed_when_it_is_cancelled():
    wanted = threading.Event()
    timer = threading.Timer(0.15, wanted.set)
    timer.start()
    begin = time.monotonic()
    with pytest.raises(LayoutError, match="canceled") as caught:
        run_child(SLEEP, b"", name="sleep", timeout_s=60, cancelled=wanted.is_set)
    timer.join()
    assert caught.value.reason == "cancelled"
    assert time.monotonic() - begin < 10


def test_a_crash_is_reported_with_the_stderr_of_the_child():
    crash = "import os, sys; sys.stderr.write('out of cheese\\n'); sys.stderr.flush(); os.abort()"
    with pytest.raises(LayoutError, match=r"dot exited with code -6: out of cheese") as caught:
        run_child([sys.executable, "-c", crash], b"", name="dot", timeout_s=20)
    assert caught.value.reason == "crashed"


def test_an_engine_that_exits_silently_is_a_crash():
    with pytest.raises(LayoutError, match="it produced no output"):
        run_child([sys.executable, "-c", ""], b"", name="dot", timeout_s=20)


@pytest.mark.parametrize("engine", ["dot", "library"])
def test_text_that_is_no_graph_is_refused_by_both(engine: layout_engine.LayoutEngine):
    with pytest.raises(LayoutError) as caught:
        run_engine("this is no graph {", engine, timeout_s=20)
    assert caught.value.reason == "crashed"


def test_both_engines_are_found():
    assert available_engines() == ("dot", "library")


def test_without_dot_the_library_does_it(
    picture: tuple[DrawnGraph, GraphGeometry], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert available_engines() == ("library",)
    assert len(lay_out(*picture).boxes) == len(picture[1].boxes)


@pytest.mark.parametrize("engine", ["dot", "library"])
def test_several_drawings_are_laid_out_together(
    picture: tuple[DrawnGraph, GraphGeometry], engine: layout_engine.LayoutEngine
):
    styles = LayoutStyle(), LayoutStyle(horizontal=True), LayoutStyle(tight=True, saved_below=True)
    requests = [(*picture, style) for style in styles]
    upward, leftward, dense = together = lay_out_all(requests, engine=engine)
    assert together == [lay_out_all([each], engine=engine)[0] for each in requests]
    assert leftward.width > leftward.height
    assert dense.height > 0
    assert upward.height > leftward.height
    ids = [each.id for each in picture[0].nodes]
    node, saved = (dense.boxes[ids.index(name)] for name in ("n1", "s1"))
    assert saved.y >= node.y + node.height


def test_without_any_engine_the_sentence_says_what_to_install(
    picture: tuple[DrawnGraph, GraphGeometry], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PATH", "")
    for module in (layout_engine, optional_packages):
        monkeypatch.setattr(module, "find_spec", lambda name: None)
    said = f"or install pygraphviz with: {install_command('draw')}"
    with pytest.raises(LayoutError, match=f"{re.escape(said)}$") as caught:
        lay_out(*picture)
    assert caught.value.reason == "no_engine"


@pytest.mark.skipif(os.name == "nt", reason="a script as dot needs a POSIX system")
@pytest.mark.parametrize("body", ["kill -SEGV $$", "echo '{}'", "echo oops >&2; exit 1"])
def test_where_dot_fails_the_library_is_tried(
    body: str,
    picture: tuple[DrawnGraph, GraphGeometry],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    _fake_dot(tmp_path, body, monkeypatch)
    request = (*picture, LayoutStyle())
    found = lay_out_all([request, request])
    assert [len(each.boxes) for each in found] == [len(picture[1].boxes)] * 2
    assert len(lay_out(*picture).boxes) == len(picture[1].boxes)
    with pytest.raises(LayoutError):
        lay_out(*picture, engine="dot")


@pytest.mark.skipif(os.name == "nt", reason="a script as dot needs a POSIX system")
def test_a_hanging_dot_is_not_tried_again(
    picture: tuple[DrawnGraph, GraphGeometry], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    _fake_dot(tmp_path, "exec sleep 60", monkeypatch)
    with pytest.raises(LayoutError, match="stopped after"):
        lay_out(*picture, timeout_s=0.3)


def _fake_dot(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    script = folder / "dot"
    script.write_text(f"#!/bin/sh\n{body}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.skipif(sys.platform != "linux", reason="Linux kills the child with its parent")
def test_a_layout_dies_with_a_parent_that_is_killed(tmp_path: Path):
    note = tmp_path / "child"
    child = (
        "import os, pathlib, time;"
        f"pathlib.Path({str(note)!r}).write_text(str(os.getpid())); time.sleep(60)"
    )
    parent = (
        "from gradviz.drawing.graphviz.layout_engine import run_child; import sys;"
        f"run_child([sys.executable, '-c', {child!r}], b'', name='x', timeout_s=60)"
    )
    process = subprocess.Popen([sys.executable, "-c", parent], stdin=subprocess.DEVNULL)
    try:
        number = _number_in(note)
        assert psutil.pid_exists(number)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert _ends(number)


def _number_in(note: Path) -> int:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if note.exists() and note.read_text():
            return int(note.read_text())
        time.sleep(0.02)
    raise AssertionError("the child did not start")


def _ends(number: int) -> bool:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            if psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False
