"""Slides as a PowerPoint file, in which every text and every shape can be edited."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_LINE
from pptx.enum.shapes import MSO_CONNECTOR, MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.shapes.connector import Connector
from pptx.util import Emu, Pt

from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.cell_grid import (
    CellAreas,
    CellImage,
    CellLines,
    CellShape,
    CellTexts,
    CellTriangles,
)
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import thumbnail_of
from gradviz.drawing.display.parts import (
    FramePart,
    Outline,
    Pen,
    RoundedRect,
    Shape,
    TextRun,
    ValuePlane,
)
from gradviz.drawing.geometry.rect import Point, Rect
from gradviz.export.graph.svg_cells import encode_png
from gradviz.story.blocks import LEADING, text_width
from gradviz.story.frame import SLIDE, Drawn, Frame

if TYPE_CHECKING:
    from pptx.presentation import Presentation as PresentationFile
    from pptx.shapes.autoshape import Shape as PptxShape
    from pptx.shapes.shapetree import GroupShapes, SlideShapes
    from pptx.slide import Slide as PptxSlide
    from pptx.text.text import Font, TextFrame

_PIXEL, _POINTS = 9525, 0.75
"""EMU and points of a pixel of a slide: 1280 of them are 13.33 inches."""

# On every computer, and no wider than the fonts that the texts were measured with.
_FAMILIES = {"Inter": "Arial", "Hack": "Courier New"}
_ASCENT, _HEIGHT = {"Inter": 0.905, "Hack": 0.833}, 1.15
"""Height of the first baseline of these fonts, and of a line, in font sizes."""

_TITLE_ONLY = 5
_MOST_TITLE = 255
_MOST_RECTANGLES = 64
_LEAST_PIXELS = 640
"""Shorter side of a picture of many cells, which PowerPoint would blur if it were smaller."""

_CURVE = 12
"""Straight lines that a curve becomes."""


def write_slides(path: Path, slides: Iterable[Frame], paint: Paint, title: str) -> int:
    """Write slides to a file; return their number.

    Args:
        path: The file.
        slides: The slides.
        paint: Returns the color of a role.
        title: Title in the file's properties.

    Raises:
        OSError: If the file cannot be written.
    """
    made = Presentation()
    _widen(made)
    made.core_properties.title = title[:_MOST_TITLE]
    for slide in slides:
        new = made.slides.add_slide(made.slide_layouts[_TITLE_ONLY])
        new.shapes.turbo_add_enabled = True
        _set_fill(new.background.fill, paint("canvas"))
        _Painter(new, paint).draw(slide.drawn)
        if slide.notes and (notes := new.notes_slide.notes_text_frame) is not None:
            notes.text = slide.notes
    made.save(str(path))
    return len(made.slides)


def _widen(made: PresentationFile) -> None:
    """Make the template's slides and layouts, which are 4:3, as wide as ours."""
    width, height = (Emu(round(each * _PIXEL)) for each in SLIDE)
    stretch = width / (made.slide_width or width)
    made.slide_width, made.slide_height = width, height
    for shape in itertools.chain(
        made.slide_master.shapes, *(each.shapes for each in made.slide_layouts)
    ):
        shape.left, shape.width = (
            Emu(round(shape.left * stretch)),
            Emu(round(shape.width * stretch)),
        )


class _Painter:
    """Draws objects on a slide; the lines of the headline become its title."""

    def __init__(self, slide: PptxSlide, paint: Paint) -> None:
        self._slide, self._paint = slide, paint

    def draw(self, objects: Iterable[Drawn]) -> None:
        """Draw objects, the lowest first."""
        title = []
        for drawn in objects:
            if drawn.key.startswith("headline:"):
                title += [(part, drawn) for part in drawn.parts if isinstance(part, TextRun)]
                continue
            shapes: SlideShapes | GroupShapes = self._slide.shapes
            if len(drawn.parts) > 1 or any(isinstance(part, ValuePlane) for part in drawn.parts):
                group = self._slide.shapes.add_group_shape()
                group.name = drawn.key
                shapes = group.shapes
            brush = _Brush(shapes, self._paint, drawn)
            for part in drawn.parts:
                brush.draw(part)
        self._title(title)

    def _title(self, lines: list[tuple[TextRun, Drawn]]) -> None:
        placeholder = self._slide.shapes.title
        if placeholder is None:
            return
        if not any(run.text.strip() for run, _ in lines):
            placeholder.element.getparent().remove(placeholder.element)
            return
        run, drawn = lines[0]
        size = FONTS[run.style].size * drawn.scale
        placeholder.left, placeholder.top = _emu(drawn.x), _emu(drawn.y)
        # All of it: in fonts that are wider, some programs would wrap a title despite its settings.
        placeholder.width = _emu(SLIDE[0] - 2 * drawn.x)
        placeholder.height = _emu(size * LEADING * len(lines))
        _set_text(placeholder.text_frame, "\v".join(each.text for each, _ in lines))
        paragraph = placeholder.text_frame.paragraphs[0]
        paragraph.alignment = PP_ALIGN.LEFT
        paragraph.line_spacing = Pt(size * LEADING * _POINTS)
        for each in paragraph.runs:
            _set_font(each.font, FONTS[run.style].family, size, self._paint(run.ink))
            each.font.bold = FONTS[run.style].weight > 400


