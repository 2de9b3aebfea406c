"""What a stop shows, from the lines in which its author wrote it.

Each line of the text is one of

    graph                      the graph, as far as it exists at the stop's place
    code [PLACE][: REMARK]     the lines of code of a place, with a remark below the current one
    code of VALUE[: REMARK]    the same of the line that made a value, such as step 5 returned x
    code in NAME[: REMARK]     a whole function or class, such as Exp.forward
    exception                  the exception that ended the run
    sum ELEMENT                how an element such as grad_weight[0, 2] was computed
    losses                     the losses of a training up to the place
    check [FUNCTION]           what a check does, with the values of the only call of a Function
    curve [NAME]               the checked function along the worst element of a pair, or along that
                               of ``curve weight[1, 0]`` or ``curve weight[1, 0] of output[0, 2]``
    errors [NAME]              the error at an element of a pair against eps

or a row of texts and values, which stand in braces: ``{step 5 incoming grad_output} × 2``. What is
in braces is a query of `gradviz.analysis.named_values`, or ``check numerical [NAME]``,
``check analytical`` or ``check difference``, whose name may be the number of a pair, such as
``#0``; in front of it may stand

    other:    for the run that the stop is compared with; also in front of a line of code
    ?         for the place of the value, without its elements
    +         for the sheets of the value beside each other, with a plus between them

and ``as NAME`` behind it, for another name than the recorded one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.named_values import NotFoundError, named_value
from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.values.noise import without_noise_in_cells
from gradviz.catalogue.messages import say
from gradviz.catalogue.visible_text import visible_text
from gradviz.document.source_excerpt import definition_excerpt, source_excerpt
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.model.arrays import index_at
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.item import Item, gradient_name, object_item
from gradviz.model.jacobian_report import JacobianBlock
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorValue
from gradviz.story.blocks import Block, column, paragraph, text_block, wrapped
from gradviz.story.check_start import check_start_block, plan_of
from gradviz.story.code import CODE, code_block
from gradviz.story.curve import curve_block
from gradviz.story.error_curve import error_block
from gradviz.story.frame import LEAST_TEXT, MAIN_NUMBER
from gradviz.story.graph import graph_block
from gradviz.story.losses import losses_block
from gradviz.story.run import StoryRun
from gradviz.story.sums import ringed_block, sum_block
from gradviz.story.values import (
    LABEL,
    ShownValue,
    empty_block,
    share_scale,
    shown_value,
    slices_block,
    summed_key,
    value_block,
)

_PIECE = re.compile(r"\{([^{}]*)\}")
_CODE = re.compile(r"code(?:\s+(\d[\w/]*)|\s+of\s+([^:]+?)|\s+in\s+([\w.]+))?(?:\s*:\s*(.+))?")
_CHECK = re.compile(r"check (numerical|analytical|difference)(?: (.+))?")
_CHECKED = re.compile(r"\{check (\w+)")
_PLOT = re.compile(r"(check|curve|errors)(?:\s+(.+))?")
_VALUES = re.compile(r"\{|^sum ", re.MULTILINE)
_ROLE = re.compile(r"step (\d+) (\w+)")
_ELEMENT = re.compile(
    r"([^\[\]]+?)(?:\s*\[([\d\s,]+)\])?(?:\s+of\s+([^\[\]]+?)(?:\s*\[([\d\s,]+)\])?)?"
)
_NAMED = re.compile(r"(.+?) as (.+)")
_LEAST_CODE, _CODE_LINE = 5, 32.0
"""Lines that are shown in any case, and the height of one at the smallest size."""
_EXCEPTION, _MOST_TRIES = 30.0, 4
_ROW_GAP, _LINE_GAP = 26.0, 30.0

_GRADIENTS = ("returned", "passed", "contribution")
"""Roles of gradients that are recorded under the name of what they belong to."""

_INKS: dict[str, PaletteRole] = {
    "saved": "saved_border",
    "input": "border_strong",
    "output": "output_border",
}
"""Colors of values by what they are in a step; gradients have that of the backward pass."""


class StoryError(ValueError):
    """A line of a stop names nothing; the message is one sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureMoment:
    """The moment of a run that a picture shows.

    Attributes:
        run: The run.
        place: The place in it.
        revealed: What may be shown.
        room: Width and height that the picture has.
        label: Size of the names of values, before the picture is fitted into its room.
    """

    run: StoryRun
    place: TracePosition
    revealed: RevealedTrace
    room: tuple[float, float]
    label: float = LABEL


