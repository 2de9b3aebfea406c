"""Draws the lines of source code around the place of a stop."""

from __future__ import annotations

from functools import lru_cache

from gradviz.catalogue.messages import say
from gradviz.document.source_excerpt import SourceExcerpt
from gradviz.drawing.appearance.font_metrics import FontTable, read_font
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.export.handout.page_layout import PageColumn
from gradviz.resource import resource_path

CODE_SIZE = 8.5
_LINE, _GUTTER, _PAD = 12 / 8.5, 30 / 8.5, 6.0
"""Line height and width of the line numbers, in font sizes, and the padding."""


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
