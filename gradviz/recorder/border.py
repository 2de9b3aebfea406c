"""The border between the user's run and the recorder: trouble on our side stays on our side."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar, cast

from gradviz.recorder.line_tracer import OURS, current, trace_by

P = ParamSpec("P")
R = TypeVar("R")


class Border(Protocol):
    """What takes trouble in."""

    strict: bool
    alive: bool

    def trouble(self, place: str, error: Exception) -> None:
        """Notes that recording failed at ``place``."""


class Bordered(Protocol):
    """An object that stands at the border."""

    @property
    def border(self) -> Border:
        """Where its trouble goes."""


S = TypeVar("S", bound=Bordered)


def text_of(error: BaseException) -> str:
    """``str`` of a user's exception; empty where that raises itself."""
    try:
        return str(error)
    except Exception:
        return ""


def bordered(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R | None]:
    """Makes a method of the recorder safe to call inside the user's run.

    The method must not call user code: an exception of the user has to pass. Any other exception
    becomes a finding and the result None; in strict mode it is raised. Where nothing is recorded
    any more, nothing is done.
    """
    place = method.__qualname__

    @functools.wraps(method)
    def guarded(self: S, *args: P.args, **kwargs: P.kwargs) -> R | None:
        trace = current()
        if trace is None or getattr(trace, "__func__", None) is not OURS:
            trace = None
        else:
            # Nothing here is the user's: what is traced for nothing takes twice as long.
            trace_by(None)
        try:
            if not self.border.alive:
                return None
            return method(self, *args, **kwargs)
        except Exception as error:
            if self.border.strict:
                raise
            self.border.trouble(place, error)
            return None
        finally:
            if trace is not None:
                trace_by(trace)

    return cast("Callable[Concatenate[S, P], R | None]", guarded)
