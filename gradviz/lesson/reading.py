"""Reads a lesson file. Each error names the line and the key, and says what to write instead."""

from __future__ import annotations

import base64
import binascii
import math
import os
import re
import tomllib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from pathlib import Path
from stat import S_ISREG
from typing import Any, get_args

from gradviz.analysis.position.position_paths import is_position_path
from gradviz.analysis.position.view_target import ViewTab
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.lesson.lesson import (
    MOST_FILE_BYTES,
    MOST_TRACE_BYTES,
    Lesson,
    LessonError,
    LessonStop,
)

_TEXTS = ("title", "headline", "question", "answer", "solution", "notes")
_MOST_CHARACTERS = {True: 1_000_000, False: 4096}
"""Of a text for people, and of any other."""

_MOST_STRUCTURE = 1 << 20
"""Characters of a lesson that are not in its texts and embedded traces."""
_MOST_DEPTH = 8
# The parser needs time that grows with the square of the depth, and recursion. Possessive, so that
# a long text needs no memory; a text without an end goes to the end of its line or of the file.
_TEXT = re.compile(
    r"""
    ["]{3} (?: [^"\\]++ | \\. | "(?!"") )*+ (?: "{3,5} | \\?\Z )
    | '{3} .*? (?: '{3,5} | \Z )
    | " (?: [^"\\\n]++ | \\. )*+ "?
    | ' [^'\n]*+ '?
    | \# [^\n]*+
    """,
    re.DOTALL | re.VERBOSE,
)
_BRACKET = re.compile(r"[\[{\]}]")
# Nothing else is opened, and no file.
_PAGE = re.compile(r"https?://[^\s/\"'<>\\][^\s\"'<>\\]{0,200}", re.IGNORECASE)
# Between these, a line is part of a string of several lines.
_QUOTES = re.compile(r'"""|\'\'\'')
_STOP = re.compile(r"\s*\[\[\s*stop\s*\]\]")
_TABLE = re.compile(r"\s*\[\s*[^\[]")
_KEY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")

_KeyLines = dict[tuple[int, str], int]
"""Line, from 1, by the stop's position (-1 before the first) and key; `""` is the stop itself."""

_Report = Callable[[str, str], LessonError]
"""Makes the error about a key from its problem."""


def read_lesson(path: Path) -> Lesson:
    """Read a lesson file.

    Raises:
        LessonError: If the file cannot be read or is not a lesson.
    """
    try:
        text = _content(path).decode("utf-8-sig")
    except OSError as error:
        raise LessonError(say("lesson.unread", path=path, reason=error.strerror)) from None
    except UnicodeDecodeError:
        raise LessonError(say("lesson.not_utf8", path=path)) from None
    return parse_lesson(text.replace("\r\n", "\n").replace("\r", "\n"), str(path))


def _content(path: Path) -> bytes:
    # Opening a pipe would wait for its writer, and reading a device might never end.
    if not (S_ISREG(os.stat(path).st_mode) or path.is_dir()):
        raise LessonError(say("lesson.unread", path=path, reason=say("file.not_regular")))
    with path.open("rb") as file:
        content = file.read(MOST_FILE_BYTES + 1)
    if len(content) > MOST_FILE_BYTES:
        raise LessonError(say("lesson.too_large", name=path))
    return content


def parse_lesson(text: str, name: str) -> Lesson:
    """Read the text of a lesson file.

    Args:
        text: TOML.
        name: Name of the file in error messages.

    Raises:
        LessonError: If it is not a lesson.
    """
    found = _parsed(text, name)
    lines = _key_lines(text)
    report = partial(_report, name, lines, -1)
    _reject_unknown(found, ("title", "page", "stop", "traces"), report)
    title = _take(found, "title", str, "", report)
    if not title.strip():
        raise report("title", say("lesson.no_title"))
    page = _take(found, "page", str, "", report)
    if page and not (_PAGE.fullmatch(page) and page.isprintable()):
        raise report("page", say("lesson.page"))
    stops = found.get("stop", [])
    if not isinstance(stops, list) or not all(isinstance(each, dict) for each in stops):
        raise report("stop", say("lesson.stops"))
    traces = _traces(found.get("traces", {}), report)
    named = {each for each, _ in traces}
    parsed = tuple(
        _stop(each, named, partial(_report, name, lines, at)) for at, each in enumerate(stops)
    )
    return Lesson(title=title, page=page, stops=parsed, traces=traces)


