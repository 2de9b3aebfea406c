"""Finds the line of each key in a lesson file, which the TOML parser does not report."""

from __future__ import annotations

import re

# Between these, a line is part of a string of several lines.
_QUOTES = re.compile(r'"""|\'\'\'')
_STOP = re.compile(r"\s*\[\[\s*stop\s*\]\]")
_TABLE = re.compile(r"\s*\[\s*[^\[]")
_KEY = re.compile(r"\s*[\"']?([\w-]+)[\"']?\s*=")

KeyLines = dict[tuple[int, str], int]
"""Line, from 1, by the stop's position (-1 before the first) and key; `""` is the stop itself."""


def key_lines(text: str) -> KeyLines:
    """Find the lines of keys and stops in the text of a lesson."""
    lines: KeyLines = {}
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
