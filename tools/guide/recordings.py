"""Records scenes of the gallery, each once, and checks their Jacobians."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.gallery.registry import offer_of, scene
from gradviz.model.jacobian_report import JacobianReport
from gradviz.protocol.messages import CheckRequest, RunRequest
from gradviz.store.reader import TraceReader, open_trace


class Recordings:
    """What scenes did, recorded on source lines when it is first asked for.

    Args:
        folder: Where the traces are written; an empty one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._readers: list[TraceReader] = []
        self._runs: dict[str, TraceIndex] = {}
        self._checks: dict[tuple[str, int], JacobianReport] = {}
        self._check_indexes: dict[tuple[str, int], TraceIndex] = {}

    def run(self, scene_id: str) -> TraceIndex:
        """The recorded run of a scene on its own inputs."""
        from gradviz.worker.run import run

        if scene_id not in self._runs:
            path = self._folder / f"{scene_id}.gradviz"
            with contextlib.redirect_stdout(io.StringIO()):
                run(RunRequest(offer=offer_of(scene(scene_id)), trace=str(path), level="all"))
            self._runs[scene_id] = self._open(path)
        return self._runs[scene_id]

    def check(self, scene_id: str, order: int) -> tuple[TraceIndex, JacobianReport]:
        """The check of a scene's Jacobians: 1 is gradcheck, 2 is gradgradcheck.

        Returns:
            The trace with the matrices, and the report.
        """
        from gradviz.worker.check import check

        key = scene_id, order
        if key not in self._checks:
            path = self._folder / f"{scene_id}-check-{order}.gradviz"
            with contextlib.redirect_stdout(io.StringIO()):
                check(
                    CheckRequest(offer=offer_of(scene(scene_id)), trace=str(path), order=order),
                    lambda progress: None,
                )
            index = self._open(path)
            self._check_indexes[key], self._checks[key] = index, index.trace.reports[-1]
        return self._check_indexes[key], self._checks[key]

    def close(self) -> None:
        """Closes all traces."""
        for reader in self._readers:
            reader.close()

    def _open(self, path: Path) -> TraceIndex:
        self._readers.append(open_trace(path))
        return index_reader(self._readers[-1])
