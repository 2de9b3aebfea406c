"""Error boundary between the recorder and the user's run."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

from gradviz.recorder.asynchronous_errors import complete_interrupted, is_asynchronous
from gradviz.recorder.trace_function import (
    get_trace_function,
    pausable_trace_function,
    set_trace_function,
)

P = ParamSpec("P")
R = TypeVar("R")


class ErrorBoundary(Protocol):
    """Receiver of errors that are raised while recording."""

    strict: bool
    unreported: dict[str, Exception]

    @property
    def alive(self) -> bool:
        """Whether anything is recorded."""

    def report_error(self, place: str, error: Exception) -> None:
        """Note that recording failed at ``place``."""


class HasErrorBoundary(Protocol):
    """An object whose methods are guarded by this error boundary."""

    @property
    def error_boundary(self) -> ErrorBoundary:
        """Receiver of its errors."""


S = TypeVar("S", bound=HasErrorBoundary)

# Kept here, because user code may replace ``str``.
_text, plain_text = str, str.__str__


def safe_exception_text(error: BaseException) -> str:
    """``str`` of a user's exception; empty if ``__str__`` itself raises."""
    try:
        # A subclass of ``str`` may be returned, whose methods are user code too.
        return plain_text(_text(error))
    # Whatever it is, the exception that is described has ended the run already.
    except BaseException:
        return ""


def attempt(
    boundary: ErrorBoundary, work: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R | Exception:
    """The result of a call, or the exception that it raised; in strict mode, it is raised.

    For work of which one part may fail without the rest, such as one tensor of many. What a signal
    handler or another thread has raised is raised on.
    """
    try:
        return work(*args, **kwargs)
    except Exception as error:
        if boundary.strict or is_asynchronous(error):
            raise
        return error


def within_error_boundary(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R | None]:
    """Make a method of the recorder safe to call inside the user's run.

    The method must not call user code, whose exceptions have to reach the user, as has what a
    signal handler or another thread raises. Any other exception becomes a finding and the method
    returns None; in strict mode it is raised.
    After the recording has ended, the method does nothing.
    """
    return _guarded(method, may_be_traced=True)


def within_error_boundary_in_trace_function(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R | None]:
    """Like `within_error_boundary`, for methods that only trace functions call.

    While one runs, Python traces nothing in its thread.
    """
    return _guarded(method, may_be_traced=False)


def _guarded(
    method: Callable[Concatenate[S, P], R], *, may_be_traced: bool
) -> Callable[Concatenate[S, P], R | None]:
    place = method.__qualname__

    @functools.wraps(method)
    def guarded(self: S, *args: P.args, **kwargs: P.kwargs) -> R | None:
        if (
            get_trace_function() is not None
            and may_be_traced
            and (trace := pausable_trace_function()) is not None
        ):
            try:
                set_trace_function(None)
                return guarded(self, *args, **kwargs)
            finally:
                set_trace_function(trace)
        try:
            if not self.error_boundary.alive:
                return None
            return method(self, *args, **kwargs)
        except Exception as error:
            complete_interrupted(error)
            _report(self.error_boundary, place, error)
            return None
        except BaseException as error:  # Ctrl+C must end the run.
            complete_interrupted(error)
            raise

    return cast("Callable[Concatenate[S, P], R | None]", guarded)


def _report(boundary: ErrorBoundary, place: str, error: Exception) -> None:
    """Report an error that is being handled; if it is not the recorder's, raise it again."""
    if boundary.strict or is_asynchronous(error):
        raise error
    try:
        boundary.report_error(place, error)
    except Exception as second:
        if is_asynchronous(second):
            raise
        # User code may have replaced what a report needs. It is made at the end then.
        boundary.unreported[place] = error.with_traceback(None)
