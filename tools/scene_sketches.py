"""``make scene-sketches``: runs all scenes and writes the sketches of their graphs."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.graphviz.sketch_layout import graph_sketch
from gradviz.gallery.registry import SCENES, Scene, offer_of
from gradviz.protocol.messages import RunRequest
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from gradviz.viewer.library.scene_sketches import SCENE_SKETCHES
from gradviz.worker.run import run


@contextlib.contextmanager
def recorded(scene: Scene, folder: Path) -> Iterator[TraceIndex]:
    """Runs a scene on its own inputs; what was recorded can be read inside."""
    path = folder / f"{scene.id}.gradviz"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        run(RunRequest(offer=offer_of(scene), trace=str(path), level="all"))
    with open_trace(path) as reader:
        yield index_trace(reader.trace(), reader.value)


def main() -> int:
    """Replaces the shipped sketches."""
    with tempfile.TemporaryDirectory(prefix="gradviz-sketches-") as folder:
        lines = []
        for scene in SCENES:
            with recorded(scene, Path(folder)) as index:
                sketch = graph_sketch(index)
            lines.append(f'"{scene.id}": {msgspec.json.encode(sketch).decode()}')
    resource_path(SCENE_SKETCHES).write_text("{\n" + ",\n".join(lines) + "\n}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
