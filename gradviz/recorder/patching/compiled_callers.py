"""Detection of ``torch.compile`` code, which runs eagerly while it is recorded."""

from __future__ import annotations

import sys
from pathlib import Path

import torch

from gradviz.catalogue.messages import say
from gradviz.recorder.log import RecordLog
from gradviz.recorder.sources import SourceRecorder, caller

_FILE = str(Path(torch.__file__).parent / "_dynamo" / "eval_frame.py")
_WRAPPERS = frozenset(("compile_wrapper",))
"""Functions of dynamo that run compiled code, for several versions of torch."""


class CompiledCodeNotice:
    """Reports compiled code once. Call with the log's lock held."""

    def __init__(self, log: RecordLog, sources: SourceRecorder) -> None:
        self._log = log
        self._sources = sources
        self._reported = False

    def report(self, step: int) -> None:
        """Report if a step was reached through compiled code."""
        if self._reported or "torch._dynamo" not in sys.modules:
            return
        innermost = frame = caller()
        while frame is not None:
            code = frame.f_code
            if code.co_filename == _FILE and code.co_name in _WRAPPERS:
                self._reported = True
                location = self._sources.at(innermost)
                self._log.find("forced_eager", say("forced_eager"), step=step, location=location)
                return
            frame = frame.f_back