def picture(moment: PictureMoment, text: str) -> Block:
    """Draw the lines of a text below each other.

    Raises:
        StoryError: If a line names something that the run does not have.
    """
    lines = [each for each in map(str.strip, text.splitlines()) if each]
    width, height = moment.room
    moment = replace(moment, room=(width, height / max(1, len(lines))))
    align = "left" if all("code" in each.split()[:2] for each in lines) else "center"
    for _ in range(_MOST_TRIES):
        block = column([_line(moment, each) for each in lines], _LINE_GAP, align=align)
        scale = min(width / max(1.0, block.width), height / max(1.0, block.height), 1.0)
        if _VALUES.search(text) is None or moment.label * scale >= LEAST_TEXT:
            break
        # Large matrices are drawn smaller, and their names not.
        moment = replace(moment, label=1.02 * LEAST_TEXT / scale)
    return block


def uses_check(text: str) -> bool:
    """Whether a text shows something of a check."""
    lines = text.splitlines()
    return bool(_CHECKED.search(text)) or any(_PLOT.fullmatch(each.strip()) for each in lines)


def _line(moment: PictureMoment, line: str) -> Block:
    if line.startswith("other:"):
        return _line(replace(moment, run=_other(moment.run)), line.removeprefix("other:").strip())
    if line in _WORDS:
        return _WORDS[line](moment)
    if (match := _CODE.fullmatch(line)) is not None:
        return _code(moment, *match.groups(default=""))
    if (match := _PLOT.fullmatch(line)) is not None:
        return _plot(moment, match[1], match[2] or "")
    if line.startswith("sum "):
        return _sum(moment, line[4:])
    return wrapped([*_pieces(moment, line)], _ROW_GAP, moment.room)


def _graph(moment: PictureMoment) -> Block:
    drawing = moment.run.graph
    if isinstance(drawing, str):
        raise StoryError(drawing)
    try:
        return graph_block(drawing, moment.place.step, moment.revealed, moment.room)
    except LayoutError as error:
        raise StoryError(str(error)) from None


def _losses(moment: PictureMoment) -> Block:
    if moment.run.training is None:
        raise StoryError(say("story.no_losses"))
    return losses_block(moment.run.training, moment.place.step, moment.room)


def _sum(moment: PictureMoment, element: str) -> Block:
    found = moment.run.arithmetic(moment.place, element)
    if found is None:
        raise StoryError(say("story.no_sum", element=element))
    return sum_block(moment.run.index, found, moment.place.step, moment.room, moment.label)


def _other(run: StoryRun) -> StoryRun:
    if run.other is None:
        raise StoryError(run.no_other or say("story.no_other"))
    return run.other


def _exception(moment: PictureMoment) -> Block:
    """The exception that ended the run, in its own words."""
    steps = moment.run.index.trace.steps
    error = next((each for each in reversed(steps) if isinstance(each, ErrorStep)), None)
    if error is None:
        raise StoryError(say("story.no_error"))
    told = f"{error.exception}: {error.message}"
    return paragraph(told, moment.room[0], _EXCEPTION, key="error", ink="error")


_WORDS = {"graph": _graph, "exception": _exception, "losses": _losses}
"""Lines of one word."""


def _code(moment: PictureMoment, path: str, value: str, name: str, remark: str) -> Block:
    """The code of a place, of the line that made a value, or of a definition."""
    index = moment.run.index
    if name:
        excerpt = definition_excerpt(index, name)
    elif value:
        try:
            excerpt = moment.run.code_of(value)
        except NotFoundError as error:
            raise StoryError(str(error)) from None
    else:
        excerpt = source_excerpt(index, _place(index, path) if path else moment.place)
    if excerpt is None:
        place = name or value or path or str(moment.place.step)
        raise StoryError(say("story.no_code", place=place))
    width, height = moment.room
    if name:
        return code_block(excerpt, width, remark)
    for most in range(int(height / _CODE_LINE), _LEAST_CODE, -1):
        block = code_block(excerpt.focused(most), width, remark)
        # So that each line stays readable: a wrapped one is as high as several.
        if block.height * LEAST_TEXT <= height * CODE:
            return block
    return code_block(excerpt.focused(_LEAST_CODE), width, remark)


