"""The recording of a whole program, from its import of torch to its end."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from gradviz.catalogue.messages import say
from gradviz.worker.standard_functions import ORIGINALS

if TYPE_CHECKING:
    from gradviz.model.inside import RecordingLevel
    from gradviz.model.settings.recording_scope import RecordingScope
    from gradviz.recorder.partial_recording import PartialRecording
    from gradviz.store.writer import TraceWriter


_MOST_TITLE = 120


class ProgramRecording:
    """Records this process; in processes that the program forks, it does nothing."""

    def __init__(
        self,
        trace: str,
        *,
        level: str,
        budget_bytes: int,
        scope: RecordingScope,
        title: str,
        subject: str,
    ) -> None:
        """Prepare a recording; neither torch nor the trace file is touched.

        Args:
            trace: Absolute path of the trace file, which may exist if it is empty.
            level: Recording level.
            budget_bytes: Limit on stored elements in bytes.
            scope: Which part of the run to record.
            title: Subject and arguments, for people.
            subject: Name of the script, or ``-m`` and the name of the module.
        """
        self._trace = Path(trace)
        self._level = cast("RecordingLevel", level)
        self._budget_bytes = budget_bytes
        self._scope = scope
        self._title = title
        self._subject = subject
        self._own_pid = os.getpid()
        self._writer: TraceWriter | None = None
        self._recording: PartialRecording | None = None

    def begin(self) -> None:
        """Begin to record; if that fails, say why on stderr and let the program run."""
        if os.getpid() != self._own_pid:
            return
        # Here, because they import torch, which the program has done now.
        from gradviz.recorder.options import RecordingOptions
        from gradviz.recorder.partial_recording import PartialRecording
        from gradviz.recorder.recording import RecordingError
        from gradviz.recorder.run_origin import make_origin
        from gradviz.recorder.safe_text import printable_text
        from gradviz.store.errors import TraceError
        from gradviz.store.writer import TraceWriter, print_on_stderr
        from gradviz.worker.program.terminal_progress import TerminalProgress

        # Keep the garbage collector from scanning torch's objects again and again during the run.
        gc.freeze()
        options = RecordingOptions(
            level=self._level,
            budget_bytes=self._budget_bytes,
            scope=self._scope,
            around_program=True,
        )
        origin = make_origin(
            title=printable_text(self._title)[:_MOST_TITLE],
            subject=printable_text(self._subject),
            device="cpu",
            level=self._level,
        )
        try:
            self._writer = TraceWriter(self._trace, origin)
            self._writer.on_wait = print_on_stderr
            # One rank tells how far all of them are.
            is_first = self._scope.rank is None or self._scope.rank.number == 0
            progress = TerminalProgress().pass_ended if is_first else None
            self._recording = PartialRecording(self._writer, options, progress).__enter__()
            ORIGINALS.keep_modules("gradviz")
        except (TraceError, RecordingError, OSError) as error:
            self._report(error)

    def end(self, error: BaseException | None = None) -> None:
        """End the recording; further calls do nothing.

        Args:
            error: The exception that ends the program; None if it ended by itself.
        """
        replaced = ORIGINALS.restore()
        try:
            self._end(error)
        finally:
            ORIGINALS.replace_again(replaced)

    def _end(self, error: BaseException | None) -> None:
        if os.getpid() != self._own_pid or self._writer is None:
            return
        from gradviz.recorder.recording import RecordingError
        from gradviz.store.errors import TraceError

        writer, recording = self._writer, self._recording
        # The recording is kept: other threads may still be running in its wrappers.
        self._writer = None
        try:
            try:
                if recording is not None:
                    recording.end(error)
            finally:
                writer.close()
        except (TraceError, RecordingError) as problem:
            self._report(problem)

    def _report(self, error: Exception) -> None:
        """Print the error, and leave it for the host, which stores it in the trace."""
        from gradviz.recorder.safe_text import printable_text
        from gradviz.store.header import failure_path

        with suppress(OSError), failure_path(self._trace).open("x", encoding="utf-8") as note:
            note.write(printable_text(str(error)))
        # The host notices by itself that the folder is gone.
        if sys.stderr is not None and self._trace.parent.exists():
            sys.stderr.writelines((say("command.program.problem", problem=error), "\n"))
