"""``gradviz.record``: a recording of a block of code in this process."""

from __future__ import annotations

import os
from contextlib import ContextDecorator, suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Self, get_args

from gradviz.api.trace_files import TemporaryFolder, open_window
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.rank import rank_in
from gradviz.model.settings.recording_scope import (
    ALL_PASSES,
    PassRange,
    RecordingScope,
    parse_pass_range,
)
from gradviz.model.settings.stop_condition import parse_stop_condition
from gradviz.model.trace import Outcome
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.recorder.run_origin import make_origin
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.store.output import choose_output, discard_output, finish_output
from gradviz.store.output_lock import unlock_output
from gradviz.store.run_ending import store_outcome
from gradviz.store.writer import TraceWriter, print_on_stderr

if TYPE_CHECKING:
    from gradviz.api.loaded_trace import LoadedTrace


def record(
    path: str | PathLike[str] | None = None,
    *,
    level: RecordingLevel = "nodes",
    budget: int = 256 << 20,
    title: str = "",
    passes: str = "",
    until: str = "",
    max_size: int | None = None,
    only: str = "",
    values: bool = True,
    source: bool = True,
) -> RunRecorder:
    """Record what autograd does in a ``with`` block, without changing it.

    >>> import gradviz, torch
    >>> x = torch.tensor(2.0, requires_grad=True)
    >>> with gradviz.record() as recording:
    ...     (x * x).backward()
    >>> print(recording.trace.steps[-2].sentence)
    x.grad is set to the gradient 4.

    The result is also a decorator, which records each call of a function anew, and has ``start``
    and ``stop`` for code that is not one block. Only one recording can run at a time.

    A process that this one forks is not recorded. Where ``torchrun`` starts several processes, each
    writes a trace of its own.

    Args:
        path: The trace to write; a trace that exists is replaced at the end. Under ``torchrun``,
            ``-rank0`` and so on is added to its name. If omitted, a temporary file, which is
            removed with the recording unless ``show`` was called.
        level: What to record: ``nodes``, also their ``ops``, also the source ``lines`` of custom
            Functions, or ``all``.
        budget: Limit for the stored elements of tensors, in bytes; beyond it, only statistics are
            stored.
        title: Title for people; the name of the file if omitted.
        passes: Which backward passes to record, counted from 1: ``3``, ``3:5`` (both included),
            ``3:``, ``:5``, ``last`` or ``last:2`` (the last two); each with the forward before it
            and the optimizer steps after it. All if omitted. A pass that runs inside another one
            belongs to it and is not counted.
        until: Ends the recording after the first backward pass in which this has come true:
            ``nan`` or ``inf`` (an element of a recorded tensor), or a comparison such as
            ``loss > 10`` with the number on which ``backward`` is called.
        max_size: Ends the recording when the trace has reached this size in bytes.
        only: Records only calls inside of a module, given by its path in the model such as
            ``encoder.0`` or by the class of the model, or inside of functions, given as ``name``,
            ``Class.name`` or ``package.module.name`` or by the beginning of such a name; and what
            backward does for them.
        values: Whether to store elements and statistics of tensors. Numbers and lists of Python's
            own are stored in any case, and what is printed.
        source: Whether to store source code.

    Raises:
        ValueError: If there is no such level, or ``passes`` or ``until`` has another form.
    """
    scope = RecordingScope(
        passes=_pass_range(passes) if passes else ALL_PASSES,
        until=_condition(until) if until else "",
        max_bytes=max_size,
        only=only,
        values=values,
        source=source,
        rank=rank_in(os.environ),
    )
    return RunRecorder(path, level=level, budget=budget, title=title, scope=scope)


