"""Watches the lines of the user's methods while torch calls them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradviz.recorder.arrays import Arrays
from gradviz.recorder.functions import Patches
from gradviz.recorder.insides import Insides
from gradviz.recorder.line_monitor import MONITORS, LineMonitor, MonitorError
from gradviz.recorder.line_tools import LineTools
from gradviz.recorder.line_tracer import LineTracer, get_trace, set_trace
from gradviz.recorder.line_values import LineValues
from gradviz.recorder.log import Log
from gradviz.recorder.open_part import OpenPart
from gradviz.recorder.part_lines import PartLines
from gradviz.recorder.sources import Sources, is_library
from gradviz.recorder.tensors import Tensors


class Lines:
    """Records source lines, where the recording goes as deep as that.

    What other threads or a debugger do meanwhile to the variables of a function that runs may be
    told of the wrong line. Variables of enclosing functions and globals are not told of.
    """

    def __init__(self, log: Log, tensors: Tensors, sources: Sources, insides: Insides) -> None:
        self._log = log
        self._sources = sources
        self._adopted = 0
        self._arrays = Arrays(tensors)
        self._tools = LineTools(log, sources, insides, LineValues(tensors, self._arrays))
        self._on = insides.level == "lines"
        self._monitor = LineMonitor(self._is_library) if MONITORS else None

    def _is_library(self, path: str) -> bool:
        return path not in self._sources.own and is_library(path)

    def install(self, patches: Patches) -> None:
        """Gets ready to watch."""
        if not self._on:
            return
        if self._monitor is None:
            # Hides from the run that it is traced.
            patches.replace(sys, "gettrace", lambda _: get_trace)
            patches.replace(sys, "settrace", lambda _: set_trace)
            return
        try:
            self._monitor.install()
        except MonitorError as error:
            self._on = False
            self._log.find("lines_left_out", f"No lines are recorded. {error}")

    def remove(self) -> None:
        """Ends all watching."""
        if self._monitor is not None:
            self._monitor.remove()

    def _look_again(self) -> None:
        """Files that were a library's may be the user's by now."""
        own = self._sources.own
        if len(own) == self._adopted:
            return
        self._adopted = len(own)
        self._tools.others.difference_update(own)
        if self._monitor is not None and any(map(is_library, own)):
            self._monitor.look_again()

    def call(
        self,
        part: OpenPart | None,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Calls a function, and records the lines of the user that it runs in this thread.

        Args:
            part: The stage that they belong to; None where nothing is looked into.
            function: What torch would have called.
            args: With these arguments,
            kwargs: and these.
        """
        if part is None or not self._on:
            return function(*args, **kwargs)
        self._look_again()
        lines = PartLines(self._tools, part)
        backend = LineTracer() if self._monitor is None else self._monitor
        backend.begin(lines)
        try:
            return function(*args, **kwargs)
        finally:
            backend.end()
            lines.close()

    def forget(self) -> None:
        """Lets go of everything."""
        self._arrays.forget()
