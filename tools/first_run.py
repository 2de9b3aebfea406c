"""``make first-run``: records the scene that the window shows while torch loads."""

from __future__ import annotations

import contextlib
import io
import platform
import sys
import tempfile
from pathlib import Path

import gradviz
from gradviz.gallery.registry import FIRST_SCENE, offer_of, scene
from gradviz.protocol.messages import RunRequest
from gradviz.store.finalize import finalize_trace
from gradviz.store.shipped_run import pack_first_run
from gradviz.worker.run import run


def record(path: Path) -> None:
    """Records the first scene on its own inputs, on the cpu, with its source lines."""
    offer = offer_of(scene(FIRST_SCENE))
    with contextlib.redirect_stdout(io.StringIO()):
        run(RunRequest(offer=offer, trace=str(path), level="all"))
    finalize_trace(path)


def main() -> int:
    """Replaces the shipped recording."""
    package = Path(gradviz.__file__).resolve().parent
    system = f"{platform.system()} {platform.machine()}"
    with tempfile.TemporaryDirectory(prefix="gradviz-first-run-") as folder:
        path = Path(folder) / "run.gradviz"
        record(path)
        pack_first_run(path, package, (platform.platform(), system))
    return 0


if __name__ == "__main__":
    sys.exit(main())
