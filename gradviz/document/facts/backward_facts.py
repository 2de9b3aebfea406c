"""Facts about the steps of a backward pass: what arrives, what is returned and passed on."""

from __future__ import annotations

from gradviz.analysis.index.hook_effects import NO_HOOK_EFFECTS
from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.backward_formulas import formula_of
from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import (
    ChangeRow,
    FactRow,
    FactSection,
    HiddenRow,
    TextRow,
    ValueRow,
)
from gradviz.document.facts.node_facts import context_section, saved_section
from gradviz.document.tag import DocumentLink, Tag
from gradviz.model.graph import Node
from gradviz.model.item import Item, gradient_name
from gradviz.model.step import AccumulateStep, NodeStep, PassedGradient
from gradviz.text.phrases import shape_text


def node_sections(
    revealed: RevealedTrace, index: TraceIndex, step: NodeStep
) -> tuple[FactSection, ...]:
    """Sections on what a node received, returned and saved; of hidden results only the names."""
    call = index.node[step.node].call
    context = context_section(index.call[call]) if call in index.call else ()
    if revealed.shows(step.number):
        gives = returned_sections(index, step)
    else:
        gives = (_withheld(step, revealed.answer_items(step.number)),)
    saved = saved_section(index, step.node, step.number)
    return (incoming_section(step), *saved, *gives, *context)


def accumulate_sections(index: TraceIndex, step: AccumulateStep) -> tuple[FactSection, ...]:
    """Sections on the gradient that arrives at a leaf and on its ``.grad``."""
    name = index.node[step.node].variable_name or say("facts.leaf_2")
    contribution: FactRow = ValueRow(name=gradient_name(name), item=step.contribution)
    before = _before_hooks(index, step)
    if before is not None:
        contribution = ChangeRow(
            before=ValueRow(name=gradient_name(name), item=before),
            after=ValueRow(name=gradient_name(name), item=step.contribution),
            change=say("facts.changed_hook"),
            tone="accent",
        )
    total = ValueRow(name=f"{name}.grad", item=step.total)
    sections = [
        FactSection(key="contribution", title=say("facts.arrives_pass"), rows=(contribution,)),
        FactSection(key="total", title=say("facts.accumulated_so_far"), rows=(total,)),
    ]
    if step.leaf is not None:
        tags = (Tag(say("facts.leaf_2"), "leaf"),)
        row = ValueRow(name=name, item=step.leaf, tags=tags)
        sections.append(FactSection(key="leaf", title=say("facts.leaf_2"), rows=(row,)))
    return tuple(sections)


def _before_hooks(index: TraceIndex, step: AccumulateStep) -> Item | None:
    """The gradient that reached a leaf if a hook changed it; None if it is a sum or unknown."""
    if not index.hooks_by_step.get(step.number, NO_HOOK_EFFECTS).before:
        return None
    span = pass_at(index, step.number)
    flows = [
        flow.item
        for edge in index.arriving.get(step.node, ())
        for flow in index.flows.get(edge.id, ())
        if span is not None and span.first < flow.step < step.number
    ]
    is_known = len(flows) == 1 and flows[0].tensor != step.contribution.tensor
    return flows[0] if is_known else None


def returned_sections(index: TraceIndex, step: NodeStep) -> tuple[FactSection, ...]:
    """Sections on what a node returned and what the engine passed on.

    For a built-in node, only what was passed on is known.
    """
    return _returned(index, step) if step.returned else _passed(index, step)


def given_sections(index: TraceIndex, step: NodeStep) -> tuple[FactSection, ...]:
    """Sections on what a node's own computation returned, before the engine checked it."""
    if not step.returned:
        return _passed(index, step)
    rows = tuple(ValueRow(name=gradient_name(item.name), item=item) for item in step.returned)
    hint = say("facts.before_engine_checks")
    return (FactSection(key="returned", title=say("facts.returned"), hint=hint, rows=rows),)


def incoming_section(step: NodeStep) -> FactSection:
    """The gradients that arrive at a node, and what its ``backward`` receives for them."""
    made_up = Tag(say("facts.materialized"), "accent", say("facts.set_materialize_grads_true"))
    rows: list[FactRow] = []
    for place, item in enumerate(step.incoming):
        got = step.received[place] if place < len(step.received) else item
        if item.kind == "none" and got.kind == "tensor":
            rows.append(
                ChangeRow(
                    before=ValueRow(name=say("facts.from_engine"), item=item),
                    after=ValueRow(name=got.name, item=got, tags=(made_up,)),
                    change=say("facts.undefined_materialized_as_zeros"),
                    tone="accent",
                )
            )
        else:
            rows.append(ValueRow(name=got.name, item=got))
    return FactSection(key="incoming", title=say("facts.came_in"), rows=tuple(rows))


