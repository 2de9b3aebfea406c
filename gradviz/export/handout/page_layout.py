"""Layout of a handout's page, which is filled from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole, color
from gradviz.drawing.appearance.text_styles import TextStyle
from gradviz.export.graph.svg_document import svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_moved, svg_text_line
from gradviz.story.blocks import text_lines

WIDTH, TOP = 673.0, 84.0
"""Width of the content on all paper, and where it begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperFormat:
    """Width and height of the paper, of which an inch has 96 units."""

    width: int
    height: int

    @property
    def bottom(self) -> float:
        """Where the content of a page ends."""
        return self.height - 63.0


PAPERS = {
    "a4": PaperFormat(width=793, height=1123),
    "letter": PaperFormat(width=816, height=1056),
}
"""Formats by name."""

A4 = PAPERS["a4"]
LEADING = 1.42
"""Distance of two lines as a multiple of the font's size."""

_SMALL = 9.5
_MOST_CHARACTERS = 4_000


def print_paint() -> Paint:
    """The colors of the light theme on a white page."""
    return Paint("light", lambda role: "#ffffff" if role == "canvas" else color(role, "light"))


@dataclass(slots=True)
class PageColumn:
    """A part of a page that grows downwards as content is added.

    Attributes:
        paint: Returns the color of a role.
        width: Its width.
        y: Its height so far.
        parts: Its content as SVG, from the origin on.
    """

    paint: Paint
    width: float = WIDTH
    y: float = 0.0
    parts: list[str] = field(default_factory=list)

    def text(
        self,
        content: str,
        role: PaletteRole = "text",
        size: float = 11,
        style: TextStyle = "line",
        *,
        most: int,
    ) -> None:
        """Add plain text, with line breaks.

        Args:
            content: The text.
            role: Color role.
            size: Font size.
            style: Font.
            most: Maximum number of lines; a longer text ends with an ellipsis.
        """
        # The space is for an ellipsis.
        lines = text_lines(content[:_MOST_CHARACTERS], self.width - 1.4 * size, size, style)
        if lines and (len(lines) > most or len(content) > _MOST_CHARACTERS):
            lines = [*lines[:most][:-1], f"{lines[:most][-1]} …"]
        for line in lines:
            self.line(line, role, size, style)

    def line(self, content: str, role: PaletteRole, size: float, style: TextStyle) -> None:
        """Add one line of plain text."""
        self.y += size * LEADING
        baseline = self.y - size * (LEADING - 1)
        self.parts.append(svg_text_line(content, 0, baseline, style, self.paint(role), size=size))

    def rule(self) -> None:
        """Add a thin line."""
        ink = self.paint("border")
        path = svg_element("path", d=f"M0 {self.y:.1f}h{self.width:.1f}", stroke=ink)
        self.parts.append(path)

    def put(self, inside: str, x: float, height: float) -> None:
        """Add a fragment of a height."""
        self.parts.append(svg_moved(inside, x, self.y))
        self.y += height

    @property
    def inside(self) -> str:
        """Everything as one fragment."""
        return "".join(self.parts)


def page_svg(
    paint: Paint, title: str, where: str, number: int, column: PageColumn, paper: PaperFormat = A4
) -> str:
    """Return a page of paper as SVG.

    Args:
        paint: Returns the color of a role.
        title: Title of the lesson, at the top left.
        where: Text at the top right.
        number: Number of the page.
        column: The content of the page.
        paper: Its size.
    """
    muted = paint("text_muted")
    width = WIDTH - 16 - font_measure()(where, "line")[0]
    first = text_lines(title[:_MOST_CHARACTERS], width, _SMALL)[:1]
    left = (paper.width - WIDTH) / 2
    right = left + WIDTH
    parts = [svg_text_line(each, left, 54, "line", muted, size=_SMALL) for each in first]
    for text, baseline in ((where, 54), (str(number), paper.height - 34)):
        line = svg_text_line(
            text, right, baseline, "line", muted, size=_SMALL, more={"text_anchor": "end"}
        )
        parts.append(line)
    parts.append(svg_element("path", d=f"M{left:g} 62h{WIDTH:g}", stroke=paint("border")))
    parts.append(svg_moved(column.inside, left, TOP))
    return svg_document("\n".join(parts), paper.width, paper.height, "none", title=title)
