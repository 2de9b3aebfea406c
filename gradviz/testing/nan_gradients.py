"""Recording of each test, to find where the NaN of a gradient began."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.origin_tracer import ElementLocation, OriginTracer
from gradviz.analysis.provenance.value_problem import ValueProblem
from gradviz.catalogue.messages import say
from gradviz.model.columns import NANS
from gradviz.model.item import Item
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.step import AccumulateStep, PassEndStep
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.recorder.recording import RecordingError
from gradviz.recorder.run_origin import make_origin
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from gradviz.testing.written_traces import WrittenTraces
from gradviz.text.provenance import origin_sentence
from gradviz.text.sentences.values import leaf_name

_MOST_BYTES = 4 << 20
"""Size at which a recording ends; it takes some thousand ops, or a second or two."""


class NanGradientWatch:
    """Records the running test, and keeps the trace if a gradient contains NaN."""

    def __init__(self, traces: WrittenTraces) -> None:
        self._traces = traces
        self._open: tuple[PartialRecording, TraceWriter] | None = None

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Record the block, unless it begins a recording of its own."""
        self._start()
        try:
            yield
        except BaseException as error:
            self._stop(error)
            raise
        self._stop()

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing of the block; afterwards a new recording begins if one was open."""
        was_open = self._open is not None
        self._stop()
        try:
            yield
        finally:
            if was_open:
                self._start()

    def _start(self) -> None:
        test = self._traces.test
        scope = RecordingScope(max_bytes=_MOST_BYTES)
        options = RecordingOptions(level="ops", scope=scope, gives_way=True)
        origin = make_origin(title=test, subject=test, device="cpu", level=options.level)
        with self._traces.error_boundary(say("tests.part.recording")):
            writer = TraceWriter(self._traces.temporary("test"), origin)
            try:
                self._open = PartialRecording(writer, options).__enter__(), writer
            except RecordingError:
                # A test has left its own recording open.
                writer.close()

    def _stop(self, error: BaseException | None = None) -> None:
        if self._open is None:
            return
        recording, writer = self._open
        self._open = None
        with self._traces.error_boundary(say("tests.part.recording")):
            recording.end(error)
            writer.close()
            if recording.passes.started and (sentence := nan_sentence(writer.path)):
                self._traces.keep(writer.path, sentence)


def nan_sentence(path: Path) -> str:
    """Which gradient in a trace contains NaN first, and where that began; empty if none does.

    Raises:
        TraceError: If it is not a trace.
    """
    with open_trace(path) as reader:
        index = index_reader(reader)
        index.finite.look()
        having = {number for number, flags in index.finite.not_finite().items() if flags & NANS}
        for step, name, item in _gradients(index) if having else ():
            if item.tensor in having:
                return say("tests.nan", name=name, origin=_origin(index, step, item)).rstrip()
    return ""


def _origin(index: TraceIndex, step: int, item: Item) -> str:
    assert item.tensor is not None
    seen = ElementLocation(
        place=TracePosition(step=step), name=item.name, tensor=item.tensor, element=None
    )
    tracer = OriginTracer(index)
    found = tracer.value_origins(ValueProblem(kind="nan"), seen)
    return origin_sentence(index, tracer, found[0]) if found else ""


def _gradients(index: TraceIndex) -> Iterator[tuple[int, str, Item]]:
    """Step, leaf and gradient of what ``backward()`` stored and ``autograd.grad`` returned."""
    for step in index.trace.steps:
        if isinstance(step, AccumulateStep):
            yield step.number, leaf_name(index.node[step.node]), step.total
        elif isinstance(step, PassEndStep):
            yield from ((step.number, each.name, each) for each in step.results)