class RunRecorder(ContextDecorator):
    """A recording, created by ``gradviz.record``."""

    def __init__(
        self,
        path: str | PathLike[str] | None,
        *,
        level: RecordingLevel,
        budget: int,
        title: str,
        scope: RecordingScope,
    ) -> None:
        if level not in get_args(RecordingLevel):
            names = ", ".join(get_args(RecordingLevel))
            raise ValueError(say("argument.level", value=repr(level), names=names))
        self._options = RecordingOptions(level=level, budget_bytes=budget, scope=scope)
        self._folder: TemporaryFolder | None = None
        if path is None:
            self._folder = TemporaryFolder(self)
            path = self._folder.path / "recording.gradviz"
        elif scope.rank is not None:
            path = Path(path).with_stem(Path(path).stem + scope.rank.suffix)
        self._path = Path(path)
        self._title = title or self._path.stem
        self._writer: TraceWriter | None = None
        self._recording: PartialRecording | None = None
        self._own_pid = 0
        self._trace: LoadedTrace | None = None

    @property
    def path(self) -> Path:
        """Path of the trace, which is complete when the recording has stopped."""
        return self._path

    @property
    def trace(self) -> LoadedTrace:
        """The recorded trace.

        Raises:
            RuntimeError: If the recording has not stopped yet.
        """
        self._refuse_running()
        if self._trace is None:
            # Imported here, so that recording does not wait for what only reading needs.
            from gradviz.api.loaded_trace import load

            self._trace = load(self._path)
        return self._trace

    def start(self) -> None:
        """Begin to record.

        Raises:
            RecordingError: If another recording is running. It is a ``RuntimeError``.
            TraceError: If the file cannot be written, exists and is not a trace, or is being
                written by another process.
        """
        self._close_trace()
        _, aside = choose_output(self._path, self._path.stem)
        origin = make_origin(
            title=self._title, subject=self._title, device="cpu", level=self._options.level
        )
        try:
            writer = TraceWriter(aside, origin)
            writer.on_wait = print_on_stderr
        except TraceError:
            unlock_output(self._path)
            raise
        try:
            self._recording = PartialRecording(writer, self._options).__enter__()
        except BaseException:
            writer.close()
            discard_output(aside, self._path)
            raise
        self._writer = writer
        self._own_pid = os.getpid()

    def stop(self) -> None:
        """End the recording and complete its trace; does nothing if it is not running.

        Raises:
            TraceError: If the file cannot be written.
        """
        self._stop(None)

    def save(self, path: str | PathLike[str]) -> Path:
        """Copy the trace to another file and return its path.

        Raises:
            RuntimeError: If the recording has not stopped yet.
            TraceError: If the file cannot be written.
        """
        self._refuse_running()
        save_copy(self._path, Path(path))
        return Path(path)

    def show(self) -> None:
        """Open the trace in a window, which is a process of its own; returns at once.

        Raises:
            RuntimeError: If the recording has not stopped yet.
            ModuleNotFoundError: If Qt or another package of the window is not installed.
        """
        self._refuse_running()
        open_window(self._path, self._folder)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        self._stop(error)

    def __repr__(self) -> str:
        """Title, and either the steps and the file, or how far the recording is."""
        if self._writer is not None:
            state = say("recorder.running")
        elif not self._path.exists():
            state = say("recorder.not_started")
        else:
            steps = say_count("count.step", len(self.trace.steps))
            state = f"{steps}, {self._path}"
        return visible_text(f"<{type(self).__name__} {self._title!r}: {state}>")

    def _repr_html_(self) -> str | None:
        """HTML for notebooks, the same as for `trace`; None while the recording is running."""
        is_over = self._writer is None and self._path.exists()
        return self.trace._repr_html_() if is_over else None

    def _stop(self, error: BaseException | None) -> None:
        writer, recording = self._writer, self._recording
        if writer is None or recording is None:
            return
        # The recording is kept: other threads may still be running in its wrappers.
        self._writer = None
        if os.getpid() != self._own_pid:
            # In a forked process; the recording goes on in the one that began it.
            return
        try:
            self._complete(writer, recording, error)
        except TraceError as problem:
            if error is None:
                raise
            # Whoever handles the exception of the recorded code expects no other one.
            error.add_note(str(problem))

    def _complete(
        self, writer: TraceWriter, recording: PartialRecording, error: BaseException | None
    ) -> None:
        try:
            try:
                recording.end(error)
            finally:
                writer.close()
        except BaseException as problem:
            self._keep_part(writer.path, problem)
            raise
        finish_output(writer.path, self._path)

    def _keep_part(self, aside: Path, problem: BaseException) -> None:
        """Complete a trace whose recording has failed, as far as it can be read."""
        if isinstance(problem, TraceError):
            store_outcome(aside, Outcome(kind="stopped", message=str(problem), duration_ns=0))
        # What cannot be completed has the cause that is raised.
        with suppress(TraceError):
            finish_output(aside, self._path)

    def _refuse_running(self) -> None:
        if self._writer is not None or not self._path.exists():
            raise RuntimeError(say("recording.not_stopped"))

    def _close_trace(self) -> None:
        if self._trace is not None:
            self._trace.close()
            self._trace = None


def _pass_range(text: str) -> PassRange:
    try:
        return parse_pass_range(text)
    except ValueError:
        raise ValueError(say("argument.passes", text=repr(text))) from None


def _condition(text: str) -> str:
    try:
        parse_stop_condition(text)
    except ValueError:
        raise ValueError(say("argument.until", text=repr(text))) from None
    return text
