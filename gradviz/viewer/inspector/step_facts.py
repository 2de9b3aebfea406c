"""Facts about a step, depending on its kind."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.sentences.values import leaf_name
from gradviz.model.source import Location, lines_of
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.viewer.inspector.backward_facts import accumulate_sections, node_sections
from gradviz.viewer.inspector.dispatch_facts import dispatch_sections
from gradviz.viewer.inspector.facts import (
    Section,
    TextRow,
    ValueRow,
    gradient_name,
    tr,
    values,
)
from gradviz.viewer.inspector.node_facts import (
    call_sections,
    context_section,
    place_text,
    saved_section,
)
from gradviz.viewer.inspector.second_order_facts import missing_sections
from gradviz.viewer.inspector.training_facts import optimizer_sections


def title_of(index: Index, step: Step) -> str:
    """Title of a step: its op, node, leaf, exception or optimizer."""
    match step:
        case ForwardStep(call=None):
            return step.op
        case ForwardStep():
            return tr("{function}.forward").format(function=step.op)
        case PassBeginStep():
            return tr("Backward pass begins")
        case NodeStep():
            return _node_title(index, step.node)
        case AccumulateStep():
            return tr("{name}.grad").format(name=leaf_name(index.node[step.node]))
        case PassEndStep():
            return tr("Backward pass ends")
        case ErrorStep():
            return step.exception
        case DispatchStep():
            return step.function
        case OptimizerStep():
            return tr("{optimizer}.step").format(optimizer=step.optimizer)


def sections_of(index: Index, step: Step, *, concealed: bool = False) -> tuple[Section, ...]:
    """Sections on everything known about a step, without its results if concealed."""
    match step:
        case ForwardStep():
            return _forward(index, step)
        case PassBeginStep():
            return _begin(step)
        case NodeStep():
            return node_sections(index, step, concealed=concealed)
        case AccumulateStep():
            return accumulate_sections(index, step)
        case PassEndStep():
            return (*missing_sections(index, step), *_end(step))
        case ErrorStep():
            return _error(index, step)
        case DispatchStep():
            return dispatch_sections(index, step)
        case OptimizerStep():
            return optimizer_sections(index, step)


def _node_title(index: Index, node: int) -> str:
    call = index.node[node].call
    if call is not None and call in index.call:
        made = index.call[call]
        text = tr("{function}.vjp") if made.backward_name == "vjp" else tr("{function}.backward")
        return text.format(function=made.function)
    return index.node[node].name


def _forward(index: Index, step: ForwardStep) -> tuple[Section, ...]:
    call = index.call.get(step.call) if step.call is not None else None
    saved = saved_section(index, step.node)
    if call is not None:
        return (*call_sections(index, call), *saved, *context_section(call))
    return (
        Section(key="arguments", title=tr("inputs"), rows=values(step.inputs)),
        Section(key="outputs", title=tr("outputs"), rows=values(step.outputs)),
        *saved,
    )


def _begin(step: PassBeginStep) -> tuple[Section, ...]:
    rows: list[ValueRow] = []
    for root in step.roots:
        rows.append(ValueRow(name=root.value.name, item=root.value))
        name = gradient_name(root.gradient.name)
        rows.append(ValueRow(name=name, item=root.gradient))
    how = tr("by backward(): gradients are accumulated in the leaves")
    if not step.accumulate:
        how = tr("by autograd.grad(): gradients are returned")
    flags = [TextRow(text=how)]
    if step.create_graph:
        flags.append(TextRow(text=tr("create_graph: this pass records its own graph")))
    if step.keep_graph:
        flags.append(TextRow(text=tr("retain_graph: the graph can be used again")))
    if step.location is not None:
        flags.append(TextRow(text=place_text(step.location)))
    return (
        Section(key="roots", title=tr("starts from"), rows=tuple(rows)),
        Section(key="how", title=tr("how"), rows=tuple(flags)),
    )


def _end(step: PassEndStep) -> tuple[Section, ...]:
    if not step.results:
        return ()
    return (Section(key="results", title=tr("returned gradients"), rows=values(step.results)),)


def _error(index: Index, step: ErrorStep) -> tuple[Section, ...]:
    message = TextRow(text=step.message.strip() or tr("(no message)"), block=True, tone="error")
    sections = [Section(key="error", title=tr("message"), rows=(message,))]
    if step.location is not None:
        place = TextRow(text=place_text(step.location))
        line = source_line(index, step.location)
        block = (TextRow(text=line, block=True),) if line else ()
        sections.append(Section(key="line", title=tr("line"), rows=(place, *block)))
    if step.traceback:
        text = "\n".join(_frame(index, frame) for frame in step.traceback)
        rows = (TextRow(text=text, block=True),)
        sections.append(Section(key="traceback", title=tr("traceback"), rows=rows, folded=True))
    call = index.call.get(step.call) if step.call is not None else None
    if call is not None:
        sections += call_sections(index, call)
    return (*sections, *saved_section(index, step.node, step.number))


def source_line(index: Index, location: Location) -> str:
    """The text of a line without its indentation; empty if unknown."""
    source = index.source.get(location.source) if location.source is not None else None
    lines = lines_of(source.text) if source is not None else ()
    return lines[location.line - 1].strip() if 1 <= location.line <= len(lines) else ""


def _frame(index: Index, frame: Location) -> str:
    line = source_line(index, frame)
    place = place_text(frame)
    return f"{place}\n    {line}" if line else place
