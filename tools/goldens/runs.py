"""Records what the goldens are made of: scenes with their checks, and programs."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys
from pathlib import Path

from gradviz.gallery.registry import offer_of, scene
from gradviz.protocol.messages import CheckRequest, RunRequest
from gradviz.store.finalize import finalize_trace
from gradviz.worker.check import check
from gradviz.worker.run import run

_PROGRAMS = Path(__file__).parent / "programs"

PROGRAMS = tuple(sorted(path.stem for path in _PROGRAMS.glob("*.py")))


def record_scene(name: str, folder: Path) -> Path:
    """Record a scene with all details, and its check if it can be checked; returns the trace."""
    path, offer = folder / f"{name}.gradviz", offer_of(scene(name))
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        run(RunRequest(offer=offer, trace=str(path), level="all"))
        check(CheckRequest(offer=offer, trace=str(path)), lambda _: None)
    finalize_trace(path)
    return path


def record_program(name: str, folder: Path) -> Path:
    """Record a program as ``gradviz record`` does, with its error if it ends with one."""
    program = shutil.copy(_PROGRAMS / f"{name}.py", folder)
    path = folder / f"{name}.gradviz"
    subprocess.run(
        [sys.executable, "-m", "gradviz", "record", "--level", "all", "-o", path, program],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return path