class _Brush:
    """Draws the parts of one object."""

    def __init__(self, shapes: SlideShapes | GroupShapes, paint: Paint, drawn: Drawn) -> None:
        self._shapes, self._paint = shapes, paint
        self._x, self._y, self._scale, self._key = drawn.x, drawn.y, drawn.scale, drawn.key
        self._link = drawn.link

    def draw(self, part: FramePart) -> None:
        """Draw a part."""
        if isinstance(part, TextRun):
            self._text_run(part)
        elif isinstance(part, Shape):
            self._shape(part)
        else:
            thumbnail = thumbnail_of(part.value, drawing_font(), part.limit)
            for cells in thumbnail.shapes(part.rect, self._paint, ground="canvas"):
                self._cells(cells)

    def _place(self, point: Point) -> tuple[Emu, Emu]:
        x, y = point
        return _emu(self._x + x * self._scale), _emu(self._y + y * self._scale)

    def _box(self, rect: Rect) -> tuple[Emu, Emu, Emu, Emu]:
        left, top = self._place((rect.x, rect.y))
        right, bottom = self._place((rect.right, rect.bottom))
        return left, top, Emu(right - left), Emu(bottom - top)

    def _text_run(self, run: TextRun) -> None:
        font, text = FONTS[run.style], run.text
        if not text.strip():
            return
        rect = Rect(
            x=run.x,
            y=run.baseline - _ASCENT[font.family] * font.size,
            width=text_width(text, font.size, run.style),
            height=_HEIGHT * font.size,
        )
        frame = self._text(rect, text, font.family, font.size, self._paint(run.ink))
        text_run = frame.paragraphs[0].runs[0]
        text_run.font.bold = font.weight > 400
        if self._link:
            text_run.hyperlink.address = self._link

    def _text(self, rect: Rect, text: str, family: str, size: float, ink: str) -> TextFrame:
        box = self._shapes.add_textbox(*self._box(rect))
        box.name = self._key
        _set_text(box.text_frame, text)
        _set_font(box.text_frame.paragraphs[0].runs[0].font, family, size * self._scale, ink)
        frame: TextFrame = box.text_frame
        return frame

    def _shape(self, shape: Shape) -> None:
        outline = shape.outline
        made: PptxShape | Connector | None
        if isinstance(outline, RoundedRect):
            made = self._rectangle(outline)
        else:
            made = self._outline(outline, is_filled=shape.fill is not None)
        if made is None:
            return
        fill = None if shape.fill is None else self._paint(shape.fill)
        self._look(made, fill, shape.pen, shape.opacity)

    def _rectangle(self, outline: RoundedRect) -> PptxShape:
        rect, radius = outline.rect, outline.radius
        share = radius / (min(rect.width, rect.height) or 1.0)
        kind = MSO_SHAPE.ROUNDED_RECTANGLE if radius else MSO_SHAPE.RECTANGLE
        if share >= 0.5 and rect.width == rect.height:
            kind = MSO_SHAPE.OVAL
        made = self._shapes.add_shape(kind, *self._box(rect))
        if kind == MSO_SHAPE.ROUNDED_RECTANGLE:
            made.adjustments[0] = min(share, 0.5)
        return made

    def _outline(self, outline: Outline, *, is_filled: bool) -> PptxShape | Connector | None:
        lines = [[self._place(point) for point in line] for line in _polylines(outline)]
        if len(lines) == 1 and len(lines[0]) == 2 and not is_filled:
            ((start, end),) = lines
            return self._shapes.add_connector(MSO_CONNECTOR.STRAIGHT, *start, *end)
        lines = [line for line in lines if len(line) > 1]
        if not lines:
            return None
        builder = self._shapes.build_freeform(*lines[0][0])
        for number, (first, *others) in enumerate(lines):
            if number:
                builder.move_to(*first)
            builder.add_line_segments(others, close=others[-1] == first)
        made: PptxShape = builder.convert_to_shape()
        return made

    def _look(
        self, made: PptxShape | Connector, fill: str | None, pen: Pen | None, opacity: float = 1.0
    ) -> None:
        """Set the colors of a shape, without the effects of the template."""
        made.name = self._key
        if (style := made.element.find(qn("p:style"))) is not None:
            made.element.remove(style)
        if not isinstance(made, Connector):
            _set_fill(made.fill, fill)
        if pen is None:
            made.line.fill.background()
            _set_opacity(made, opacity)
            return
        _set_line(made.line, self._paint(pen.ink), pen.width * self._scale)
        if pen.dash is not None:
            made.line.dash_style = MSO_LINE.DASH
        _set_opacity(made, opacity)

    def _cells(self, shape: CellShape) -> None:
        """Draw the elements of a tensor: as rectangles if there are few of them."""
        match shape:
            case CellImage():
                self._image(shape)
            case CellAreas():
                for box in shape.boxes:
                    self._area(box, shape.fill)
            case CellLines():
                for x, y, to, end in shape.lines:
                    self._line((x, y), (to, end), shape)
            case CellTriangles():
                for corners in shape.corners:
                    first, *others = (self._place(each) for each in corners)
                    builder = self._shapes.build_freeform(*first)
                    made = builder.add_line_segments(others).convert_to_shape()
                    self._look(made, shape.fill, None)
            case CellTexts():
                for box, text, ink in shape.texts:
                    frame = self._text(box, text, "Inter", shape.size, ink)
                    frame.vertical_anchor = MSO_ANCHOR.MIDDLE
                    frame.paragraphs[0].alignment = PP_ALIGN.CENTER

    def _area(self, box: Rect, fill: str) -> None:
        self._look(self._shapes.add_shape(MSO_SHAPE.RECTANGLE, *self._box(box)), fill, None)

    def _line(self, start: Point, end: Point, line: CellLines) -> None:
        places = *self._place(start), *self._place(end)
        made = self._shapes.add_connector(MSO_CONNECTOR.STRAIGHT, *places)
        made.name = self._key
        _set_line(made.line, line.ink, line.width * self._scale)
        _set_opacity(made, line.opacity)

    def _image(self, shape: CellImage) -> None:
        rows, columns = shape.colors.shape[:2]
        if rows * columns > _MOST_RECTANGLES:
            # PowerPoint smooths small pictures, which would mix the colors of neighbors.
            times = -(-_LEAST_PIXELS // min(rows, columns))
            pixels = shape.colors[..., :3].repeat(times, axis=0).repeat(times, axis=1)
            file = io.BytesIO(encode_png(np.ascontiguousarray(pixels)))
            self._shapes.add_picture(file, *self._box(shape.box)).name = self._key
            return
        width, height = shape.box.width / columns, shape.box.height / rows
        for row, column in itertools.product(range(rows), range(columns)):
            x, y = shape.box.x + column * width, shape.box.y + row * height
            fill = f"#{shape.colors[row, column].tobytes().hex()}"
            self._area(Rect(x=x, y=y, width=width, height=height), fill)


def _emu(pixels: float) -> Emu:
    return Emu(round(pixels * _PIXEL))


def _color(color: str) -> Any:
    """A color of a theme, without the opacity that may follow it."""
    made: Any = RGBColor
    return made(*bytes.fromhex(color.removeprefix("#")[:6]))


def _set_fill(fill: Any, color: str | None) -> None:
    if color is None:
        fill.background()
        return
    fill.solid()
    fill.fore_color.rgb = _color(color)


def _set_line(line: Any, color: str, width: float) -> None:
    _set_fill(line.fill, color)
    line.width = Pt(width * _POINTS)


def _set_opacity(made: PptxShape | Connector, opacity: float) -> None:
    for color in made.element.iter(qn("a:srgbClr")) if opacity < 1 else ():
        color.append(color.makeelement(qn("a:alpha"), {"val": str(round(opacity * 100_000))}))


def _set_text(frame: TextFrame, text: str) -> None:
    """Write a text that keeps its place and its size whatever its font is."""
    frame.auto_size, frame.word_wrap = MSO_AUTO_SIZE.NONE, False
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Emu(0)
    frame.vertical_anchor = MSO_ANCHOR.TOP
    frame.text = text


def _set_font(font: Font, family: str, size: float, ink: str) -> None:
    font.name, font.size = _FAMILIES[family], Pt(size * _POINTS)
    font.color.rgb = _color(ink)


def _polylines(outline: Outline) -> Iterator[list[Point]]:
    """The lines of an outline; a curve becomes several short ones."""
    line: list[Point] = []
    for letter, points in outline.commands:
        if letter == "M":
            if line:
                yield line
            line = list(points)
        elif letter == "L":
            line += points
        elif letter == "Z":
            line.append(line[0])
        else:
            start = line[-1]
            line += (_on_curve((start, *points), each / _CURVE) for each in range(1, _CURVE + 1))
    if line:
        yield line


def _on_curve(points: Sequence[Point], share: float) -> Point:
    """A point of a Bezier curve, by de Casteljau."""
    while len(points) > 1:
        points = [
            (x + (to - x) * share, y + (end - y) * share)
            for (x, y), (to, end) in itertools.pairwise(points)
        ]
    return points[0]
