"""The breakpoints of each scene and of each name in a file, kept over starts of the program."""

from __future__ import annotations

import json
import logging
from typing import Any

from PySide6.QtCore import QSettings

from gradviz.model.breakpoints.point import Breakpoint
from gradviz.model.codec import CodecError, decode, encode

VERSION = 1
"""Of what is stored; another one is read as nothing."""

_KEY = "breakpoints/set"
_MOST_SUBJECTS = 100
"""The oldest are forgotten."""

_LOG = logging.getLogger(__name__)


def remember(subject: str, points: tuple[Breakpoint, ...]) -> None:
    """Keeps the breakpoints of what was run."""
    stored = _stored()
    stored.pop(subject, None)
    if points:
        stored[subject] = [encode(point) for point in points]
    newest = dict(list(stored.items())[-_MOST_SUBJECTS:])
    text = json.dumps({"version": VERSION, "subjects": newest}, allow_nan=False)
    QSettings().setValue(_KEY, text)


def recall(subject: str) -> tuple[Breakpoint, ...]:
    """The breakpoints that were set when this was run last; those that can still be read."""
    points: list[Breakpoint] = []
    data = _stored().get(subject)
    for each in data if isinstance(data, list) else ():
        try:
            points.append(decode(Breakpoint, each))
        except CodecError as error:
            _LOG.info("A breakpoint of %s is not read: %s.", subject, error)
    return tuple(points)


def _stored() -> dict[str, Any]:
    text = QSettings().value(_KEY, "")
    if not text:
        return {}
    try:
        data = json.loads(str(text))
    except ValueError:
        data = None
    if not isinstance(data, dict) or data.get("version") != VERSION:
        _LOG.info("The stored breakpoints are of no version that is known here.")
        return {}
    subjects = data.get("subjects")
    return subjects if isinstance(subjects, dict) else {}
