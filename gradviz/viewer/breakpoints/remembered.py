"""The breakpoints of each scene and of each name in a file, kept over starts of the program."""

from __future__ import annotations

import logging

from gradviz.model.breakpoints.point import Breakpoint
from gradviz.model.codec import CodecError, decode, encode
from gradviz.viewer.subject_store import SubjectStore

_STORE = SubjectStore("breakpoints/set")
_LOG = logging.getLogger(__name__)


def remember(subject: str, points: tuple[Breakpoint, ...]) -> None:
    """Keeps the breakpoints of what was run."""
    _STORE.put(subject, [encode(point) for point in points] or None)


def recall(subject: str) -> tuple[Breakpoint, ...]:
    """The breakpoints that were set when this was run last; those that can still be read."""
    points: list[Breakpoint] = []
    data = _STORE.get(subject)
    for each in data if isinstance(data, list) else ():
        try:
            points.append(decode(Breakpoint, each))
        except CodecError as error:
            _LOG.info("A breakpoint of %s is not read: %s.", subject, error)
    return tuple(points)
