"""Graphviz layout: with `dot` if it is installed, else with the pygraphviz library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal

from gradviz.catalogue.messages import say
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.geometry.box_geometry import GraphGeometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout, read_layout, split_layouts
from gradviz.drawing.graphviz.layout_dot import UPWARD, LayoutStyle, dot_source

LayoutFailure = Literal["no_engine", "not_found", "timed_out", "cancelled", "crashed", "unreadable"]


class LayoutError(Exception):
    """Layout failed; the message is one sentence for people.

    Attributes:
        reason: Stable identifier for programs.
    """

    def __init__(self, reason: LayoutFailure, /, **values: object) -> None:
        missing = missing_packages("draw") if reason == "no_engine" else ""
        super().__init__(missing or say(f"layout.{reason}", **values))
        self.reason: LayoutFailure = reason


# Short enough that canceling feels immediate; it adds no delay to a layout that finishes.
POLL_S = 0.05
"""Seconds between two checks for cancellation; the program's exit is noticed at once."""

_PACKAGE_PARENT = Path(__file__).resolve().parents[3]

# Runs in the child before the layout program, so that Linux kills the child when its parent dies,
# even by SIGKILL. A ``preexec_fn`` would not be safe in a process with threads.
_DIE_WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""


def run_child(
    command: Sequence[str],
    text: bytes,
    *,
    name: str,
    timeout_s: float,
    cancelled: Callable[[], bool] | None = None,
) -> bytes:
    """Run a program with a text as its input and return its output.

    Call it from a thread that lives as long as the child: Linux treats the end of that thread
    as the death of the parent.

    Args:
        command: The program and its arguments.
        text: Standard input of the program.
        name: Name of the program for messages.
        timeout_s: Seconds after which the program is killed.
        cancelled: Called twenty times a second; the child is killed when it returns True.

    Raises:
        LayoutError: If the program could not be started, was stopped, or failed.
    """
    until = time.monotonic() + timeout_s
    # A file instead of a pipe: after a timeout, `communicate` forgets the rest of its input.
    with TemporaryFile() as source:
        source.write(text)
        source.seek(0)
        child = _start(command, source, name)
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, errors = child.communicate(timeout=POLL_S)
                    return _result(child, output, errors, name)
                if cancelled is not None and cancelled():
                    raise LayoutError("cancelled")
                if time.monotonic() >= until:
                    raise LayoutError("timed_out", seconds=f"{timeout_s:.3g}")
        finally:
            _end(child)


def _start(command: Sequence[str], source: IO[bytes], name: str) -> subprocess.Popen[bytes]:
    if sys.platform == "linux":
        # -I and -S skip site-packages, so that this extra interpreter starts quickly.
        watcher = [sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid())]
        command = [*watcher, *command]
    try:
        return subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # `python -m gradviz.drawing.graphviz.library_process` finds the package
            # in its working directory.
            cwd=_PACKAGE_PARENT,
            # On Windows, a console window would otherwise appear with each layout.
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise LayoutError("not_found", engine=name, reason=str(error)) from error


def _result(child: subprocess.Popen[bytes], output: bytes, errors: bytes, name: str) -> bytes:
    if child.returncode == 0 and output:
        return output
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1][:200] if lines else say("layout.no_output")
    raise LayoutError("crashed", engine=name, code=child.returncode, reason=reason)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
    # Also after `kill`: an unread exit status would leave a zombie process.
    child.wait()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()


LayoutEngine = Literal["dot", "library"]

TIMEOUT_S = 30.0

SEPARATOR = "\0"
"""What separates several drawings for the library, which would read only the first."""


def available_engines() -> tuple[LayoutEngine, ...]:
    """Available layout engines, the preferred one first."""
    found: list[LayoutEngine] = []
    if shutil.which("dot") is not None:
        found.append("dot")
    if find_spec("pygraphviz") is not None:
        found.append("library")
    return tuple(found)


LayoutRequest = tuple[DrawnGraph, GraphGeometry, LayoutStyle]
"""A drawing, its sizes from `graph_geometry`, and its direction and density."""


