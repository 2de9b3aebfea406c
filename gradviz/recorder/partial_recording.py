"""Recording of a part of a run, selected by its backward passes.

The last backward passes of a recording, while earlier ones are removed from the trace.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import torch
from msgspec.structs import replace

from gradviz.model.settings.recording_scope import ALL_PASSES, WHOLE_RUN
from gradviz.model.settings.stop_condition import parse_stop_condition
from gradviz.model.trace import Outcome
from gradviz.recorder.backward.open_passes import PassCountPatch
from gradviz.recorder.error_boundary import attempt
from gradviz.recorder.listener import RecordingListener
from gradviz.recorder.log import RecordingPlace
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording, RecordingError, end_giving_way
from gradviz.recorder.tensors.tensor_elements import unreadable_reason
from gradviz.store.errors import TraceError
from gradviz.store.writer import TraceWriter

if TYPE_CHECKING:
    from gradviz.recorder.training.pass_sample import PassSample

_MOST_IN_UPDATE = 100
"""More passes of one step of an optimizer are not recorded for the sake of the step."""

_MOST_SUPERFLUOUS = 16
"""Passes are removed many at a time, because the rest of the trace is then read and rewritten."""


class PassTail:
    """Keeps so many passes at the end, each with what leads to it and what follows."""

    def __init__(self, count: int, recording: Recording, writer: TraceWriter) -> None:
        self._count = count
        self._recording = recording
        self._writer = writer
        # Number of the first step and of the first printed text of each recorded pass; 0 for all
        # text.
        self._starts: dict[int, tuple[int, int]] = {}

    @property
    def first_pass(self) -> int | None:
        """The first pass that is still in the trace; None for no pass."""
        return min(self._starts, default=None)

    def begin(self, number: int) -> None:
        """Note that what is recorded from now on belongs to a pass."""
        log = self._recording.error_boundary
        # It belongs to the pass before, even if it has not been written yet.
        self._recording.console.put()
        text = 0 if log.keeps_text else log.highest("console") + 1
        self._starts[number] = log.highest("step") + 1, text

    def remove_superfluous(self) -> None:
        """Remove passes from the trace if there are many more than wanted.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        if len(self._starts) < 2 * self._count + _MOST_SUPERFLUOUS:
            return
        first = sorted(self._starts)[-self._count]
        if self._recording.remove_before(*self._starts[first]):
            self._forget_before(first)

    def finish(self, last_pass: int | None) -> None:
        """Remove all passes but the wanted ones. Call when nothing more is recorded.

        Args:
            last_pass: The last pass that has ended; None if there was none.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        ended = [each for each in sorted(self._starts) if each <= (last_pass or 0)]
        if len(ended) > self._count:
            first = ended[-self._count]
            first_step, first_console = self._starts[first]
            self._writer.remove_before(first_step=first_step, first_console=first_console)
            self._forget_before(first)
        self._writer.shrink()

    def _forget_before(self, first: int) -> None:
        self._starts = {each: start for each, start in self._starts.items() if each >= first}


_CAREFUL_BYTES = 64 << 20
"""A smaller trace makes no difference to a disk, even to one that is full."""

_FREE_SHARE = 0.05


def is_nearly_full(path: Path) -> bool:
    """Whether only a small part of the disk with a file is free, which is left to others."""
    usage = shutil.disk_usage(path.parent)
    return usage.free < _FREE_SHARE * usage.total


PassProgress = Callable[[int, int, Callable[[], int]], None]


class PartialRecording(RecordingListener):
    """Records the passes that its options select, inside the ``with`` block.

    A pass is recorded with the calls before it, back to the previous pass, and with the optimizer
    steps that follow. Before and after them, passes are counted and nothing else is observed.

    Of a sample, the losses and gradient norms of all passes are read, too. Where one of them stops
    being finite or jumps, the passes after it are recorded: the pass itself is over by then. Only a
    jump of a loss in CPU memory is seen before its pass, which is recorded without the calls that
    have made its graph. Nothing tells
    which passes will be the last ones, so now and then some are recorded, and removed again when
    the next ones are. The trace ends with the latest of these, and keeps those before a number
    that is not finite.

    Attributes:
        passes: Counts the passes of the run.
        recording: Records the passes that are selected.
    """

    def __init__(
        self,
        writer: TraceWriter,
        options: RecordingOptions,
        progress: PassProgress | None = None,
    ) -> None:
        """Prepare a recording.

        Args:
            writer: Receives the records.
            options: What to record.
            progress: Is called after recorded passes if the run has not left a line unfinished,
                with the number of passes and of steps and a function for the size of the trace.
        """
        super().__init__()
        self._writer = writer
        self._progress = progress
        self._scope = options.scope
        self._range = options.scope.passes
        until = options.scope.until
        self._condition = parse_stop_condition(until) if until else None
        self._counting = PassCountPatch(self.passes, self._begin_at_jump, self._begin_when_due)
        self.recording = Recording(writer, options, self)
        self._tail: PassTail | None = None
        if self._range.tail:
            self._tail = PassTail(self._range.tail, self.recording, writer)
            self._tail.begin(1)
        # Completed: the last records are written, but hooks may still be in place.
        # Pausing, paused: the same, until the next pass of a sample.
        self._phase: Literal["before", "during", "pausing", "paused", "completed", "after"]
        self._phase = "before"
        self._sample: PassSample | None = None
        if self._range.is_sampled:
            from gradviz.recorder.training.pass_sample import PassSample

            self._sample = PassSample(self._range, writer, self.recording.leaves)
        # Where the latest passes begin that will be removed; None if there are none.
        self._latest: RecordingPlace | None = None
        self._left_out = False
        self._kept_before: tuple[tuple[int, int], ...] = ()
        self._begins_with = 1
        self._problem: Exception | None = None
        self._written = WHOLE_RUN
        self.recording.error_boundary.add_flush_hook(self._before_flush)

    def __enter__(self) -> Self:
        self._write_scope()
        # What it has replaced must be restored before it is replaced again.
        end_giving_way()
        # Below the recorder, which takes the counting over at once and gives it back at once, so
        # that no pass of another thread is missed in between.
        self._counting.install()
        try:
            if self._range.first <= 1:
                self._begin()
            elif self.recording.error_boundary.keeps_text:
                self.recording.console.install()
        except BaseException:
            self._counting.remove()
            raise
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        try:
            self._end(error)
        except TraceError as problem:
            # A caller may handle exceptions of the block otherwise.
            self._problem = self._problem or problem

    def end(self, error: BaseException | None = None) -> None:
        """Complete the trace, whose run an exception may have ended.

        Raises:
            RecordingError: If the recording could not begin when it was due.
            TraceError: If the trace cannot be written.
        """
        self._end(error)
        self.raise_problem(error)

    def raise_problem(self, error: BaseException | None = None) -> None:
        """Say that the recording ended before the run did, which an exception may have ended.

        Raises:
            RecordingError: If the recording could not begin when it was due.
            TraceError: If the trace cannot be written.
        """
        self.recording.raise_problem()
        if self._problem is not None and error is None:
            raise self._problem

    def _end(self, error: BaseException | None) -> None:
        if self._phase in ("before", "paused"):
            # First, as it begins to record.
            self._counting.remove()
        try:
            if self._phase == "before":
                self.recording.console.remove()
                self._writer.put_outcome(Outcome(kind="finished", message="", duration_ns=0))
            else:
                if self._phase in ("pausing", "paused"):
                    self.recording.reopen()
                self.recording.end(error)
            if self._sample is not None and self._left_out:
                self._sample.numbers.flush()
            if self._tail is not None:
                self._tail.finish(self._scope.last_pass)
                if self._scope.last_pass is not None:
                    self._scope = replace(self._scope, first_pass=self._tail.first_pass)
        finally:
            self._counting.remove()
            self._scope = replace(self._scope, run_passes=self.passes.outermost)
            self._write_scope()

    def _write_scope(self) -> None:
        scope = self._scope
        if scope.passes.is_sampled and not self._left_out:
            # What has all passes is no sample.
            scope = replace(scope, passes=ALL_PASSES)
        if scope.is_limited and scope != self._written:
            self._writer.put_scope(scope)
            self._written = scope

    def _before_flush(self) -> None:
        if self._phase == "during" and self._is_full():
            self.recording.error_boundary.before_call = self._complete
        if self._phase == "during" and self.passes.recorded >= self._begins_with:
            self._note_last(self.passes.recorded)
        if self._sample is not None and self._left_out:
            self._sample.numbers.flush_if_many()
        self._write_scope()

    def _note_last(self, number: int) -> None:
        # None may have ended since the recording went on, if passes of several threads overlap.
        number = max(number, self._begins_with)
        first = self._scope.first_pass or self._begins_with
        kept = (*self._kept_before, (self._begins_with, number)) if self._left_out else ()
        self._scope = replace(self._scope, first_pass=first, last_pass=number, kept=kept)

    def _begin(self) -> None:
        # Passes of other threads may begin before the first one of this thread ends.
        self._begins_with = self.passes.outermost + 1
        self.recording.__enter__()
        self._phase = "during"

    def _begin_when_due(self, outputs: Sequence[Any]) -> None:
        if self._phase == "paused":
            # After a pass that was only counted, the next one may be one of the sample.
            self._attempt(self._note_counted, outputs)
        if self._phase != "before" or self._problem is not None:
            return
        if self.passes.outermost + 1 < self._range.first:
            return
        # The optimizer steps that follow belong to the pass before.
        self.recording.error_boundary.awaits_call = True
        try:
            self._begin()
        except (RecordingError, TraceError) as error:
            # Raised later, because it must not reach the program here.
            self._problem = error

    def _attempt(self, work: Callable[[Sequence[Any]], bool], outputs: Sequence[Any]) -> bool:
        """Whether something is due; an error ends the recording, and is raised in the end."""
        log = self.recording.error_boundary
        with log.lock:
            # Another thread may have done so.
            if self._phase != "paused":
                return False
            # The pass is the program's, to which our errors must not get.
            found = attempt(log, work, outputs)
            if isinstance(found, Exception):
                self._problem, self._phase = found, "after"
                return False
            return found

    def _note_counted(self, outputs: Sequence[Any]) -> bool:
        number, sample = self.passes.outermost, self._sample
        if sample is None:
            return False
        sample.note(number, outputs)
        sample.numbers.flush_if_many()
        if sample.is_alarmed(number):
            # They show what led to it.
            self._latest = None
        is_sampled = sample.has(number + 1)
        if is_due := is_sampled or sample.has_time():
            self._go_on(sample, is_sampled=is_sampled, awaits_call=True)
        return is_due

    def _begin_at_jump(self, outputs: Sequence[Any]) -> bool:
        """Record a pass that is about to begin if its loss jumps, and return whether it does."""
        return self._phase == "paused" and self._attempt(self._find_jump, outputs)

    def _find_jump(self, outputs: Sequence[Any]) -> bool:
        sample = self._sample
        if sample is None or not sample.notes_jump(self.passes.outermost + 1, outputs):
            return False
        # They show what led to it.
        self._latest = None
        self._go_on(sample, is_sampled=True, awaits_call=False)
        return True

    def _go_on(self, sample: PassSample, *, is_sampled: bool, awaits_call: bool) -> None:
        sample.begin_recording(may_be_last=not is_sampled)
        self._remove_latest()
        if not is_sampled:
            self._latest = self.recording.error_boundary.place()
        self._kept_before = self._scope.kept
        self._begins_with = self.passes.outermost + 1
        self.recording.error_boundary.awaits_call = awaits_call
        self._phase = "during"
        self.recording.resume()

    def _remove_latest(self) -> None:
        place, self._latest = self._latest, None
        if place is not None:
            # First, so that the scope never names passes that are no longer in the trace.
            kept = self._kept_before
            self._scope = replace(self._scope, kept=kept, last_pass=kept[-1][1])
            self._write_scope()
            self.recording.remove_after(place)

    def _is_next_recorded(self, sample: PassSample, number: int) -> bool:
        """Whether the pass after a recorded one is recorded, too."""
        latest, log = self._latest, self.recording.error_boundary
        if latest is None or sample.has(number + 1) or log.highest("finding") > latest["finding"]:
            self._latest = None
            return sample.has(number + 1)
        return sample.has_time_for_next(number + 1 - self._begins_with)

    def _pause_after_update(self) -> None:
        """Pause, but not in an optimizer's step, whose passes run in a closure."""
        row = self.passes.outermost - self._begins_with
        if not self.recording.is_updating or row >= _MOST_IN_UPDATE:
            self._pause()

    def _pause(self) -> None:
        # Before the pause, which puts the records that wait.
        self._left_out = True
        self._note_last(self._scope.last_pass or self.passes.outermost)
        self._phase = "pausing"
        self.recording.pause()
        self._write_scope()
        if self._sample is not None:
            self._sample.numbers.flush()

    def pass_ended(self, outputs: Sequence[Any]) -> None:
        """Note that a pass was recorded; after the last one, the next call ends the recording."""
        if self._phase == "during":
            log = self.recording.error_boundary
            # The pass has been the program's, to which our errors must not get.
            problem = attempt(log, self._note_pass, outputs)
            if problem is not None:
                log.report_error(type(self).__name__, problem)
        self.remove_ended()

    def _note_pass(self, outputs: Sequence[Any]) -> None:
        log, number = self.recording.error_boundary, self.passes.outermost
        self._note_last(number)
        if self._sample is not None:
            with log.lock:
                self._sample.note(number, outputs)
        if self._is_due():
            self._complete()
            return
        if number >= (self._range.last or math.inf):
            log.before_call = self._complete
        elif self._sample is not None and not self._is_next_recorded(self._sample, number):
            log.before_call = self._pause_after_update
        elif self._tail is not None and not self.passes.running:
            self._shorten(self._tail, number)
        if self._progress is not None and self.recording.console.is_at_line_start:
            self._progress(number, log.highest("step"), lambda: self._writer.size)

    def _shorten(self, tail: PassTail, ended: int) -> None:
        log = self.recording.error_boundary
        with log.lock:
            log.before_call = lambda: tail.begin(ended + 1)
            tail.remove_superfluous()
            self._scope = replace(self._scope, first_pass=tail.first_pass)

    def pass_begins(self, outputs: Sequence[Any]) -> None:
        """Compare the loss, if the recording ends with a certain loss."""
        if self._condition is None or self._condition.kind != "loss":
            return
        for output in outputs:
            loss = _number_of(output)
            if loss is not None and self._condition.holds_for(loss):
                kept = loss if self._scope.values else None
                self._scope = replace(self._scope, stopped="loss", loss=kept)
                return

    def _is_due(self) -> bool:
        """Whether a condition has come true in the pass that has ended."""
        if self.recording.has_seen_non_finite and self._condition is not None:
            self._scope = replace(self._scope, stopped=self._condition.kind)
        return bool(self._scope.stopped) or self._is_full()

    def _is_full(self) -> bool:
        most = self._scope.max_bytes
        if self._scope.stopped or most is None:
            return False
        size = self._writer.size
        if size >= most:
            self._scope = replace(self._scope, stopped="size")
        elif size >= _CAREFUL_BYTES and is_nearly_full(self._writer.path):
            self._scope = replace(self._scope, stopped="disk")
        return bool(self._scope.stopped)

    def _complete(self) -> None:
        self._phase = "completed"
        self.recording.complete()

    def remove_ended(self) -> bool:
        """Remove the hooks of the recording if it has just ended; False if they are needed."""
        if self._phase not in ("pausing", "completed"):
            return self._phase == "paused"
        with self.recording.error_boundary.lock:
            # Another thread may have done so.
            if self._phase in ("pausing", "completed"):
                self.recording.remove(during_run=True)
                if self._sample is not None and self._phase == "pausing":
                    self._sample.end_recording(self._scope.kept[-1][1] - self._begins_with + 1)
                self._phase = "paused" if self._phase == "pausing" else "after"
        return True


def _number_of(output: Any) -> float | None:
    """The element of a real tensor with one element; None for anything else."""
    if not isinstance(output, torch.Tensor) or unreadable_reason(output) or output.is_complex():
        return None
    return float(output.item()) if output.numel() == 1 else None
