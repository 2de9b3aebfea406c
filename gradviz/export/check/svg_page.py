"""Page for the heatmaps of a check, filled from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.appearance.text_styles import Measure, TextStyle
from gradviz.drawing.content.plain_text import printable_text
from gradviz.export.check.heatmap_svg import RoleColor
from gradviz.export.graph.svg_elements import svg_element, svg_text_line, xml_text
from gradviz.export.graph.svg_frame import wrap_text

MARGIN = 22.0
MOST_CHARACTERS = 1200


@dataclass(slots=True)
class SvgPage:
    """An SVG page that grows downwards as content is added."""

    paint: RoleColor
    measure: Measure
    width: float
    y: float = 0.0
    parts: list[str] = field(default_factory=list)

    def line(
        self, content: str, role: PaletteRole, size: float = 12, *, strong: bool = False
    ) -> None:
        """Add a paragraph of plain text, with line breaks.

        Args:
            content: The text.
            role: Color role.
            size: Font size.
            strong: Whether it is bold.
        """
        style: TextStyle = "title" if strong else "line"
        # `wrap_text` measures regular text at 12 points; bold letters are wider.
        available_width = self.width * 12 / size * (0.92 if strong else 1.0)
        for part in wrap_text(
            printable_text(content, most=MOST_CHARACTERS), available_width, self.measure
        ):
            self.y += size * 1.45
            self.parts.append(svg_text_line(part, 0, self.y, style, self.paint(role), size=size))

    def put(self, inside: str, x: float, y: float) -> None:
        """Add an SVG fragment at a position."""
        place = f"translate({x:.2f} {y:.2f})"
        self.parts.append(svg_element("g", inside, transform=place))

    def document(self, description: str, *, declared: bool) -> str:
        """Return the whole page as SVG."""
        width, height = self.width + 2 * MARGIN, self.y + 2 * MARGIN
        back = svg_element("rect", width=width, height=height, fill=self.paint("canvas"))
        inside = svg_element(
            "g", "".join(self.parts), transform=f"translate({MARGIN:g} {MARGIN:g})"
        )
        told = svg_element("desc", xml_text(description))
        svg = svg_element(
            "svg",
            f"\n{told}\n{back}\n{inside}\n",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {width:.2f} {height:.2f}",
            width=f"{width:.0f}",
            height=f"{height:.0f}",
            role="img",
        )
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n' if declared else svg