def _place(index: TraceIndex, path: str) -> TracePosition:
    try:
        return position_at_path(index, path)
    except UnknownPositionError as error:
        raise StoryError(str(error)) from None


def _pieces(moment: PictureMoment, line: str) -> Iterator[Block]:
    """The texts and values of a row, whose values share a color scale."""
    values = [_value(moment.run, match[1].strip()) for match in _PIECE.finditer(line)]
    if checked := set(_CHECKED.findall(line)):
        values = _compared(values, has_difference="difference" in checked)
    # Nothing tells how large a hidden value is.
    scaled = iter(share_scale([shown for way, shown, _ in values if way != "?"]))
    at = 0
    for match, (way, shown, element) in zip(_PIECE.finditer(line), values, strict=True):
        yield from _words(line[at : match.start()], at)
        shown = replace(shown if way == "?" else next(scaled), label=moment.label)
        yield _drawn(way, shown, element, moment.room)
        at = match.end()
    yield from _words(line[at:], at)


def _compared(values: list[_FoundValue], *, has_difference: bool) -> list[_FoundValue]:
    """Matrices of a check: one alone with its axes, and rings only beside the difference."""
    return [
        (
            way,
            shown if len(values) == 1 else replace(shown, shape=""),
            element if has_difference else None,
        )
        for way, shown, element in values
    ]


def _drawn(
    way: str, shown: ShownValue, element: tuple[int, ...] | None, room: tuple[float, float]
) -> Block:
    if way == "?":
        return empty_block(shown)
    if way == "+":
        return slices_block(shown, room, "+")
    return value_block(shown) if element is None else ringed_block(shown, [element], room)


def _words(text: str, at: int) -> Iterator[Block]:
    if text := text.strip():
        yield text_block(text, MAIN_NUMBER, key=f"words:{at}:{text}", style="title")


_FoundValue = tuple[str, ShownValue, tuple[int, ...] | None]
"""How a value is drawn, the value, and which of its elements has a ring."""


def _value(run: StoryRun, query: str) -> _FoundValue:
    way = query[:1] if query[:1] in ("?", "+") else ""
    query = query[len(way) :].strip()
    if query.startswith("other:"):
        return _value(_other(run), f"{way}{query.removeprefix('other:').strip()}")
    if (match := _CHECK.fullmatch(query)) is not None:
        return _matrix(run.index, match[1], match[2] or "")
    named = _NAMED.fullmatch(query)
    query, name = (named[1], named[2]) if named else (query, "")
    try:
        item, element = named_value(run.index, query)
    except NotFoundError as error:
        raise StoryError(str(error)) from None
    renamed = _renamed(item, name or _name(query, item))
    shown = shown_value(run.index, renamed, _ink(query))
    if (role := _ROLE.match(query)) is not None:
        source = summed_key(run.index, int(role[1]), item.tensor)
        shown = replace(shown, source=source)
    return way, shown, element


def _ink(query: str) -> PaletteRole:
    """Color of a value's frame."""
    role = _ROLE.match(query)
    if role is not None:
        return _INKS.get(role[2], "backward")
    return "backward" if query.startswith("grad ") else "border_strong"


def _name(query: str, item: Item) -> str:
    """Name of a value: a gradient has that of its input in the record."""
    if query.startswith("grad "):
        return f"{query[5:]}.grad"
    role = _ROLE.match(query)
    return gradient_name(item.name) if role and role[2] in _GRADIENTS else item.name


def _renamed(item: Item, name: str) -> Item:
    return Item(name=name, kind=item.kind, tensor=item.tensor, text=item.text)


