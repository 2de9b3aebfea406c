"""Collects what the hover card says about a card: one short line for each recorded fact."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.node_steps import execution_step
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.cards import cuts_with_card
from gradviz.drawing.content.drawn_graph import DrawnNode
from gradviz.drawing.content.plain_text import (
    item_text,
    label_text,
    tensor_of,
    tensor_text,
    value_text,
)
from gradviz.model.graph import Node
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, NodeStep
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.translation import translate

MOST_NAME, MOST_ITEMS = 300, 6

HIDDEN = "?"
"""Replaces hidden values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFacts:
    """Text about a card.

    Attributes:
        title: Its full name.
        lines: Name and text of each line; a line without a name spans both columns.
        problem: What went wrong there; empty if nothing did.
    """

    title: str
    lines: tuple[tuple[str, str], ...]
    problem: str = ""

    @property
    def text(self) -> str:
        """All of it as one text for screen readers."""
        lines = (f"{name}: {text}" if name else text for name, text in self.lines)
        return ". ".join(filter(None, (self.title, *lines, self.problem)))


def card_facts_of(
    revealed: RevealedTrace, card: DrawnNode, number: int, problem: str = ""
) -> CardFacts:
    """Collect the text about a card.

    Args:
        revealed: The trace, with the results that may be shown.
        card: The card.
        number: The current step; a node's execution in the same pass is described.
        problem: What went wrong there, if known.
    """
    index = revealed.index
    assert index is not None
    node = index.node[card.nodes[0]]
    title = card.title
    if card.kind == "folded":
        lines = [("", line) for line in (*card.lines, *card.inside)]
        lines.append(("", translate("CardFacts", "Double-click to open the group.")))
    elif card.kind == "saved":
        lines = [
            (translate("CardFacts", "saved by"), label_text(node.name, MOST_NAME)),
            *_saved(index, node),
        ]
    elif card.kind == "cut":
        lines = [
            (translate("CardFacts", "in"), label_text(node.name, MOST_NAME)),
            *_cut(index, card),
        ]
    elif card.kind in ("leaf", "output", "dead_end"):
        lines = _tensor(index, card)
        if card.kind == "dead_end":
            lines.append(("", card.lines[-1]))
        if card.kind == "leaf":
            lines += _steps(index, node) + _gradients(index, node, number, revealed)
    else:
        title = label_text(node.name, MOST_NAME)
        lines = _node(index, node, number, revealed)
    return CardFacts(title=title, lines=tuple(lines), problem=problem)


def _node(
    index: TraceIndex, node: Node, number: int, revealed: RevealedTrace
) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    call = None if node.call is None else index.call.get(node.call)
    if call is not None:
        lines.append((translate("CardFacts", "Function"), label_text(call.function, MOST_NAME)))
    if node.variable_name:
        lines.append((translate("CardFacts", "leaf"), label_text(node.variable_name, MOST_NAME)))
    module = None if node.module_call is None else index.module.get(node.module_call)
    if module is not None:
        class_text = f" · {module.class_name}" if module.class_name else ""
        lines.append(
            (translate("CardFacts", "module"), label_text(module.path + class_text, MOST_NAME))
        )
    lines += _steps(index, node)
    lines += _gradients(index, node, number, revealed)
    return lines + _saved(index, node)


def _steps(index: TraceIndex, node: Node) -> list[tuple[str, str]]:
    made, visits = index.made_at.get(node.id), index.visits.get(node.id, ())
    parts = []
    if made is not None:
        parts.append(translate("CardFacts", "created in {0}").format(made))
    if visits:
        numbers = ", ".join(str(each) for each in visits[:MOST_ITEMS])
        more = "" if len(visits) <= MOST_ITEMS else " …"
        adds = node.kind == "accumulate"
        parts.append(
            (
                translate("CardFacts", "accumulates in {0}")
                if adds
                else translate("CardFacts", "executed in {0}")
            ).format(numbers + more)
        )
    else:
        parts.append(translate("CardFacts", "never executed"))
    return [(translate("CardFacts", "steps"), " · ".join(parts))]


def _gradients(
    index: TraceIndex, node: Node, number: int, revealed: RevealedTrace
) -> list[tuple[str, str]]:
    visit = execution_step(index, node.id, number)
    step = None if visit is None else step_at(index, visit)
    if visit is None or step is None:
        return []
    if isinstance(step, AccumulateStep):
        arrives, total = item_text(index, step.contribution), item_text(index, step.total)
        lines = [
            (translate("CardFacts", "receives"), arrives),
            (translate("CardFacts", "adds up to"), total),
        ]
        return lines if revealed.shows_incoming(visit) else [(name, HIDDEN) for name, _ in lines]
    if not isinstance(step, NodeStep):
        return []
    incoming = step.received or step.incoming
    arrives = _items(index, incoming) if revealed.shows_incoming(visit) else HIDDEN
    returned = step.returned or [each.item for each in step.passed]
    leaves = _items(index, returned) if revealed.shows_outgoing(visit) else HIDDEN
    return [
        (translate("CardFacts", "receives"), arrives),
        (translate("CardFacts", "returns"), leaves),
    ]


def _saved(index: TraceIndex, node: Node) -> list[tuple[str, str]]:
    slots = index.saved.get(node.id, ())
    return (
        [(translate("CardFacts", "saved"), _items(index, [slot.item for slot in slots]))]
        if slots
        else []
    )


def _cut(index: TraceIndex, card: DrawnNode) -> list[tuple[str, str]]:
    cut = next((cut for cut, each in cuts_with_card(index) if each.id == card.id), None)
    return [] if cut is None else [("", cut.message)]


def _tensor(index: TraceIndex, card: DrawnNode) -> list[tuple[str, str]]:
    tensor = tensor_of(index, card.tensors[0]) if card.tensors else None
    if tensor is None:
        return []
    lines = [
        (
            translate("CardFacts", "tensor"),
            f"{tensor_text(tensor)} · {label_text(tensor.device)}",
        )
    ]
    value = value_text(tensor)
    if value:
        lines.append((translate("CardFacts", "value"), value))
    return [*lines, (translate("CardFacts", "requires grad"), _yes(tensor))]


def _yes(tensor: TensorRecord) -> str:
    return translate("CardFacts", "yes") if tensor.requires_grad else translate("CardFacts", "no")


def _items(index: TraceIndex, items: Sequence[Item]) -> str:
    texts = [_item(index, item) for item in items[:MOST_ITEMS]]
    if len(items) > MOST_ITEMS:
        texts.append(translate("CardFacts", "and {0} more").format(len(items) - MOST_ITEMS))
    return _joined(texts) or translate("CardFacts", "nothing")


def _item(index: TraceIndex, item: Item) -> str:
    name = label_text(item.name, 32)
    return f"{name} {item_text(index, item)}" if name else item_text(index, item)


def _joined(texts: Iterable[str]) -> str:
    return " · ".join(texts)
