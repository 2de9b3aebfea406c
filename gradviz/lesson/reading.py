"""Reads a lesson file. Each error names the line and the key, and says what to write instead."""

from __future__ import annotations

import base64
import binascii
import tomllib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

from gradviz.analysis.arithmetic.telling_elements import parse_element
from gradviz.analysis.position.position_paths import is_position_path
from gradviz.analysis.position.view_target import ViewTab
from gradviz.catalogue.messages import say
from gradviz.lesson.key_lines import KeyLines, key_lines
from gradviz.lesson.lesson import AHEAD, ANSWER, PANELS, Lesson, LessonError, LessonStop

_HIDEABLE = (ANSWER, AHEAD, *PANELS)
_ZOOM = range(10, 401)
_Report = Callable[[str, str], LessonError]
"""Makes the error about a key from its problem."""


def read_lesson(path: Path) -> Lesson:
    """Read a lesson file.

    Raises:
        LessonError: If the file cannot be read or is not a lesson.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise LessonError(say("lesson.unread", path=path, reason=error.strerror)) from None
    except UnicodeDecodeError:
        raise LessonError(say("lesson.not_utf8", path=path)) from None
    return parse_lesson(text, str(path))


def parse_lesson(text: str, name: str) -> Lesson:
    """Read the text of a lesson file.

    Args:
        text: TOML.
        name: Name of the file in error messages.

    Raises:
        LessonError: If it is not a lesson.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(say("lesson.not_toml", name=name, problem=error)) from None
    lines = key_lines(text)
    report = partial(_report, name, lines, -1)
    _reject_unknown(found, ("title", "stop", "traces"), report)
    title = _take(found, "title", str, "", report)
    if not title.strip():
        raise report("title", say("lesson.no_title"))
    stops = found.get("stop", [])
    if not isinstance(stops, list) or not all(isinstance(each, dict) for each in stops):
        raise report("stop", say("lesson.stops"))
    traces = _traces(found.get("traces", {}), report)
    named = {each for each, _ in traces}
    parsed = tuple(
        _stop(each, named, partial(_report, name, lines, at)) for at, each in enumerate(stops)
    )
    return Lesson(title=title, stops=parsed, traces=traces)


def _report(name: str, lines: KeyLines, stop: int, key: str, problem: str) -> LessonError:
    line = lines.get((stop, key)) or lines.get((stop, "")) or 1
    return LessonError(say("lesson.problem", name=name, line=line, problem=problem))


def _reject_unknown(table: Mapping[str, object], known: tuple[str, ...], report: _Report) -> None:
    for key in table:
        if key not in known:
            raise report(key, say("lesson.unknown_key", entry=key, known=", ".join(known)))


def _take(
    table: Mapping[str, object],
    key: str,
    kind: type,
    default: Any,
    report: _Report,
) -> Any:
    value = table.get(key, default)
    # True is an int for Python, but not for people.
    fits = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if kind is float and type(value) is int:
        return float(value)
    if not fits:
        raise report(key, say(f"lesson.kind.{kind.__name__}", entry=key))
    return value


def _stop(table: Mapping[str, object], traces: set[str], report: _Report) -> LessonStop:
    known = tuple(each.name for each in fields(LessonStop))
    _reject_unknown(table, known, report)
    taken: dict[str, Any] = {}
    for field in fields(LessonStop):
        default = field.default
        if field.name == "hide":
            taken["hide"] = _hidden(table, report)
        elif field.name in table:
            taken[field.name] = _take(table, field.name, type(default), default, report)
    stop = LessonStop(**taken)
    _check_run(stop, traces, report)
    _check_view(stop, report)
    return stop


def _check_run(stop: LessonStop, traces: set[str], report: _Report) -> None:
    if bool(stop.scene) == bool(stop.trace):
        raise report("trace" if stop.trace else "", say("lesson.no_run"))
    if stop.trace and stop.trace not in traces and not stop.trace.endswith(".gradviz"):
        raise report("trace", say("lesson.trace", trace=stop.trace))
    if stop.check and not stop.scene:
        raise report("check", say("lesson.check"))


def _check_view(stop: LessonStop, report: _Report) -> None:
    if stop.step and not is_position_path(stop.step):
        raise report("step", say("place.unreadable", path=stop.step))
    if stop.tab not in get_args(ViewTab):
        raise report("tab", say("lesson.tab", tab=stop.tab, tabs=", ".join(get_args(ViewTab))))
    if stop.zoom and stop.zoom not in _ZOOM:
        raise report("zoom", say("lesson.zoom", least=_ZOOM[0], most=_ZOOM[-1]))
    if stop.arithmetic and parse_element(stop.arithmetic) is None:
        raise report("arithmetic", say("lesson.arithmetic"))
    if not 0 <= stop.minutes < 1000:
        raise report("minutes", say("lesson.minutes"))


def _hidden(table: Mapping[str, object], report: _Report) -> tuple[str, ...]:
    hidden = _take(table, "hide", list, [], report)
    for each in hidden:
        if each not in _HIDEABLE:
            raise report("hide", say("lesson.hide", what=each, known=", ".join(_HIDEABLE)))
    return tuple(hidden)


def _traces(table: object, report: _Report) -> tuple[tuple[str, bytes], ...]:
    if not isinstance(table, dict):
        raise report("traces", say("lesson.traces"))
    found = []
    for name, text in table.items():
        try:
            found.append((name, zlib.decompress(base64.b64decode(text))))
        except (TypeError, binascii.Error, zlib.error, ValueError):
            raise report("traces", say("lesson.embedded", trace=name)) from None
    return tuple(found)
