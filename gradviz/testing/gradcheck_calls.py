"""Diagnosis of the calls of ``torch.autograd.gradcheck`` and ``gradgradcheck`` that fail."""

from __future__ import annotations

import functools
import importlib
import inspect
import io
import threading
import warnings
from collections.abc import Callable, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, Literal

import torch

from gradviz.api.check import check
from gradviz.api.result import CheckResult
from gradviz.catalogue.messages import say
from gradviz.checks.random_tensors import same_random_state
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.testing.nan_gradients import NanGradientWatch
from gradviz.testing.written_traces import WrittenTraces

_ORDERS: dict[str, Literal[1, 2]] = {"gradcheck": 1, "gradgradcheck": 2}
OPTIONS = {
    "eps": "eps",
    "atol": "atol",
    "rtol": "rtol",
    "nondet_tol": "nondet_tol",
    "check_undefined_grad": "undefined",
    "check_backward_ad": "backward_mode",
    "check_rev_over_rev": "backward_mode",
    "check_batched_grad": "batched",
    "check_batched_forward_grad": "batched_forward",
    "fast_mode": "fast",
    "gen_non_contig_grad_outputs": "noncontiguous",
}
"""Name of each option of gradcheck and gradgradcheck, and what `check` calls it."""


class GradcheckWatch:
    """Wraps both functions; a call has its own result or exception, whatever is found."""

    def __init__(self, traces: WrittenTraces, recording: NanGradientWatch) -> None:
        self._traces = traces
        self._recording = recording
        self._patches = AttributePatches()
        self._thread = threading.local()

    def install(self) -> None:
        """Wrap the functions under all names that torch gives them."""
        # The package has a function of the module's name.
        module = importlib.import_module("torch.autograd.gradcheck")
        for owner in (module, torch.autograd):
            for name, order in _ORDERS.items():
                self._patches.replace(owner, name, functools.partial(self._wrap, name, order))

    def remove(self) -> None:
        """Restore torch's own functions."""
        self._patches.remove()

    def _wrap(
        self, name: str, order: Literal[1, 2], original: Callable[..., bool]
    ) -> Callable[..., bool]:
        @functools.wraps(original)
        def call(*arguments: Any, **keywords: Any) -> bool:
            __tracebackhide__ = True
            # Gradgradcheck calls gradcheck. Modules keep the wrapper after the last test.
            if not self._traces.test or getattr(self._thread, "is_inside", False):
                return original(*arguments, **keywords)
            self._thread.is_inside = True
            try:
                with self._recording.paused():
                    try:
                        passed = original(*arguments, **keywords)
                    except Exception as error:
                        self._explain(name, order, original, arguments, keywords, str(error))
                        raise
                    if not passed:
                        self._explain(name, order, original, arguments, keywords, "")
                    return passed
            finally:
                self._thread.is_inside = False

        return call

    def _explain(
        self,
        name: str,
        order: Literal[1, 2],
        original: Callable[..., bool],
        arguments: tuple[Any, ...],
        keywords: Mapping[str, Any],
        message: str,
    ) -> None:
        """Check the same function on the same inputs, and keep the trace with the diagnosis."""
        with self._traces.error_boundary(name):
            bound = inspect.signature(original).bind(*arguments, **keywords)
            bound.apply_defaults()
            path = self._traces.temporary("check")
            result = _quiet_check(bound.arguments, order, path)
            self._traces.keep(path, failure_sentence(name, result, message), is_check=True)


def _quiet_check(given: Mapping[str, Any], order: Literal[1, 2], path: Path) -> CheckResult:
    """Check without output, warnings, or effects on random numbers."""
    forward = given.get("check_forward_ad", given.get("check_fwd_over_rev"))
    with ExitStack() as stack:
        stack.enter_context(same_random_state())
        stack.enter_context(redirect_stdout(io.StringIO()))
        stack.enter_context(redirect_stderr(io.StringIO()))
        stack.enter_context(warnings.catch_warnings(action="ignore"))
        return check(
            given["func"],
            given["inputs"],
            order=order,
            cast=False,
            forward_mode="on" if forward else "auto",
            masked=bool(given["masked"]),  # None, the default of gradcheck, means False.
            grad_outputs=given.get("grad_outputs"),
            trace=path,
            **{ours: given[theirs] for theirs, ours in OPTIONS.items() if theirs in given},
        )


def failure_sentence(name: str, result: CheckResult, message: str = "") -> str:
    """Why a check failed, in one sentence that names the function.

    Args:
        name: What was called, such as ``gradcheck``.
        result: Result of the same check by gradviz.
        message: Message of the exception that the call raised; empty for none.
    """
    title, diagnoses = result.report.subject, result.diagnoses
    deciding = [each.message for each in result.problems if each.decides]
    if not result.passed and diagnoses and (diagnoses[0].code != "unknown" or not deciding):
        reason = diagnoses[0].message
    elif deciding:
        reason = deciding[0]
    else:
        first = message.strip().partition("\n")[0]
        reason = say("tests.not_reproduced", message=first).rstrip()
    return say("tests.failed", check=name, name=title, reason=reason)
