"""The values of a step on a slide: small tensors with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.numbers import ROOM, number_text
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.cells.cell_numbers import drawing_font
from gradviz.drawing.cells.thumbnail import NUMBER_SIZE, thumbnail_of
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_cells import svg_cells
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.handout.page_layout import LEADING, PageColumn
from gradviz.export.handout.stop_content import StopContent, StopRun
from gradviz.export.steps.value_sections import ValueSection, value_sections
from gradviz.model.item import Item
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorValue
from gradviz.text.phrases import record_shape_text

_MOST_ROWS, _MOST_COLUMNS, _MOST_ITEMS = 6, 12, 24
_GAP, _BELOW = 28.0, 8.0
_ANSWERS = ("returned", "passed")
"""Sections of a node's step that give its answer away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnValue:
    """A value as a fragment of SVG, from the origin on."""

    inside: str
    width: float
    height: float


def shown_sections(run: StopRun, content: StopContent) -> list[ValueSection]:
    """The values of a step, without hidden ones and those that the engine passed on unchanged."""
    place = content.place
    if place is None:
        return []
    if content.hides_answer:
        # A line or an op could give the answer away.
        place = TracePosition(step=place.step)
    # What the step computed is last, where it is never left out.
    found = sorted(value_sections(run.index, place), key=lambda each: each.key == "outputs")
    if content.hides_answer:
        return [each for each in found if each.key not in _ANSWERS]
    returned = [_tensors(each) for each in found if each.key == "returned"]
    return [each for each in found if each.key != "passed" or _tensors(each) not in returned]


def _tensors(section: ValueSection) -> list[int]:
    return [each.tensor for each in section.items if each.tensor is not None]


def draw_values(
    column: PageColumn, run: StopRun, sections: Sequence[ValueSection], size: float, most: float
) -> None:
    """Add the values that fit, and say how many others there are.

    Args:
        column: Where they are added.
        run: Their run.
        sections: The values; the last ones are what the step computed.
        size: Font size.
        most: Height for the values, of which at least one is drawn.
    """
    total, note = sum(len(each.items) for each in sections), size * LEADING
    shown = [replace(each, items=each.items[:_MOST_ITEMS]) for each in sections]
    drawn = [_section(column, run, each, size) for each in shown]
    while len(drawn) > 1 and sum(each.y for each in drawn) + note > most:
        del shown[0], drawn[0]
    while drawn and len(shown[0].items) > 1 and sum(each.y for each in drawn) + note > most:
        shown[0] = replace(shown[0], items=shown[0].items[:-1])
        drawn[0] = _section(column, run, shown[0], size)
    for each in drawn:
        column.put(each.inside, 0, each.y)
    if left_out := total - sum(len(each.items) for each in shown):
        column.text(say_count("slide.more_values", left_out), "text_muted", size, most=1)


def _section(column: PageColumn, run: StopRun, section: ValueSection, size: float) -> PageColumn:
    """Draw a title and, below it, the values beside each other as far as they fit."""
    inner = PageColumn(column.paint, column.width)
    inner.text(section.title, "text_muted", size, "label", most=1)
    x, height = 0.0, 0.0
    for item in section.items:
        value = _value(column, run, item, size)
        if x and x + value.width > column.width:
            inner.y += height + _BELOW
            x, height = 0.0, 0.0
        inner.put(svg_element("g", value.inside, transform=f"translate({x:.2f} 0)"), 0, 0)
        x, height = x + value.width + _GAP, max(height, value.height)
    inner.y += height + 2 * _BELOW
    return inner


def _value(column: PageColumn, run: StopRun, item: Item, size: float) -> DrawnValue:
    """Draw the name, type and, if they fit, the elements of a value."""
    lines, drawn = _texts(run, item)
    inner = PageColumn(column.paint, column.width)
    for line in lines:
        inner.text(line, size=size, most=1)
    measure, scale = font_measure(), size / FONTS["line"].size
    width = min(column.width, max(measure(each, "line")[0] * scale for each in lines) + size)
    if drawn is not None:
        cells = _cells(column, drawn, size)
        inner.put(cells.inside, 0, cells.height)
        width = max(width, cells.width)
    return DrawnValue(inside=inner.inside, width=width, height=inner.y)


def _texts(run: StopRun, item: Item) -> tuple[list[str], TensorValue | None]:
    """Lines of text about a value, and its elements if they are drawn."""
    name = visible_text(item.name)
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


def _cells(column: PageColumn, value: TensorValue, size: float) -> DrawnValue:
    """Draw the elements with their numbers, or without them in little space."""
    picture, scale = thumbnail_of(value, drawing_font(), digits=ROOM), size / NUMBER_SIZE
    width, height = picture.size((column.width / scale, _MOST_ROWS * size))
    box = Rect(x=0, y=0, width=width, height=height)
    shapes = picture.shapes(box, column.paint, ground="canvas")
    inside = svg_moved(svg_cells(shapes), 0, 0, scale)
    return DrawnValue(inside=inside, width=width * scale, height=height * scale)


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
