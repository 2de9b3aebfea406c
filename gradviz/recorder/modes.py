"""The modes of a recording: on in each thread that the run's code is seen in, and off again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gradviz.recorder import compat
from gradviz.recorder.function_mode import FunctionMode
from gradviz.recorder.op_mode import OpMode


class Modes:
    """The torch-function mode, and the dispatch mode where the recording looks into steps."""

    def __init__(self, functions: FunctionMode, ops: OpMode | None) -> None:
        self._functions = functions
        self._ops = ops

    def put_on(self) -> None:
        """Puts the modes on in this thread, until `leave`."""
        compat.put_on(self._functions)
        if self._ops is not None:
            compat.put_on_dispatch(self._ops)

    @contextlib.contextmanager
    def entered_once(self) -> Iterator[None]:
        """Puts on in this thread what is not on yet."""
        with self._functions.entered_once(), self.looking():
            yield

    def looking(self) -> contextlib.AbstractContextManager[None]:
        """Puts the dispatch mode on, if there is one and it is not on yet."""
        return contextlib.nullcontext() if self._ops is None else self._ops.entered_once()

    def leave(self) -> None:
        """Takes the modes off in this thread; where others have them on, they do nothing more."""
        if self._ops is not None:
            self._ops.leave()
        self._functions.leave()
