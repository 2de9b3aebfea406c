"""``make first-run``: records the scene that the window shows while torch loads."""

from __future__ import annotations

import contextlib
import io
import os
import platform
import sys
import tempfile
from pathlib import Path

import torch

import gradviz
from gradviz.gallery.registry import FIRST_SCENE, offer_of, scene
from gradviz.protocol.messages import RunRequest
from gradviz.resource import resource_path
from gradviz.store.finalize import finalize_trace
from gradviz.store.shipped_run import FIRST_RUN, pack_run
from gradviz.worker.run import run


def record(path: Path) -> None:
    """Records the first scene on its own inputs, on the cpu, with its source lines."""
    offer = offer_of(scene(FIRST_SCENE))
    with contextlib.redirect_stdout(io.StringIO()):
        run(RunRequest(offer=offer, trace=str(path), level="all"))
    finalize_trace(path)


def pack(source: Path, target: Path) -> None:
    """Writes a copy of a recording to be shipped, without the paths of this machine."""
    texts = {
        # In tracebacks.
        f"{Path(torch.__file__).resolve().parents[1]}{os.sep}": "",
        platform.platform(): f"{platform.system()} {platform.machine()}",
    }
    pack_run(source, target, Path(gradviz.__file__).resolve().parent, texts)


def main() -> int:
    """Replaces the shipped recording."""
    with tempfile.TemporaryDirectory(prefix="gradviz-first-run-") as folder:
        path = Path(folder) / "run.gradviz"
        record(path)
        pack(path, resource_path(FIRST_RUN))
    return 0


if __name__ == "__main__":
    sys.exit(main())
