"""Graphviz layout: with `dot` if it is installed, else with the pygraphviz library."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Literal

from gradviz.drawing.child import run_child
from gradviz.drawing.dot import dot_source
from gradviz.drawing.drawn import DrawnGraph
from gradviz.drawing.errors import LayoutError
from gradviz.drawing.face import Faces
from gradviz.drawing.layout import Layout, read_layout

Engine = Literal["dot", "library"]

TIMEOUT_S = 30.0


def engines() -> tuple[Engine, ...]:
    """Available layout engines, the preferred one first."""
    found: list[Engine] = []
    if shutil.which("dot") is not None:
        found.append("dot")
    if find_spec("pygraphviz") is not None:
        found.append("library")
    return tuple(found)


def lay_out(
    graph: DrawnGraph,
    faces: Faces,
    *,
    timeout_s: float = TIMEOUT_S,
    cancelled: Callable[[], bool] | None = None,
    engine: Engine | None = None,
) -> Layout:
    """Lay out a drawing in a child process; blocks until it is done.

    Safe to call from any thread except the window's, see `run_child`. If no engine is given and
    ``dot`` crashes, as some versions do on some graphs, the library is tried.

    Args:
        graph: The drawing.
        faces: The sizes, from `faces_of`.
        timeout_s: Maximum time in seconds for both engines together.
        cancelled: Called twenty times a second from this thread.
        engine: The engine to use; None uses any that is available.

    Raises:
        LayoutError: If there is no engine, or it failed, took too long, or was cancelled.
    """
    if not graph.nodes:
        return Layout(width=0, height=0, boxes={}, curves={}, labels={})
    source = dot_source(graph, faces)
    wanted = (engine,) if engine is not None else engines()
    if not wanted:
        raise LayoutError("no_engine")
    until = time.monotonic() + timeout_s
    for position, each in enumerate(wanted, 1):
        try:
            left = max(0.0, until - time.monotonic())
            output = run_engine(source, each, timeout_s=left, cancelled=cancelled)
            return _checked(output, graph, faces, each)
        except LayoutError as error:
            last = position == len(wanted)
            if last or error.reason not in ("crashed", "not_found", "unreadable"):
                raise
    raise LayoutError("no_engine")


def run_engine(
    source: str,
    engine: Engine,
    *,
    timeout_s: float = TIMEOUT_S,
    cancelled: Callable[[], bool] | None = None,
) -> bytes:
    """Run one engine on DOT and return its json0.

    Raises:
        LayoutError: As `run_child`.
    """
    if engine == "dot":
        command = [shutil.which("dot") or "dot", "-Tjson0"]
    else:
        command = [sys.executable, "-m", "gradviz.drawing.engine"]
    text = source.encode("utf-8")
    return run_child(command, text, name=engine, timeout_s=timeout_s, cancelled=cancelled)


def _checked(output: bytes, graph: DrawnGraph, faces: Faces, engine: Engine) -> Layout:
    sizes = {name: (face.width, face.height) for name, face in faces.boxes.items()}
    try:
        layout = read_layout(output, sizes, faces.labels)
    except ValueError as error:
        raise LayoutError("unreadable", engine=engine, reason=str(error)[:200]) from error
    if layout.curves.keys() != {edge.id for edge in graph.edges}:
        raise LayoutError("unreadable", engine=engine, reason="edges are missing")
    return layout
