"""Records scenes of the gallery and programs of the guide, each once, and checks Jacobians."""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from pathlib import Path
from unittest.mock import patch

import torch

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.gallery.guide.contents import PROGRAM_PAGES
from gradviz.gallery.guide.page import CodeBlock
from gradviz.gallery.guide.pages import page
from gradviz.gallery.guide.traversal import plain_text
from gradviz.gallery.registry import offer_of, scene
from gradviz.model.inputs import SCRIPT, Offer, RunSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.protocol.messages import CheckRequest, RunRequest
from gradviz.store.reader import TraceReader, open_trace


def programs_of(name: str) -> tuple[str, ...]:
    """The programs on a page: the one with the error, and the one without it."""
    return tuple(
        [
            plain_text(block.parts) + "\n"
            for block in page(name).blocks
            if isinstance(block, CodeBlock) and block.language == "python"
        ]
    )


def record_program(program: str, path: Path) -> None:
    """Record a program, whether it raises or not.

    Args:
        program: Its source.
        path: Where the trace is written; the program is stored next to it.
    """
    from gradviz.protocol.messages import Device
    from gradviz.recorder.options import RecordingOptions
    from gradviz.recorder.recording import Recording
    from gradviz.store.writer import TraceWriter
    from gradviz.worker.run import CallResult, into_trace

    file = path.with_suffix(".py")
    file.write_text(program, encoding="utf-8")
    offer = Offer(subject=RunSubject(path=str(file), name=SCRIPT), title=file.name, inputs=())

    def work(writer: TraceWriter, _: Device) -> CallResult:
        torch.manual_seed(offer.seed)
        with contextlib.suppress(Exception), Recording(writer, RecordingOptions(level="all")):
            exec(compile(program, str(file), "exec"), {"__name__": SCRIPT})
        return CallResult()

    # As in a terminal: a test runner collects the warnings, so that they are never printed.
    shown = patch(
        "warnings.showwarning",
        lambda *given: sys.stderr.write(warnings.formatwarning(*given[:4])),
    )
    with (
        warnings.catch_warnings(action="always"),
        contextlib.redirect_stderr(io.StringIO()),
        shown,
    ):
        into_trace(RunRequest(offer=offer, trace=str(path), level="all"), work)
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


class Recordings:
    """What scenes and programs did, recorded on source lines when it is first asked for.

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
        """The recorded run of a scene on its own inputs, or of the first program on a page."""
        from gradviz.worker.run import run

        if scene_id not in self._runs:
            path = self._folder / f"{scene_id}.gradviz"
            with contextlib.redirect_stdout(io.StringIO()):
                if scene_id in PROGRAM_PAGES:
                    record_program(programs_of(scene_id)[0], path)
                else:
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
