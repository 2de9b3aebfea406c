"""Facts about built-in nodes: the op that created them, its caller, and their formula."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import node_at_step, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.backward_formulas import BackwardFormula, formula_of
from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import FactRow, FactSection, TextRow, steps_row
from gradviz.document.facts.node_facts import place_text
from gradviz.document.facts.step_facts import source_line
from gradviz.model.graph import Node
from gradviz.model.source import Location, user_line
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep


def builtin_node(index: TraceIndex, number: int) -> Node | None:
    """The built-in node that a step creates or executes; None for every other step."""
    node = node_at_step(index, number)
    about_node = isinstance(step_at(index, number), ForwardStep | NodeStep | AccumulateStep)
    if node is None or not about_node:
        return None
    found = index.node[node]
    return found if found.kind in ("builtin", "accumulate") else None


def forward_of(index: TraceIndex, node: int) -> ForwardStep | None:
    """The forward step that created a node; None if unknown."""
    number = index.made_at.get(node)
    step = None if number is None else step_at(index, number)
    return step if isinstance(step, ForwardStep) else None


def called_from(step: ForwardStep) -> Location | None:
    """The line of the user's code that called the op; None if unknown."""
    return user_line(step.location)


def formula_at(node: Node) -> BackwardFormula | None:
    """The formula of a built-in node; None for a custom node, even of the same name."""
    return formula_of(node.name) if node.kind in ("builtin", "accumulate") else None


def differentiation_sections(
    index: TraceIndex, node: Node | None, number: int
) -> tuple[FactSection, ...]:
    """Sections on how a built-in node differentiates; empty for others, or if unknown.

    Args:
        index: The trace.
        node: The node; None for none.
        number: Number of the current step, which gets no link to itself.
    """
    if node is None or node.kind not in ("builtin", "accumulate"):
        return ()
    rows = (*_formula_rows(index, node, number), *_forward_rows(index, node, number))
    if not rows:
        return ()
    is_leaf = node.kind == "accumulate"
    title = say("facts.how_accumulates" if is_leaf else "facts.how_differentiates")
    return (FactSection(key="formula", title=title, rows=rows),)


def _formula_rows(index: TraceIndex, node: Node, number: int) -> tuple[FactRow, ...]:
    formula = formula_at(node)
    if formula is None:
        return ()
    rows: list[FactRow] = [TextRow(text="\n".join(formula.equations), block=True)]
    rows += [TextRow(text=formula.note)] if formula.note else []
    if is_complex(index, node, number):
        text = say("facts.real_numbers_only_complex")
        rows.append(TextRow(text=text, tone="warning"))
    return tuple(rows)


def is_complex(index: TraceIndex, node: Node, number: int) -> bool:
    """Whether a node is known to compute with complex numbers."""
    step = step_at(index, number)
    items = [slot.item for slot in index.saved.get(node.id, ())]
    items += step.incoming if isinstance(step, NodeStep) else ()
    items += step.outputs if isinstance(step, ForwardStep) else ()
    known = [item.tensor for item in items if item.tensor is not None]
    return any(index.tensor.bare(each).dtype.startswith("complex") for each in known)


def _forward_rows(index: TraceIndex, node: Node, number: int) -> tuple[FactRow, ...]:
    step = forward_of(index, node.id)
    if step is None or step.call is not None:
        return ()
    rows: list[FactRow] = []
    place = called_from(step)
    if place is not None:
        text = say("facts.called", op=step.op, place=place_text(place))
        rows.append(TextRow(text=text))
        code = source_line(index, place)
        rows += [TextRow(text=code, block=True)] if code else []
    if step.number != number:
        rows.append(steps_row(say("facts.created", op=step.op), [step.number]))
        if index.saved.get(node.id):
            rows.append(TextRow(text=say("facts.its_saved_tensors_from")))
    return tuple(rows)
