"""Slides of a lesson or a run, as 16:9 pages for a projector: one or more for each stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import ROOM, number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import (
    FactSection,
    ValueRow,
    sections_of_values,
    value_rows,
)
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE, thumbnail_of
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_document import SvgPicture, svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_moved, svg_text_line
from gradviz.export.handout.drawn_code import code_height, draw_code
from gradviz.export.handout.page_layout import LEADING, PageColumn, text_lines
from gradviz.export.handout.stop_content import StopContent, StopRun, stop_content
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import ANSWER, LessonStop
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorValue
from gradviz.text.phrases import record_shape_text

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


def stop_slides(
    stop: LessonStop,
    last_step: int | None,
    run: StopRun | str,
    paint: Paint,
    title: str,
    first: int,
) -> Iterator[str]:
    """Draw the slides of a stop.

    The first one shows the stop as the audience first sees it. A second one shows what it hides and
    the arithmetic that it names, if there is any.

    Args:
        stop: The stop.
        last_step: Each later step up to this one gets a slide; None for the last one of the run.
        run: Its run, or a sentence that says why there is none.
        paint: Returns the color of a role.
        title: Title of the lesson.
        first: Number of the first slide.
    """
    known = None if isinstance(run, str) else run
    headline = shown_text(stop.headline)

    def slide(content: StopContent, number: int, answers: tuple[str, ...] = ()) -> str:
        return slide_svg(
            content,
            known,
            paint,
            headline=headline,
            title=title,
            number=number,
            answers=answers,
        )

    asked = stop_content(stop, run, paint, for_slide=True)
    yield slide(asked, first)
    if known is None:
        return
    shown = _revealed(stop)
    if stop.hide or stop.question or stop.arithmetic:
        answered = replace(shown, arithmetic=stop.arithmetic)
        told = stop_content(answered, known, paint, for_slide=True)
        if told.answers or (told.sentence, told.picture) != (asked.sentence, asked.picture):
            first += 1
            yield slide(told, first, told.answers)
    total = len(known.index.trace.steps)
    last = total if last_step is None else min(total, last_step)
    for number in range(stop.number + 1, last + 1):
        first += 1
        step = stop_content(replace(shown, step=str(number)), known, paint, for_slide=True)
        yield slide(step, first)


def _revealed(stop: LessonStop) -> LessonStop:
    """The stop after its answer is shown, without question and notes."""
    hidden = tuple(each for each in stop.hide if each != ANSWER)
    return replace(stop, hide=hidden, question="", notes="", arithmetic="")


_MOST_ROWS, _MOST_COLUMNS, _MOST_VALUES = 6, 12, 24
_VALUE_GAP, _BELOW = 28.0, 8.0
_COMPUTED = ("outputs", "op-outputs", "returned", "returned-becomes")
"""Sections of what a step computed."""


def shown_sections(run: StopRun, content: StopContent) -> list[FactSection]:
    """The values of a step as the inspector shows them, without hidden and folded ones."""
    place, revealed = content.place, RevealedTrace.of_all(run.index)
    if place is None:
        return []
    if content.hides_answer:
        # A line or an op could give the answer away.
        place = TracePosition(step=place.step)
        revealed = RevealedTrace.before_answer(run.index, place.step)
    facts = current_facts(revealed, place.step, place=place)
    sections = () if facts is None else facts.sections
    found = sections_of_values(each for each in sections if not each.folded)
    # What was saved is left out first, and what the step computed never.
    return sorted(found, key=lambda each: (each.key in _COMPUTED) - (each.key == "saved"))


def draw_values(
    column: PageColumn, run: StopRun, sections: Sequence[FactSection], size: float, most: float
) -> None:
    """Add the values that fit, and say how many others there are.

    Args:
        column: Where they are added.
        run: Their run.
        sections: The values; the last ones are what the step computed.
        size: Font size.
        most: Height for the values, of which at least one is drawn.
    """
    total, note = sum(len(each.rows) for each in sections), size * LEADING
    shown = [replace(each, rows=each.rows[:_MOST_VALUES]) for each in sections]
    drawn = [_section(column, run, each, size) for each in shown]
    while len(drawn) > 1 and sum(each.y for each in drawn) + note > most:
        del shown[0], drawn[0]
    while drawn and len(shown[0].rows) > 1 and sum(each.y for each in drawn) + note > most:
        shown[0] = replace(shown[0], rows=shown[0].rows[:-1])
        drawn[0] = _section(column, run, shown[0], size)
    for each in drawn:
        column.put(each.inside, 0, each.y)
    if left_out := total - sum(len(each.rows) for each in shown):
        column.text(say_count("slide.more_values", left_out), "text_muted", size, most=1)


def _section(column: PageColumn, run: StopRun, section: FactSection, size: float) -> PageColumn:
    """Draw a title and, below it, the values beside each other as far as they fit."""
    inner = PageColumn(column.paint, column.width)
    inner.text(section.title, "text_muted", size, "label", most=1)
    x, height = 0.0, 0.0
    for row in value_rows(section.rows):
        value = _value(column, run, row, size)
        if x and x + value.width > column.width:
            inner.y += height + _BELOW
            x, height = 0.0, 0.0
        inner.put(value.inside, x, 0)
        x, height = x + value.width + _VALUE_GAP, max(height, value.y)
    inner.y += height + 2 * _BELOW
    return inner


def _value(column: PageColumn, run: StopRun, row: ValueRow, size: float) -> PageColumn:
    """Draw the name, type and, if they fit, the elements of a value."""
    lines, drawn = _texts(run, row)
    inner = PageColumn(column.paint, column.width)
    for line in lines:
        inner.text(line, size=size, most=1)
    measure, scale = font_measure(), size / FONTS["line"].size
    inner.width = min(column.width, max(measure(each, "line")[0] * scale for each in lines) + size)
    if drawn is not None:
        cells = _cells(column, drawn, size)
        inner.put(cells.inside, 0, cells.height)
        inner.width = max(inner.width, cells.width)
    return inner


def _texts(run: StopRun, row: ValueRow) -> tuple[list[str], TensorValue | None]:
    """Lines of text about a value, and its elements if they are drawn."""
    name, item = visible_text(row.name), row.item
    if item.tensor is None:
        text = say("page.none") if item.kind == "none" else visible_text(item.text)
        return [text if text == name else f"{name} = {text}"], None
    record, value = run.index.tensor[item.tensor], run.values(item.tensor)
    head = f"{name} {record_shape_text(record)}"
    if value is not None and record.content == "whole":
        if not value.shape:
            return [f"{name} = {number_text(value.array()[()])}"], None
        if len(value.shape) <= 2 and 0 < record.count <= _MOST_ROWS * _MOST_COLUMNS:
            return [head], value
    return [head, *_statistics(record.statistics)], None


def _cells(column: PageColumn, value: TensorValue, size: float) -> SvgPicture:
    """Draw the elements with their numbers, or without them in little space."""
    picture, scale = thumbnail_of(value, drawing_font(), digits=ROOM), size / NUMBER_SIZE
    width, height = picture.size((column.width / scale, _MOST_ROWS * size))
    box = Rect(x=0, y=0, width=width, height=height)
    shapes = picture.shapes(box, column.paint, ground="canvas")
    inside = svg_moved(svg_cells(shapes), 0, 0, scale)
    return SvgPicture(inside=inside, width=width * scale, height=height * scale)


def _statistics(found: Statistics | None) -> list[str]:
    if found is None:
        return []
    lines = []
    if found.minimum is not None and found.maximum is not None:
        least, most = number_text(found.minimum), number_text(found.maximum)
        lines.append(say("slide.range", minimum=least, maximum=most))
    if found.nans:
        lines.append(say("page.nans", count=format_count(found.nans)))
    if found.infinities:
        lines.append(say("page.infinities", count=format_count(found.infinities)))
    return lines
