"""The ``gradviz`` fixture: recordings and asserted checks within a test."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Self

import torch

from gradviz.api.check import check
from gradviz.api.record import RunRecorder, record
from gradviz.api.result import CheckResult
from gradviz.catalogue.messages import say_count
from gradviz.model.inside import RecordingLevel
from gradviz.testing.gradcheck_calls import failure_sentence
from gradviz.testing.nan_gradients import nan_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gradviz.testing.watch import TestWatch


class GradvizFixture:
    """Recordings and checks of one test, whose traces ``--gradviz`` keeps."""

    def __init__(self, watch: TestWatch | None) -> None:
        """Keep traces with a watch; None if ``--gradviz`` was not given."""
        self._watch = watch
        self._recorders: list[RunRecorder] = []

    def record(self, *, level: RecordingLevel = "all", title: str = "") -> RunRecorder:
        """Record a ``with`` block, as ``gradviz.record`` does.

        With ``--gradviz``, the trace is kept and listed at the end.

        Args:
            level: What to record: ``nodes``, also their ``ops``, or also source ``lines``.
            title: Title for people.
        """
        recorder = record(level=level, title=title)
        self._recorders.append(recorder)
        return recorder

    def check(
        self, fn: Callable[..., Any], inputs: torch.Tensor | Sequence[Any], **settings: Any
    ) -> CheckResult:
        """Fail the test unless ``gradviz.check`` passes; return its result.

        With ``--gradviz``, the trace of a failure is kept and listed at the end.

        Args:
            fn: As for ``gradviz.check``.
            inputs: As for ``gradviz.check``.
            **settings: All other arguments of ``gradviz.check``.

        Raises:
            AssertionError: With verdict, diagnosis and repair, if the check does not pass.
        """
        __tracebackhide__ = True
        watch = self._watch
        path = None if watch is None else watch.traces.temporary("check")
        with nullcontext() if watch is None else watch.recording.paused():
            result = check(fn, inputs, trace=path, **settings)
        if watch is not None and path is not None and not result.passed:
            watch.traces.keep(path, failure_sentence("gradviz.check", result), is_check=True)
        result.raise_for_mismatch()
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for each in self._recorders:
            each.stop()
            if self._watch is not None and each.path.exists():
                steps = say_count("tests.recorded", len(each.trace.steps))
                found = nan_sentence(each.path)
                self._watch.traces.keep(each.path, f"{steps} {found}".rstrip())
