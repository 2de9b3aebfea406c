"""Writes a lesson file as one would by hand: keys in order, and only those that say something."""

from __future__ import annotations

import base64
import json
import textwrap
import zlib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.lesson.lesson import (
    MOST_FILE_BYTES,
    MOST_TRACE_BYTES,
    Lesson,
    LessonError,
    LessonStop,
)

_COLUMNS = 100


def write_lesson(lesson: Lesson, path: Path) -> None:
    """Write a lesson file.

    Raises:
        LessonError: If it cannot be written.
    """
    content = lesson_text(lesson).encode()
    unpacked = sum(len(trace) for _, trace in lesson.traces)
    if len(content) > MOST_FILE_BYTES or unpacked > MOST_TRACE_BYTES:
        raise LessonError(say("lesson.too_large", name=path))
    try:
        path.write_bytes(content)
    except OSError as error:
        raise LessonError(say("lesson.unwritten", path=path, reason=error.strerror)) from None


def lesson_text(lesson: Lesson) -> str:
    """Format a lesson as TOML; `gradviz.lesson.reading.parse_lesson` reads the same lesson."""
    parts = [f"title = {_string(lesson.title)}\n"]
    parts += [f"page = {_string(lesson.page)}\n"] if lesson.page else []
    parts += ["\n[[stop]]\n" + "".join(_entries(stop)) for stop in lesson.stops]
    if lesson.traces:
        parts.append("\n[traces]\n")
    for name, content in lesson.traces:
        packed = base64.b64encode(zlib.compress(content, 9)).decode("ascii")
        wrapped = "\n".join(textwrap.wrap(packed, _COLUMNS))
        parts.append(f'{_string(name)} = """\n{wrapped}"""\n')
    return "".join(parts)


def _entries(stop: LessonStop) -> Iterator[str]:
    for field in fields(stop):
        value = getattr(stop, field.name)
        if value != field.default:
            yield f"{field.name} = {_value(value)}\n"


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"{value:g}"
        case tuple():
            return f"[{', '.join(_string(each) for each in value)}]"
        case _:
            return _string(str(value))


def _string(text: str) -> str:
    # JSON escapes a string as TOML does, except for DEL.
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    if "\n" not in text:
        return quoted
    lines = quoted[1:-1].replace("\\n", "\n").replace('\\"', '"')
    if '"""' in lines or lines.endswith('"') or "\\\n" in lines or "\\\\" in lines:
        return quoted
    return f'"""\n{lines}"""'
