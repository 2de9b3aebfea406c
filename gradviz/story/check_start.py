"""What a check does, before it has run: its three steps, with the checked call's own values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.display.parts import Outline, Pen, RoundedRect, Shape, circle, polyline
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.function_call import FunctionCall
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord
from gradviz.story.blocks import Block, column, fitted, paragraph, row
from gradviz.story.frame import LEAST_TEXT, Drawn, at
from gradviz.story.values import ShownValue, shown_value, value_block
from gradviz.text.phrases import record_shape_text

_TITLE, _PAD, _GAP = 27.0, 20.0, 24.0
_LEAST_VALUE, _LEAST_WIDTH = 120.0, 260.0


@dataclass(frozen=True, kw_only=True)
class CheckPlan:
    """What a check compares.

    Attributes:
        captions: What each step is about; empty if that is not known.
        count: How many numbers it compares; empty if that is not known.
        values: The first input and output; None if that is not known or too large.
    """

    captions: tuple[str, str, str]
    count: str
    values: tuple[ShownValue | None, ShownValue | None]

    @property
    def titles(self) -> tuple[str, str, str]:
        """The three steps of a check."""
        return say("story.check_move"), say("story.check_see"), say("story.check_compare")


def plan_of(
    index: TraceIndex | None, function: str = "", call: FunctionCall | None = None
) -> CheckPlan:
    """What a check of a custom Function compares.

    Args:
        index: The trace of the run; None if there is none.
        function: Name of what is checked; empty for the Function of the only call.
        call: The call that is repeated; by default the only one of the run, if it is of what is
            checked.
    """
    calls = () if index is None else tuple(index.call.values())
    if call is None and len(calls) == 1 and function in ("", calls[0].function):
        call = calls[0]
    if index is None or call is None:
        captions = ("", "", say("story.check_slopes"))
        return CheckPlan(captions=captions, count="", values=(None, None))
    inputs = _compared(index, call.arguments, inputs=True)
    outputs = _compared(index, call.outputs, inputs=False)
    names = [f"{each.name} {record_shape_text(record)}" for each, record in inputs]
    moved = "story.check_moved" if len(inputs) == 1 else "story.check_moved_first"
    outs, ins = (sum(prod(record.shape) for _, record in each) for each in (outputs, inputs))
    count = say(
        "story.check_count",
        function=call.function,
        inputs=", ".join(names),
        outputs=format_count(outs),
        elements=format_count(ins),
        count=format_count(outs * ins),
    )
    seen = [f"{each.name} {record_shape_text(record)}" for each, record in outputs[:1]]
    return CheckPlan(
        captions=(
            say(moved, name=names[0]) if inputs else "",
            say("story.check_seen", name=seen[0]) if seen else "",
            say("story.check_slopes"),
        ),
        count=count if inputs and outputs else "",
        values=(_first(index, inputs), _first(index, outputs)),
    )


_Compared = tuple[tuple[Item, TensorRecord], ...]


def _compared(index: TraceIndex, items: Sequence[Item], *, inputs: bool) -> _Compared:
    """The items that a check compares: real tensors, of the inputs those that need a gradient."""
    records = [(each, index.tensor.get(each.tensor)) for each in items if each.tensor is not None]
    return tuple(
        (item, record)
        for item, record in records
        if record is not None
        and record.dtype.startswith(("float", "bfloat"))
        and (record.requires_grad or not inputs)
    )


def _first(index: TraceIndex, items: _Compared) -> ShownValue | None:
    """The first of some values, without the name and shape that the caption has."""
    for item, _ in items[:1]:
        shown = shown_value(index, Item(name="", kind=item.kind, tensor=item.tensor, text=""))
        return None if shown.value is None else replace(shown, shape="")
    return None


def check_start_block(plan: CheckPlan, room: tuple[float, float]) -> Block:
    """Draw the three steps above the number of comparisons."""
    count = paragraph(plan.count, room[0], LEAST_TEXT * 1.2, key="check:count", ink="text_muted")
    steps = check_steps_block(plan, (room[0], room[1] - count.height - _GAP))
    return column((steps, *((count,) if plan.count else ())), _GAP)


def check_steps_block(plan: CheckPlan, room: tuple[float, float]) -> Block:
    """Draw the three steps beside each other; below each other, without values, if narrow."""
    is_narrow = room[0] < 3 * _LEAST_WIDTH + 2 * _GAP
    width = room[0] if is_narrow else (room[0] - 2 * _GAP) / 3
    inner = width - 2 * _PAD
    steps = []
    for number, (title, caption) in enumerate(zip(plan.titles, plan.captions, strict=True)):
        key = f"check:{number}"
        head = paragraph(f"{number + 1}  {title}", inner, _TITLE, key=f"{key}:title", style="title")
        foot = paragraph(caption, inner, LEAST_TEXT * 1.1, key=f"{key}:text", ink="text_muted")
        steps.append((head, foot))
    if is_narrow:
        return column([_card(number, width, *step) for number, step in enumerate(steps)], _GAP)
    heads = max(head.height for head, _ in steps)
    feet = max(foot.height for _, foot in steps)
    around = 2 * _PAD + heads + feet + 2 * _GAP
    high = max(_LEAST_VALUE, room[1] - around)
    values = [None if each is None else value_block(each) for each in plan.values]
    pictures = *values, _slopes()
    most = max((each.height for each in pictures if each is not None), default=_LEAST_VALUE)
    high = min(high, max(_LEAST_VALUE, most))
    cards = []
    for number, ((head, foot), picture) in enumerate(zip(steps, pictures, strict=True)):
        place = Rect(x=_PAD, y=_PAD + heads + _GAP, width=inner, height=high)
        frame = Rect(x=0, y=0, width=width, height=around + high)
        shape = Shape(RoundedRect(frame, 10), "panel", Pen("border", 2.0))
        drawn = (
            Drawn(key=f"check:{number}:frame", parts=(shape,)),
            *at((_PAD, _PAD), head.drawn),
            *(() if picture is None else fitted(picture, place)),
            *at((_PAD, frame.height - _PAD - feet), foot.drawn),
        )
        middle = frame.height / 2
        cards.append(Block(width=width, height=frame.height, drawn=drawn, middle=middle))
    return row(cards, _GAP)


def _card(number: int, width: float, head: Block, foot: Block) -> Block:
    """A step without a value."""
    inside = column((head, foot), _GAP / 2, align="left")
    frame = Rect(x=0, y=0, width=width, height=inside.height + 2 * _PAD)
    shape = Shape(RoundedRect(frame, 10), "panel", Pen("border", 2.0))
    ground = Drawn(key=f"check:{number}:frame", parts=(shape,))
    drawn = (ground, *at((_PAD, _PAD), inside.drawn))
    return Block(width=width, height=frame.height, drawn=drawn, middle=frame.height / 2)


def _slopes() -> Block:
    """A sketch, without values: the numerical slope is a secant, that of backward a tangent."""
    curve = Outline((("M", ((0, 190),)), ("Q", ((190, 180), (310, 10)))))
    first, last = (127.7, 162.1), (237.3, 92.7)
    reach = (last[0] - first[0]) * 0.3, (last[1] - first[1]) * 0.3
    secant = polyline(
        (first[0] - reach[0], first[1] - reach[1]), (last[0] + reach[0], last[1] + reach[1])
    )
    tangent = polyline((60, 175), (310, 120))
    parts = (
        Shape(curve, pen=Pen("text", 4.0, is_round=True)),
        Shape(tangent, pen=Pen("backward", 3.5, (6.0, 6.0))),
        Shape(secant, pen=Pen("forward", 3.5)),
        *(Shape(circle(each, 7.0), "forward") for each in (first, last)),
    )
    return Block(width=310, height=190, drawn=(Drawn(key="check:slopes", parts=parts),), middle=95)
