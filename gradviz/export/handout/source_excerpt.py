"""The lines of source code around the place of a stop."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePath

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.source_statements import nested_statements, parse_source
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.font_metrics import FontTable, read_font
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.export.handout.page_layout import LEADING, PageColumn
from gradviz.export.page.places import lines_at_position
from gradviz.model.source import source_lines
from gradviz.resource import resource_path

MOST_LINES = 18
CODE_SIZE = 8.5
_LINE, _GUTTER, _PAD = 12 / 8.5, 30 / 8.5, 6.0
"""Line height and width of the line numbers, in font sizes, and the padding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceExcerpt:
    """Some lines of a source file.

    Attributes:
        file: Name of the file.
        first: Number of the first line.
        lines: The lines, without their common indentation.
        current: Numbers of the lines that the place is about.
    """

    file: str
    first: int
    lines: tuple[str, ...]
    current: range

    def shortened(self, most: int) -> SourceExcerpt:
        """Return the excerpt with fewer lines, around the current ones."""
        count = len(self.lines)
        if count <= most:
            return self
        shown = self.current[:most]
        at = shown[0] - self.first - (most - len(shown)) // 2
        at = max(0, min(at, count - most))
        return replace(self, first=self.first + at, lines=self.lines[at : at + most])


def source_excerpt(index: TraceIndex, place: TracePosition) -> SourceExcerpt | None:
    """The source around a place; None if it has none."""
    found = lines_at_position(index, place)
    if found is None:
        return None
    source = index.source[found.file]
    lines = source_lines(source.text)
    exact = range(found.first, found.last + 1)
    around = _definitions_around(source.text, exact)
    block = around[-1] if around else exact
    current = exact if found.exact else block
    shown = _shown_lines(around, current, len(lines))
    while shown and not lines[shown[0] - 1].strip():
        shown = shown[1:]
    while shown and not lines[shown[-1] - 1].strip():
        shown = shown[:-1]
    if not shown:
        return None
    texts = [visible_text(lines[number - 1].expandtabs(8)).rstrip() for number in shown]
    return SourceExcerpt(
        file=visible_text(PurePath(source.path).name),
        first=shown[0],
        lines=tuple(textwrap.dedent("\n".join(texts)).split("\n")),
        current=current,
    )


def _definitions_around(text: str, lines: range) -> list[range]:
    """Lines of the functions and classes around some lines, the outer ones first."""
    tree, found = parse_source(text), []
    for node in () if tree is None else nested_statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            inside = range(first, (node.end_lineno or node.lineno) + 1)
            if lines[0] in inside and lines[-1] in inside:
                found.append(inside)
    return found


def _shown_lines(around: Sequence[range], current: range, total: int) -> range:
    """As much of the definitions around as fits, or else lines around the current ones."""
    for outer in around:
        for last in (outer[-1], around[-1][-1]):
            if last - outer[0] < MOST_LINES:
                return range(outer[0], last + 1)
    if len(current) >= MOST_LINES:
        return current[:MOST_LINES]
    within = around[-1] if around else range(1, total + 1)
    first = current[0] - (MOST_LINES - len(current)) // 2
    first = max(within[0], min(first, within[-1] + 1 - MOST_LINES))
    return range(first, min(within[-1], first + MOST_LINES - 1) + 1)


def draw_code(
    column: PageColumn, excerpt: SourceExcerpt, size: float = CODE_SIZE, head_size: float = 9.5
) -> None:
    """Add an excerpt with line numbers; the current lines have a background and a bar.

    Args:
        column: Where it is added.
        excerpt: The lines.
        size: Font size of the code.
        head_size: Font size of the file's name.
    """
    last = excerpt.first + len(excerpt.lines) - 1
    head = say("handout.lines", file=excerpt.file, first=excerpt.first, last=last)
    column.text(head, "text_muted", head_size, most=1)
    column.y += 4
    line_height, gutter = size * _LINE, size * _GUTTER
    paint, height = column.paint, len(excerpt.lines) * line_height + 2 * _PAD
    frame = svg_element(
        "rect", width=column.width, height=height, rx=4, fill="none", stroke=paint("border")
    )
    parts = [frame]
    for at, line in enumerate(excerpt.lines):
        top, number = _PAD + at * line_height, excerpt.first + at
        if number in excerpt.current:
            back, wide = paint("current_line"), column.width - 2
            parts += [
                svg_element("rect", x=1, y=top, width=wide, height=line_height, fill=back),
                svg_element("rect", x=1, y=top, width=3, height=line_height, fill=paint("accent")),
            ]
        baseline, muted = top + line_height * 0.74, paint("gutter_text")
        parts.append(code_line(str(number), gutter - 6, baseline, size, muted, anchor="end"))
        if line:
            fitting = _fitted(line, column.width - gutter - 10, size)
            parts.append(code_line(fitting, gutter + 4, baseline, size, paint("text")))
    column.put("".join(parts), 0, height)


def code_height(lines: int, size: float, head_size: float) -> float:
    """Height of what `draw_code` adds for a number of lines."""
    return head_size * LEADING + 4 + lines * size * _LINE + 2 * _PAD


def code_line(
    text: str, x: float, baseline: float, size: float, fill: str, anchor: str = "start"
) -> str:
    """One line of plain text in a monospaced font, with its spaces."""
    return svg_element(
        "text",
        escaped(text),
        **{"xml:space": "preserve"},
        x=x,
        y=baseline,
        font_family="Hack",
        font_size=size,
        fill=fill,
        text_anchor=anchor,
    )


def code_width(text: str, size: float) -> float:
    """Width of a line of `code_line`."""
    return _code_font().width(text) * size


def _fitted(line: str, width: float, size: float) -> str:
    """A line, cut at its end if it is wider than the paper."""
    if code_width(line, size) <= width:
        return line
    kept = line
    while kept and code_width(kept + "…", size) > width:
        kept = kept[: min(len(kept) - 1, int(width / (size * 0.3)))]
    return kept + "…"


@lru_cache(maxsize=1)
def _code_font() -> FontTable:
    return read_font(resource_path("fonts/Hack-Regular.ttf"))
