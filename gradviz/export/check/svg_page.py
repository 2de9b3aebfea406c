"""Page for the heatmaps of a check, filled from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import Measure, TextStyle
from gradviz.drawing.content.plain_text import label_text
from gradviz.export.graph.svg_document import SvgSize, svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_text_line
from gradviz.export.graph.svg_frame import wrap_text

MARGIN = 22.0
MOST_CHARACTERS = 1200


@dataclass(slots=True)
class SvgPage:
    """An SVG page that grows downwards as content is added."""

    paint: Paint
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
            label_text(content, most=MOST_CHARACTERS), available_width, self.measure
        ):
            self.y += size * 1.45
            self.parts.append(svg_text_line(part, 0, self.y, style, self.paint(role), size=size))

    def put(self, inside: str, x: float, y: float) -> None:
        """Add an SVG fragment at a position."""
        place = f"translate({x:.2f} {y:.2f})"
        self.parts.append(svg_element("g", inside, transform=place))

    def document(
        self,
        description: str,
        *,
        size: SvgSize | None = None,
        transparent: bool = False,
    ) -> str:
        """Return the whole page as SVG."""
        return svg_document(
            svg_element("g", "".join(self.parts), transform=f"translate({MARGIN:g} {MARGIN:g})"),
            self.width + 2 * MARGIN,
            self.y + 2 * MARGIN,
            "none" if transparent else self.paint("canvas"),
            description=description,
            size=size,
        )
