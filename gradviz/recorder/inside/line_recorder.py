"""Recording of the source lines that run while torch calls the user's methods."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradviz.catalogue.messages import say
from gradviz.model.inside import records_lines
from gradviz.recorder.inside.line_tracer import (
    MONITORS,
    LineMonitor,
    LineTracer,
    MonitorError,
    get_trace,
    set_trace,
)
from gradviz.recorder.inside.local_variables import LocalVariableReader
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.inside.stage_lines import StageLineRecorder, UserLines
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import calls_user_code
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.sources import is_library


class LineRecorder(Recorder):
    """Recorder of source lines, active only at the levels that record lines.

    Changes that other threads or a debugger make to the variables of a running function may be
    assigned to the wrong line. Variables of enclosing functions and globals are not recorded.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._adopted = 0
        values = LocalVariableReader(context.tensors, context.arrays)
        self._tools = UserLines(context.log, context.sources, context.stages, values)
        self._on = records_lines(context.options.level)
        self._monitor = LineMonitor(self._is_library) if MONITORS else None

    @property
    def traces(self) -> bool:
        """Whether the calls of a stage are traced, also those of the recorder."""
        return self._on and self._monitor is None

    def _is_library(self, path: str) -> bool:
        return path not in self._sources.own and is_library(path)

    def install(self, patches: AttributePatches) -> None:
        """Set up monitoring, or patch ``sys`` to hide tracing from the run."""
        if not self._on:
            return
        if self._monitor is None:
            # Hide from the run that it is traced.
            patches.replace(sys, "gettrace", lambda _: get_trace)
            patches.replace(sys, "settrace", lambda _: set_trace)
            return
        try:
            self._monitor.install()
        except MonitorError:
            self._on = False
            self._log.find("lines_left_out", say("recording.no_lines"))

    def remove(self) -> None:
        """Stop monitoring."""
        if self._monitor is not None:
            self._monitor.remove()

    def _include_adopted_files(self) -> None:
        """Re-enable library files that have turned out to be the user's."""
        own = self._sources.own
        if len(own) == self._adopted:
            return
        self._adopted = len(own)
        self._tools.others.difference_update(own)
        if self._monitor is not None and any(map(is_library, own)):
            self._monitor.reset_ignored_lines()

    @calls_user_code
    def call(
        self,
        part: OpenStage | None,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a function, and record the user's lines that it runs in this thread.

        Args:
            part: The stage that the lines belong to; None if stages are not recorded.
            function: The function that torch would have called.
            args: Its positional arguments.
            kwargs: Its keyword arguments.
        """
        if part is None or not self._on:
            return function(*args, **kwargs)
        self._include_adopted_files()
        lines = StageLineRecorder(self._tools, part)
        backend = LineTracer() if self._monitor is None else self._monitor
        backend.begin(lines)
        try:
            return function(*args, **kwargs)
        finally:
            backend.end()
            lines.close()