def lay_out(
    graph: DrawnGraph,
    faces: GraphGeometry,
    *,
    timeout_s: float = TIMEOUT_S,
    cancelled: Callable[[], bool] | None = None,
    engine: LayoutEngine | None = None,
) -> GraphLayout:
    """Lay out a drawing in a child process; blocks until it is done.

    Args:
        graph: The drawing.
        faces: The sizes, from `graph_geometry`.
        timeout_s: Maximum time in seconds for both engines together.
        cancelled: Called twenty times a second from this thread.
        engine: The engine to use; None uses any that is available.

    Raises:
        LayoutError: As `lay_out_all`.
    """
    wanted = [(graph, faces, UPWARD)]
    return lay_out_all(wanted, timeout_s=timeout_s, cancelled=cancelled, engine=engine)[0]


def lay_out_all(
    requests: Sequence[LayoutRequest],
    *,
    timeout_s: float = TIMEOUT_S,
    cancelled: Callable[[], bool] | None = None,
    engine: LayoutEngine | None = None,
) -> list[GraphLayout]:
    """Lay out drawings in one child process, whose start takes longer than a small layout.

    Safe to call from any thread except the window's, see `run_child`. If no engine is given and
    ``dot`` crashes, as some versions do on some graphs, the library is tried.

    Args:
        requests: The drawings.
        timeout_s: Maximum time in seconds for both engines together.
        cancelled: Called twenty times a second from this thread.
        engine: The engine to use; None uses any that is available.

    Raises:
        LayoutError: If there is no engine, or it failed, took too long, or was cancelled.
    """
    if not all(graph.nodes for graph, _, _ in requests):
        return [GraphLayout(width=0, height=0, boxes=(), curves=(), labels={}) for _ in requests]
    sources = [dot_source(*request) for request in requests]
    wanted = (engine,) if engine is not None else available_engines()
    until = time.monotonic() + timeout_s
    for position, each in enumerate(wanted, 1):
        try:
            together = ("\n" if each == "dot" else SEPARATOR).join(sources)
            left = max(0.0, until - time.monotonic())
            output = run_engine(together, each, timeout_s=left, cancelled=cancelled)
            outputs = split_layouts(output) if len(sources) > 1 else [output]
            if len(outputs) != len(requests):
                raise LayoutError("unreadable", engine=each, reason=say("layout.no_output"))
            found = zip(outputs, requests, strict=True)
            return [_checked(output, graph, faces, each) for output, (graph, faces, _) in found]
        except LayoutError as error:
            last = position == len(wanted)
            # After a timeout or a cancellation, another engine would only take more time.
            if last or error.reason not in ("crashed", "not_found", "unreadable"):
                raise
    raise LayoutError("no_engine")


def run_engine(
    source: str,
    engine: LayoutEngine,
    *,
    timeout_s: float = TIMEOUT_S,
    cancelled: Callable[[], bool] | None = None,
) -> bytes:
    """Run one engine on DOT and return its json0.

    For several drawings, ``dot`` reads one after the other, and the library what is between
    separators; the results follow each other.

    Raises:
        LayoutError: As `run_child`.
    """
    if engine == "dot":
        command = [shutil.which("dot") or "dot", "-Tjson0"]
    else:
        # Not a module of this name in the working directory.
        command = [sys.executable, "-P", "-m", "gradviz.drawing.graphviz.library_process"]
    text = source.encode("utf-8")
    return run_child(command, text, name=engine, timeout_s=timeout_s, cancelled=cancelled)


def _checked(
    output: bytes, graph: DrawnGraph, faces: GraphGeometry, engine: LayoutEngine
) -> GraphLayout:
    sizes = [(face.width, face.height) for face in faces.boxes]
    try:
        layout = read_layout(output, sizes, faces.labels)
    except ValueError as error:
        raise LayoutError("unreadable", engine=engine, reason=str(error)[:200]) from error
    # A layout that lacks edges still reads as valid, but the picture would be wrong.
    if len(layout.curves) != len(graph.edges):
        raise LayoutError("unreadable", engine=engine, reason=say("layout.no_edges"))
    return layout
