"""Watches the lines of the user's methods while torch calls them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradviz.recorder.arrays import Arrays
from gradviz.recorder.functions import Patches
from gradviz.recorder.insides import Insides
from gradviz.recorder.line_tracer import LineTracer, get_trace, set_trace
from gradviz.recorder.line_values import LineValues
from gradviz.recorder.log import Log
from gradviz.recorder.open_part import OpenPart
from gradviz.recorder.part_lines import LineTools, PartLines
from gradviz.recorder.sources import Sources, code_of
from gradviz.recorder.tensors import Tensors


class Lines:
    """Records source lines, where the recording goes as deep as that."""

    def __init__(self, log: Log, tensors: Tensors, sources: Sources, insides: Insides) -> None:
        self._arrays = Arrays(tensors)
        self._tools = LineTools(log, sources, insides, LineValues(tensors, self._arrays))
        self._insides = insides
        self._on = insides.level == "lines"

    def install(self, patches: Patches) -> None:
        """Hides from the run that it is traced."""
        if self._on:
            patches.replace(sys, "gettrace", lambda _: get_trace)
            patches.replace(sys, "settrace", lambda _: set_trace)

    def own(self, function: Any) -> None:
        """Says that the file of a function is the user's, wherever it lies."""
        code = code_of(function)
        if code is not None:
            self._tools.own.add(code.co_filename)

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
        lines = PartLines(self._tools, part)
        tracer = LineTracer(lines)
        tracer.start()
        try:
            return function(*args, **kwargs)
        finally:
            tracer.stop()
            lines.close()

    def forget(self) -> None:
        """Lets go of everything."""
        self._arrays.forget()
