"""Runs that are recorded ahead for a lesson."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from gradviz.gallery.registry import offer_of, scene
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.model.trace import Outcome
from gradviz.protocol.messages import ChildRequest, RunRequest
from gradviz.store.reader import open_trace
from gradviz.viewer.lesson.prepared_runs import PreparedRuns
from gradviz.viewer.session.temporary_traces import TemporaryTraces
from tests.builders import linear_trace, write_trace


class Bridge(QObject):
    """Starts nothing; a test writes the trace and ends the job."""

    ended = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[ChildRequest] = []

    def start(self, request: ChildRequest, limits: Limits) -> tuple[int, None]:
        self.requests.append(request)
        return len(self.requests), None


@pytest.mark.parametrize("kind", ["timed_out", "finished"])
def test_a_run_that_was_stopped_says_so_and_is_shown(kind: Any, tmp_path: Path) -> None:
    bridge, files = Bridge(), TemporaryTraces(tmp_path, lambda: [])
    session = SimpleNamespace(
        bridge=bridge,
        files=files,
        limits_of=Limits,
        run_request=lambda offer: RunRequest(offer=offer, trace=str(files.new_path())),
    )
    runs = PreparedRuns(cast("Any", session))
    runs.begin(frozenset())
    runs.prepare({"linear": offer_of(scene("linear"))})
    (request,) = bridge.requests
    assert isinstance(request, RunRequest)
    sentence = "Stopped at the time limit of 2 s." if kind == "timed_out" else ""
    whole = linear_trace().outcome if kind == "finished" else None
    write_trace(Path(request.trace), replace(linear_trace(), outcome=whole))
    bridge.ended.emit(1, JobEnding(kind=kind, sentence=sentence))
    path = runs.path("linear")
    assert path is not None
    with open_trace(path) as reader:
        trace = reader.trace()
    assert trace.steps == linear_trace().steps
    stopped = Outcome(kind="stopped", message=sentence, duration_ns=0)
    assert trace.outcome == (whole or stopped)
