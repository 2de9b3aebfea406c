"""A slide: headline and sentence above the graph, the code and the values of a step."""

from __future__ import annotations

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_document import SvgPicture, svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_moved, svg_text_line
from gradviz.export.handout.page_layout import PageColumn, text_lines
from gradviz.export.handout.source_excerpt import code_height, draw_code
from gradviz.export.handout.stop_content import StopContent, StopRun
from gradviz.export.slides.step_values import draw_values, shown_sections

SLIDE = 1280, 720
"""Width and height, of which an inch has 96 units: 13.33 × 7.5 inches."""

LEAST_SIZE = 14 * 96 / 72
"""Font size of the smallest text: 14 points can be read at the back of a lecture hall."""

_SIDE, _TOP, _BOTTOM = 44.0, 26.0, 674.0
_WIDTH = SLIDE[0] - 2 * _SIDE
_GAP = 16.0
_BESIDE_CODE, _BESIDE_VALUES = 0.54, 0.66
"""Share of the width that the graph takes, beside code and beside values alone."""

WHOLE_SIZE = 9 * 96 / 72
"""Font size from which on a whole graph is clearer than a part of it with larger texts."""
_WHOLE_SCALE, _PART_SCALE = (size / FONTS["line"].size for size in (WHOLE_SIZE, LEAST_SIZE))
_LARGEST_SCALE = 2.2

_LEAST_CODE, _MOST_CODE = 8, 14
"""Number of lines of the code."""


def slide_svg(
    content: StopContent,
    run: StopRun | None,
    paint: Paint,
    *,
    headline: str,
    title: str,
    number: int,
    answers: tuple[str, ...] = (),
) -> str:
    """Draw a slide.

    Args:
        content: What it shows.
        run: The run, with the values; None if there is none.
        paint: Returns the color of a role.
        headline: The headline; empty for the run and step.
        title: Title of the lesson, at the bottom.
        number: Number of the slide.
        answers: Lines below the sentence.
    """
    head = _head(content, paint, headline, answers)
    top = _TOP + head.y + _GAP
    picture, side, parts = content.picture, PageColumn(paint), []
    # Jacobians are as wide as the slide.
    if run is not None and (picture is None or picture.focus is not None):
        side = _side_column(content, run, paint, _BOTTOM - top)
    if picture is not None:
        width = _WIDTH - side.width - _GAP if side.y else _WIDTH
        area = Rect(x=_SIDE, y=top, width=width, height=_BOTTOM - top)
        parts.append(_picture(picture, area, paint))
    parts.append(svg_moved(head.inside, _SIDE, _TOP))
    parts.append(svg_moved(side.inside, SLIDE[0] - _SIDE - side.width, top))
    parts.append(_foot(paint, title, number))
    shown = headline or content.where
    return svg_document("\n".join(parts), *SLIDE, paint("canvas"), title=shown)


def _head(
    content: StopContent, paint: Paint, headline: str, answers: tuple[str, ...]
) -> PageColumn:
    column = PageColumn(paint, _WIDTH)
    column.text(headline or content.where or content.headline, size=32, style="title", most=2)
    if headline and content.where:
        column.text(content.where, "text_muted", LEAST_SIZE, "label", most=1)
    column.y += 4
    if content.sentence:
        column.text(content.sentence, size=22, most=3)
    for answer in (*filter(None, (content.verdict,)), *answers):
        column.text(answer, "accent", 22, "label", most=2)
    if content.problem:
        column.text(content.problem, "warning", 20, most=2)
    if content.question:
        column.y += 6
        column.text(content.question, "accent", 26, "title", most=2)
    return column


def _side_column(content: StopContent, run: StopRun, paint: Paint, height: float) -> PageColumn:
    """Draw code and values, in the width that the graph leaves."""
    code, share = content.code, 0.0
    if content.picture is not None:
        share = _BESIDE_VALUES if code is None else _BESIDE_CODE
    column, values = (PageColumn(paint, _WIDTH * (1 - share)) for _ in range(2))
    heights = {} if code is None else _code_heights(len(code.lines))
    draw_values(
        values,
        run,
        shown_sections(run, content),
        LEAST_SIZE,
        height - min(heights.values(), default=0),
    )
    if code is not None:
        fitting = [lines for lines, high in heights.items() if high + values.y <= height]
        draw_code(
            column, code.shortened(max(fitting, default=min(heights))), LEAST_SIZE, LEAST_SIZE
        )
        column.y += _GAP
    column.put(values.inside, 0, values.y)
    return column


def _code_heights(lines: int) -> dict[int, float]:
    """Heights of the code with fewer or more lines."""
    most = min(lines, _MOST_CODE)
    return {
        each: code_height(each, LEAST_SIZE, LEAST_SIZE) + _GAP
        for each in range(min(_LEAST_CODE, most), most + 1)
    }


def _picture(picture: SvgPicture, area: Rect, paint: Paint) -> str:
    """Fit a picture to an area, or crop a large graph around the current step."""
    scale = min(area.width / picture.width, area.height / picture.height, _LARGEST_SCALE)
    if picture.focus is None or scale >= _WHOLE_SCALE:
        x = area.x + (area.width - picture.width * scale) / 2
        y = area.y + (area.height - picture.height * scale) / 2
        return svg_moved(picture.inside, x, y, scale)
    note = PageColumn(paint, area.width)
    note.text(say("slide.part"), "text_muted", LEAST_SIZE, most=1)
    scale, focus = _PART_SCALE, picture.focus
    width, height = area.width / scale, (area.height - note.y) / scale
    left = _window(focus.x + focus.width / 2, width, picture.width)
    top = _window(focus.y + focus.height / 2, height, picture.height)
    drawn = svg_moved(picture.inside, area.x - left * scale, area.y - top * scale, scale)
    bottom, right = area.y + area.height - note.y, area.x + area.width
    # Not every renderer of SVG can clip, so what is outside is painted over.
    outside = (
        (0.0, 0.0, SLIDE[0], area.y),
        (0.0, bottom, SLIDE[0], SLIDE[1] - bottom),
        (0.0, 0.0, area.x, SLIDE[1]),
        (right, 0.0, SLIDE[0] - right, SLIDE[1]),
    )
    canvas = paint("canvas")
    covers = [
        svg_element("rect", x=x, y=y, width=wide, height=high, fill=canvas)
        for x, y, wide, high in outside
    ]
    frame = svg_element(
        "rect",
        x=area.x,
        y=area.y,
        width=area.width,
        height=bottom - area.y,
        rx=4,
        fill="none",
        stroke=paint("border"),
    )
    return "\n".join((drawn, *covers, frame, svg_moved(note.inside, area.x, bottom)))


def _window(middle: float, shown: float, whole: float) -> float:
    """Where a part of a length begins that is shown around a point, inside of the whole."""
    return (whole - shown) / 2 if shown >= whole else min(max(middle - shown / 2, 0), whole - shown)


def _foot(paint: Paint, title: str, number: int) -> str:
    muted, baseline, right = paint("text_muted"), SLIDE[1] - 18, SLIDE[0] - _SIDE
    page = svg_text_line(
        format_count(number),
        right,
        baseline,
        "line",
        muted,
        size=LEAST_SIZE,
        more={"text_anchor": "end"},
    )
    lines = text_lines(title[:400], _WIDTH - 120, "line", LEAST_SIZE)[:1]
    return page + "".join(
        svg_text_line(each, _SIDE, baseline, "line", muted, size=LEAST_SIZE) for each in lines
    )
