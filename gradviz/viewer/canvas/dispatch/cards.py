"""A call that types override, as cards: the call, the types that torch asks, the result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.document.facts.dispatch_facts import answer_text, answers_by_type
from gradviz.document.location_text import location_text
from gradviz.model.item import Item, without_held
from gradviz.model.source import Location
from gradviz.model.step import DispatchAnswer, DispatchStep
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.translation import translate

MOST_CARDS, MOST_LINES = 20, 50
"""Types and values that are drawn; a damaged trace can name thousands."""

CardRole = Literal["call", "answer", "passed", "waiting", "result", "failed"]
"""Role of a card: the call, a type that answered, one that returned NotImplemented, one that was
not asked, the result, or an exception.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLine:
    """One line of a card.

    Attributes:
        text: Text of the line.
        tensor: Number of the tensor whose elements are shown below it, or None.
        muted: Whether it is less important.
    """

    text: str
    tensor: int | None = None
    muted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchCard:
    """One card.

    Attributes:
        look: Role of the card.
        title: First line.
        lines: The other lines.
    """

    look: CardRole
    title: str
    lines: tuple[CardLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DispatchCards:
    """All cards of a call, from top to bottom.

    Attributes:
        call: The call.
        asks: Text at the arrow from the call to the types.
        types: One card for each type, in the order in which torch asks them.
        gives: Text at the arrow from the types to the result.
        result: The result or the exception.
    """

    call: DispatchCard
    asks: str
    types: tuple[DispatchCard, ...]
    gives: str
    result: DispatchCard


def cards_of(index: TraceIndex, step: DispatchStep) -> DispatchCards:
    """Build the cards of a call."""
    given = _lines(index, step.inputs)
    order = translate("Dispatch", "torch asks the type:")
    if len(step.types) > 1:
        order = translate("Dispatch", "torch asks the types from left to right:")
    return DispatchCards(
        call=DispatchCard(look="call", title=step.function, lines=given),
        asks=order,
        types=_types(step),
        gives=translate("Dispatch", "which returns")
        if step.finished
        else translate("Dispatch", "so the call raises"),
        result=_result(index, step),
    )


def _types(step: DispatchStep) -> tuple[DispatchCard, ...]:
    asked = answers_by_type(step)
    cards = [_type(name, answer) for name, answer in asked[:MOST_CARDS]]
    if len(asked) > MOST_CARDS:
        cards.append(DispatchCard(look="waiting", title=_more(len(asked) - MOST_CARDS)))
    return tuple(cards)


def _more(count: int) -> str:
    return translate("Dispatch", "{0} more").format(format_count(count))


def _lines(index: TraceIndex, items: Sequence[Item]) -> tuple[CardLine, ...]:
    lines = [line for item in items[:MOST_LINES] for line in _value(index, item)]
    if len(items) > MOST_LINES:
        lines.append(CardLine(text=_more(len(items) - MOST_LINES), muted=True))
    return tuple(lines)


def _type(name: str, answer: DispatchAnswer | None) -> DispatchCard:
    if answer is None:
        return DispatchCard(
            look="waiting", title=name, lines=(CardLine(text=answer_text(None), muted=True),)
        )
    roles: dict[str, CardRole] = {"raised": "failed", "not_implemented": "passed"}
    where = () if answer.location is None else (_where(answer.location),)
    lines = (CardLine(text=answer_text(answer)), *where)
    return DispatchCard(look=roles.get(answer.how, "answer"), title=name, lines=lines)


def _where(location: Location) -> CardLine:
    return CardLine(text=location_text(location), muted=True)


def _result(index: TraceIndex, step: DispatchStep) -> DispatchCard:
    if not step.finished:
        kind, _, message = step.error.partition(": ")
        # If all types decline, torch's message ends in a colon, and a list of them follows.
        message = message.removesuffix(":")
        title = kind or translate("Dispatch", "the call did not return")
        message_lines = (CardLine(text=message),) if message else ()
        return DispatchCard(look="failed", title=title, lines=message_lines)
    own = without_held(step.outputs)
    if len(own) != 1:
        title = translate("Dispatch", "{0} values").format(format_count(len(own)))
        return DispatchCard(look="result", title=title, lines=_lines(index, step.outputs))
    first, *held = step.outputs
    (line,) = _value(index, replace(first, name=""))
    rest = _lines(index, held)
    below = (CardLine(text="", tensor=line.tensor),) if line.tensor is not None else ()
    return DispatchCard(look="result", title=line.text, lines=(*below, *rest))


def _value(index: TraceIndex, item: Item) -> tuple[CardLine, ...]:
    record = None if item.tensor is None else index.tensor.get(item.tensor)
    if record is None:
        text = "None" if item.kind == "none" else item.text
    else:
        kind = record.subclass or translate("Dispatch", "tensor")
        shape = record_shape_text(record)
        text = translate("Dispatch", "{kind} {shape}, {dtype}").format(
            kind=kind, shape=shape, dtype=record.dtype
        )
    named = (
        translate("Dispatch", "{name} = {value}").format(name=item.name, value=text)
        if item.name
        else text
    )
    return (CardLine(text=named, tensor=item.tensor),)
