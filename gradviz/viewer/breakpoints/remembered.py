"""Stored breakpoints of each scene and of each name in a file."""

from __future__ import annotations

import logging

from gradviz.model.breakpoints.point import Breakpoint
from gradviz.model.codec import CodecError, decode, encode
from gradviz.viewer.subject_store import SubjectStore

_STORE = SubjectStore("breakpoints/set")
_LOG = logging.getLogger(__name__)


def remember(subject: str, points: tuple[Breakpoint, ...]) -> None:
    """Store the breakpoints of a subject."""
    _STORE.put(subject, [encode(point) for point in points] or None)


def recall(subject: str) -> tuple[Breakpoint, ...]:
    """Return the breakpoints last stored for a subject, except unreadable ones."""
    points: list[Breakpoint] = []
    data = _STORE.get(subject)
    for each in data if isinstance(data, list) else ():
        try:
            points.append(decode(Breakpoint, each))
        except CodecError as error:
            _LOG.info("Cannot read a stored breakpoint of %s: %s.", subject, error)
    return tuple(points)