def _parsed(text: str, name: str) -> dict[str, Any]:
    """The values of a TOML text, in a time that is bounded by its size."""
    structure = _TEXT.sub("", text)
    if len(structure) > _MOST_STRUCTURE:
        raise LessonError(say("lesson.too_large", name=name))
    depth = 0
    for bracket in _BRACKET.findall(structure):
        depth += 1 if bracket in "[{" else -1
        if depth > _MOST_DEPTH:
            raise LessonError(say("lesson.too_deep", name=name))
    if any(line.count(".") > _MOST_DEPTH for line in structure.splitlines()):
        raise LessonError(say("lesson.too_deep", name=name))
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(say("lesson.not_toml", name=name, problem=error)) from None
    except ValueError:  # a number of more than 4,300 digits
        raise LessonError(say("lesson.long_number", name=name)) from None


def _report(name: str, lines: _KeyLines, stop: int, key: str, problem: str) -> LessonError:
    line = lines.get((stop, key)) or lines.get((stop, "")) or 1
    return LessonError(say("lesson.problem", name=name, line=line, problem=problem))


def _reject_unknown(table: Mapping[str, object], known: tuple[str, ...], report: _Report) -> None:
    for key in table:
        if key not in known:
            entry = f"{key:.60}"
            raise report(key, say("lesson.unknown_key", entry=entry, known=", ".join(known)))


def _take(
    table: Mapping[str, object],
    key: str,
    kind: type,
    default: Any,
    report: _Report,
) -> Any:
    value = table.get(key, default)
    if kind is float and type(value) is int:
        # One that is too large for a float is as far out of range.
        return float(value) if abs(value) < 1 << 60 else math.inf
    if not isinstance(value, kind):
        raise report(key, say(f"lesson.kind.{kind.__name__}", entry=key))
    if isinstance(value, str) and len(value) > (most := _MOST_CHARACTERS[key in _TEXTS]):
        raise report(key, say("lesson.too_long", entry=key, most=format_count(most)))
    return value


def _stop(table: Mapping[str, object], traces: set[str], report: _Report) -> LessonStop:
    known = tuple(each.name for each in fields(LessonStop))
    _reject_unknown(table, known, report)
    taken: dict[str, Any] = {}
    for field in fields(LessonStop):
        default = field.default
        if field.name == "show":
            taken["show"] = _texts_of(table, "show", report)
        elif field.name in table:
            taken[field.name] = _take(table, field.name, type(default), default, report)
    stop = LessonStop(**taken)
    _check_run(stop, traces, report)
    _check_view(stop, report)
    return stop


def _check_run(stop: LessonStop, traces: set[str], report: _Report) -> None:
    if bool(stop.scene) == bool(stop.trace):
        raise report("trace" if stop.trace else "", say("lesson.no_run"))
    is_path = stop.trace.endswith(".gradviz") and "\0" not in stop.trace
    if stop.trace and stop.trace not in traces and not is_path:
        raise report("trace", say("lesson.trace", trace=stop.trace))
    if stop.check and not stop.scene:
        raise report("check", say("lesson.check"))


def _check_view(stop: LessonStop, report: _Report) -> None:
    if stop.step and not is_position_path(stop.step):
        raise report("step", say("place.unreadable", path=stop.step))
    if stop.tab not in get_args(ViewTab):
        raise report("tab", say("lesson.tab", tab=stop.tab, tabs=", ".join(get_args(ViewTab))))
    if not 0 <= stop.minutes < 1000:
        raise report("minutes", say("lesson.minutes"))


def _texts_of(table: Mapping[str, object], key: str, report: _Report) -> tuple[str, ...]:
    found = _take(table, key, list, [], report)
    if not all(isinstance(each, str) for each in found):
        raise report(key, say("lesson.kind.list", entry=key))
    return tuple(found)


def _traces(table: object, report: _Report) -> tuple[tuple[str, bytes], ...]:
    if not isinstance(table, dict):
        raise report("traces", say("lesson.traces"))
    found, left = [], MOST_TRACE_BYTES
    for name, text in table.items():
        # A small text may unpack to more than the memory.
        unpacked = zlib.decompressobj()
        try:
            content = unpacked.decompress(base64.b64decode(text), left + 1)
        except (TypeError, binascii.Error, zlib.error, ValueError):
            content = b""
        left -= len(content)
        if left < 0:
            raise report("traces", say("lesson.embedded.too_large", size=MOST_TRACE_BYTES >> 20))
        if not unpacked.eof:
            raise report("traces", say("lesson.embedded", trace=f"{name:.60}"))
        found.append((name, content))
    return tuple(found)


def _key_lines(text: str) -> _KeyLines:
    """Find the lines of keys and stops in a text, which the TOML parser does not report."""
    lines: _KeyLines = {}
    stop, inside = -1, ""
    for number, line in enumerate(text.splitlines(), 1):
        if not inside:
            if _STOP.match(line):
                stop += 1
                lines[stop, ""] = number
            elif _TABLE.match(line):
                stop = -2
            elif key := _KEY.match(line):
                lines.setdefault((stop, key[1]), number)
        for quotes in _QUOTES.findall(line):
            if not inside:
                inside = quotes
            elif inside == quotes:
                inside = ""
    return lines