def _withheld(step: NodeStep, items: tuple[Item, ...]) -> FactSection:
    """The names of the results of a node, without their values."""
    rows = tuple(HiddenRow(name=gradient_name(item.name)) for item in items)
    title = say("facts.returned") if step.returned else say("facts.passed_on")
    return FactSection(
        key="returned", title=title, hint=say("facts.hidden_until_revealed"), rows=rows
    )


def _returned(index: TraceIndex, step: NodeStep) -> tuple[FactSection, ...]:
    passed = {each.argument: each for each in step.passed if each.argument is not None}
    rows = tuple(
        _returned_row(index, item, passed.get(place)) for place, item in enumerate(step.returned)
    )
    title, becomes = say("facts.returned"), say("facts.passed_on")
    if not any(isinstance(row, ChangeRow) for row in rows):
        becomes = ""
    return (FactSection(key="returned", title=title, becomes=becomes, rows=rows),)


def _returned_row(index: TraceIndex, item: Item, passed: PassedGradient | None) -> FactRow:
    name = gradient_name(item.name)
    if passed is None or passed.change == "none":
        return ValueRow(name=name, item=item, tags=_target(index, passed))
    if passed.change == "dropped":
        tip = say("facts.argument_does_not_need")
        return ValueRow(name=name, item=item, tags=(Tag(say("facts.dropped"), "warning", tip),))
    before = ValueRow(name=name, item=item)
    after = ValueRow(name=name, item=passed.item, tags=_target(index, passed))
    if passed.change == "unchanged":
        return ChangeRow(before=before, after=after, change=say("facts.as_it_is"), tone="plain")
    return ChangeRow(before=before, after=after, change=change_text(index, item, passed))


def change_text(index: TraceIndex, before: Item, passed: PassedGradient) -> str:
    """What the engine did to a gradient, like ``summed from 4×2×3 to 2×3``."""
    old = index.tensor.get(before.tensor) if before.tensor is not None else None
    new = index.tensor.get(passed.item.tensor) if passed.item.tensor is not None else None
    if old is None or new is None:
        return say("facts.changed_engine")
    return say(
        f"facts.change.{passed.change}",
        old_shape=shape_text(old.shape),
        new_shape=shape_text(new.shape),
        old_dtype=old.dtype,
        new_dtype=new.dtype,
    )


def _passed(index: TraceIndex, step: NodeStep) -> tuple[FactSection, ...]:
    if not step.finished and not step.passed:
        text = TextRow(text=say("facts.node_did_not_return"), tone="warning")
        return (FactSection(key="returned", title=say("facts.passed_on"), rows=(text,)),)
    names = _formula_names(index.node[step.node], len(step.passed))
    rows: tuple[FactRow, ...] = tuple(
        ValueRow(
            name=names.get(each.slot) or gradient_name(each.item.name),
            item=each.item,
            tags=_target(index, each),
        )
        for each in step.passed
        if each.edge is not None or each.item.kind == "tensor"
    )
    return (FactSection(key="returned", title=say("facts.passed_on"), rows=rows),) if rows else ()


def _formula_names(node: Node, slots: int) -> dict[int, str]:
    """Names such as ``grad_other`` by slot, if the node's formula has one for each slot."""
    formula = formula_of(node.name) if node.kind == "builtin" else None
    names = [] if formula is None else [each.partition(" = ")[0] for each in formula.equations]
    is_named = len(names) == slots and all(each.isidentifier() for each in names)
    return dict(enumerate(names)) if is_named else {}


def _target(index: TraceIndex, passed: PassedGradient | None) -> tuple[Tag, ...]:
    """A tag for the destination of a gradient: the leaf, or the next node."""
    edge = index.edge.get(passed.edge) if passed is not None and passed.edge is not None else None
    if edge is None or edge.target not in index.node:
        return ()
    node = index.node[edge.target]
    tip = say("facts.goes_on_click_go", node=node.name)
    jump = DocumentLink(node=node.id)
    if node.kind == "accumulate":
        return (Tag(say("facts.leaf", name=node.variable_name), "leaf", tip, jump),)
    return (Tag(say("facts.to", node=node.name), "plain", tip, jump),)
