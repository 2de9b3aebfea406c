"""Eager execution of compiled code while it is recorded.

Detection of ``torch.compile`` code, which runs eagerly while it is recorded.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.recorder.log import RecordLog
from gradviz.recorder.patching.signals import calls_user_code
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


class ForceEager:
    """Switch that makes ``torch.compile`` run code eagerly, so that user methods are called.

    Importing dynamo takes seconds. It is therefore only used if it is already imported, or when
    ``torch.compile`` is called.
    """

    def __init__(self) -> None:
        self._stance: Any = None

    def install(self) -> None:
        """Force eager execution now, if dynamo is imported and code may be compiled already."""
        if self._stance is None and "torch._dynamo" in sys.modules:
            self._stance = torch.compiler.set_stance("force_eager")

    def compile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap ``torch.compile`` so that eager execution is forced before it compiles."""

        @functools.wraps(original)
        @calls_user_code
        def compile_eagerly(*args: Any, **kwargs: Any) -> Any:
            importlib.import_module("torch._dynamo")
            self.install()
            return original(*args, **kwargs)

        return compile_eagerly

    def remove(self) -> None:
        """Restore the previous stance."""
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None
