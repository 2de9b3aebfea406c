"""``python -m tests.fuzz.record``: records the intact traces again."""

from __future__ import annotations

import json
import lzma
import platform
import sqlite3
import tempfile
from pathlib import Path

from gradviz.cli.subject import find_offer
from gradviz.host.limits import Limits
from gradviz.host.pool import run_blocking
from gradviz.model.what_if import InputTarget, WhatIfChange
from gradviz.protocol.messages import CheckRequest, RunRequest
from gradviz.store import schema
from gradviz.store.finalize import finalize_trace
from tests.fuzz.case import TRACES

SCENES = {
    "lines": ("functional-linear-double", "all"),
    "modules": ("nn-linear", "ops"),
    "check": ("linear-wrong", "all"),
    "training": ("my-own-layer", "all"),
    "types": ("scalar-tensor", "ops"),
}
HALVED = WhatIfChange(
    target=InputTarget(position=0, name="input"),
    dtype="float64",
    shape=(2, 3),
    way="scale",
    factor=0.5,
)


def main() -> None:
    """Write the compressed traces."""
    TRACES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in SCENES:
            path = Path(folder) / "run.gradviz"
            path.unlink(missing_ok=True)
            _record(name, path)
            finalize_trace(path)
            data = _without_paths(path.read_bytes())
            (TRACES / f"{name}.gradviz.xz").write_bytes(lzma.compress(data, preset=9))


def _record(name: str, path: Path) -> None:
    scene, level = SCENES[name]
    offer, changes = find_offer(scene), (HALVED,) if name == "check" else ()
    request = RunRequest(offer=offer, trace=str(path), level=level, changes=changes)
    run_blocking(request, limits=Limits(time_s=None))
    if name == "check":
        run_blocking(CheckRequest(offer=offer, trace=str(path)), limits=Limits(time_s=None))


def _without_paths(data: bytes) -> bytes:
    texts = {str(Path(__file__).parents[2]): "/home/user/gradviz", platform.platform(): "Linux"}
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(data)
        for table in ("meta", "tensor", *schema.KINDS):
            for old, new in texts.items():
                quoted = [json.dumps(each)[1:-1] for each in (old, new)]
                connection.execute(f"UPDATE {table} SET json = replace(json, ?, ?)", quoted)
        connection.execute("VACUUM")
        return connection.serialize()
    finally:
        connection.close()


if __name__ == "__main__":
    main()
