"""Endings of unfinished steps, stages, lines and ops."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.source import Location
from gradviz.model.step import ErrorStep
from gradviz.text.punctuation import without_full_stop
from gradviz.text.sentences.values import short_text

_MOST_CHARACTERS = 160


def run_error(index: TraceIndex) -> ErrorStep | None:
    """The exception that ended the run; None if there was none."""
    last = step_at(index, len(index.trace.steps))
    return last if isinstance(last, ErrorStep) else None


def raised_at(index: TraceIndex, location: Location | None, last_line: int = 0) -> ErrorStep | None:
    """The exception that ended the run, if its traceback passes through the given lines.

    Args:
        index: The trace.
        location: The first line; None if there are no lines.
        last_line: Number of the last line.
    """
    error = run_error(index)
    if error is None or location is None:
        return None
    frames = error.traceback or (() if error.location is None else (error.location,))
    lines = range(location.line, max(location.line, last_line) + 1)
    came = any(frame.path == location.path and frame.line in lines for frame in frames)
    return error if came else None


def run_continued(index: TraceIndex, number: int) -> bool:
    """Whether the run continued after a step, or at least ended with a known outcome."""
    return index.trace.is_whole or number < len(index.trace.steps)


def exception_text(error: ErrorStep) -> str:
    """An exception and the first line of its message, without a full stop."""
    message = short_text((error.message.strip().splitlines() or [""])[0], _MOST_CHARACTERS)
    message = without_full_stop(message)
    key = "exception.message" if message else "exception"
    return say(key, exception=error.exception, message=message)