def _matrix(index: TraceIndex, what: str, name: str) -> _FoundValue:
    """A matrix of the last check with its axes, and its element that is most wrong."""
    # The most wrong one, unless one is named.
    block = max(_pairs(index, name), key=lambda each: each.wrong)
    shown = ShownValue(
        item=object_item(say(f"story.{what}"), ""),
        shape=f"{visible_text(block.input_name)} ↓  {visible_text(block.output_name)} →",
        value=_elements(index, block, what),
        ink="error" if what == "difference" and block.wrong else "border_strong",
    )
    worst = block.worst
    is_marked = worst is not None and block.wrong
    return "", shown, (worst.row, worst.column) if worst is not None and is_marked else None


def _plot(moment: PictureMoment, what: str, name: str) -> Block:
    """The most wrong pair of the last check that has such a plot, unless one is named."""
    index, room = moment.run.index, moment.room
    if what == "check":
        return check_start_block(plan_of(index, name), room)
    if what == "curve":
        return _curve(moment, name)
    report, pairs = index.trace.reports[-1:], _worst_first(_pairs(index, name))
    for block in pairs:
        if (errors := report[0].error_curve_of(block)) is not None:
            return error_block(errors, block, report[0], room)
    raise StoryError(say("story.no_errors", name=name or pairs[0].input_name))


def _curve(moment: PictureMoment, query: str) -> Block:
    """The sampled function along an element, by default the worst one that was sampled."""
    index = moment.run.index
    match = _ELEMENT.fullmatch(query)
    name, row, output, column = match.groups(default="") if match is not None else ("", "", "", "")
    report, pairs = index.trace.reports[-1:], _worst_first(_pairs(index, name or query))
    for block in pairs:
        found = [
            each
            for each in report[0].function_curves
            if each.place == block.place
            and output in ("", block.output_name)
            and _is_at(row, each.row, block.input_shape)
            and _is_at(column, each.column, block.output_shape)
        ]
        if found:
            # The worst element, or the output element that depends most on the named one.
            curve = max(found, key=_steepness) if row else found[0]
            tensor = _moved_tensor(index, curve, block)
            return curve_block(curve, block, report[0].eps, moment.room, tensor)
    raise StoryError(say("story.no_curve", name=query or pairs[0].input_name))


def _moved_tensor(index: TraceIndex, curve: FunctionCurve, block: JacobianBlock) -> int | None:
    """The input that a curve goes along, if the run has it with the very same element."""
    for call in index.call.values():
        for item in call.arguments:
            value = None if item.tensor is None else index.value(item.tensor)
            if value is not None and (item.name, value.shape) == (
                block.input_name,
                block.input_shape,
            ):
                is_same = value.array().flat[curve.row] == curve.points[curve.at]
                return item.tensor if is_same else None
    return None


def _steepness(curve: FunctionCurve) -> float:
    slopes = curve.numerical[curve.at], curve.analytical[curve.at]
    return max((abs(each) for each in slopes if math.isfinite(each)), default=0.0)


def _is_at(element: str, position: int, shape: tuple[int, ...]) -> bool:
    """Whether a position is that of an element such as ``1, 0``; of any if it is empty."""
    index = tuple(map(int, re.findall(r"\d+", element)))
    return index in ((), index_at(position, shape))


def _worst_first(blocks: list[JacobianBlock]) -> list[JacobianBlock]:
    return sorted(blocks, key=lambda each: -each.wrong)


def _pairs(index: TraceIndex, name: str) -> list[JacobianBlock]:
    """The pairs of the last check that a name fits."""
    reports = index.trace.reports
    blocks = reports[-1].blocks if reports else ()
    found = [each for at, each in enumerate(blocks) if name in ("", each.input_name, f"#{at}")]
    if not found:
        raise StoryError(say("story.no_check", name=name) if name else say("story.no_checks"))
    return found


def _elements(index: TraceIndex, block: JacobianBlock, what: str) -> TensorValue | None:
    """A matrix of a check, without the noise of central differences."""
    analytical, numerical = index.value(block.analytical), index.value(block.numerical)
    if analytical is None or numerical is None:
        return None
    array = numerical.array() if what == "numerical" else analytical.array()
    if what == "difference":
        array = array - numerical.array()
    found = without_noise_in_cells(array)
    data = np.ascontiguousarray(found).tobytes()
    return TensorValue(dtype=str(found.dtype), shape=analytical.shape, data=data)
