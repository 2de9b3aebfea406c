"""Facts about a node that hold at every step: its call, its saved tensors, its ctx."""

from __future__ import annotations

from pathlib import PurePath

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.output_aliasing import OutputAlias, output_alias
from gradviz.analysis.memory.saved_memory import freed_at
from gradviz.analysis.memory.stale_tensors import changed_since
from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import FactRow, FactSection, TextRow, ValueRow, values
from gradviz.document.tag import DocumentLink, Tag
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import SavedSlot
from gradviz.model.item import without_held
from gradviz.model.source import Location


def call_sections(index: TraceIndex, call: FunctionCall) -> tuple[FactSection, ...]:
    """Sections on the arguments and outputs of a custom Function's call."""
    arguments = tuple(
        ValueRow(name=item.name, item=item, tags=_argument_tags(call, place))
        for place, item in enumerate(call.arguments)
    )
    outputs = tuple(
        ValueRow(name=item.name, item=item, tags=_output_tags(index, call, place))
        for place, item in enumerate(call.outputs)
    )
    return (
        FactSection(key="arguments", title=say("facts.arguments"), rows=arguments),
        FactSection(key="outputs", title=say("facts.outputs"), rows=outputs),
    )


def saved_section(
    index: TraceIndex, node: int | None, number: int | None = None
) -> tuple[FactSection, ...]:
    """A section with the tensors that a node saves for backward; empty if it saves none.

    Args:
        index: The trace.
        node: The node.
        number: Step as of which in-place changes since saving, and freed tensors, are marked; None
            to mark none.
    """
    slots = index.saved.get(node, ()) if node is not None else ()
    if not slots:
        return ()
    rows = tuple(
        ValueRow(
            name=slot.item.name,
            item=slot.item,
            tags=(
                *saved_tags(index, slot),
                *_change_tags(index, slot, number),
                *_freed_tags(index, slot, number),
            ),
        )
        for slot in slots
    )
    return (FactSection(key="saved", title=say("facts.saved_tensors"), rows=rows),)


def context_section(call: FunctionCall) -> tuple[FactSection, ...]:
    """A section with the other attributes of ctx and the flags that were set."""
    rows: tuple[FactRow, ...] = values(call.attributes)
    rows += tuple(TextRow(text=text) for text in _flags(call))
    return (FactSection(key="ctx", title=say("facts.ctx"), rows=rows, folded=not call.attributes),)


def saved_tags(index: TraceIndex, slot: SavedSlot) -> tuple[Tag, ...]:
    """Tags that relate a saved tensor to the arguments and outputs of the call."""
    match slot.role:
        case "input":
            is_leaf = _is_leaf(index, slot)
            text = say("facts.input_leaf" if is_leaf else "facts.input")
            tip = say("facts.argument_itself_leaf" if is_leaf else "facts.argument_itself")
            return (Tag(text, "leaf", tip),)
        case "output":
            return (Tag(say("facts.output"), "output", say("facts.output_itself")),)
        case "view_of_input":
            tip = say("facts.shares_memory_with_argument")
            return (Tag(say("facts.view_input"), "leaf", tip),)
        case "intermediate":
            tip = say("facts.neither_argument_nor_output")
            return (Tag(say("facts.intermediate"), "warning", tip),)
        case _:
            return ()


def _change_tags(index: TraceIndex, slot: SavedSlot, number: int | None) -> tuple[Tag, ...]:
    """A tag for a saved tensor whose memory has been changed since."""
    tensor = slot.item.tensor
    if tensor is None or number is None or not changed_since(index, slot, number):
        return ()
    tip = say("facts.its_memory_changed_place")
    return (Tag(say("facts.changed_since_saved"), "error", tip, DocumentLink(history=tensor)),)


def _freed_tags(index: TraceIndex, slot: SavedSlot, number: int | None) -> tuple[Tag, ...]:
    """A tag for a tensor that an earlier pass freed, so that no later one can use it."""
    freed = None if number is None else freed_at(index, slot.node, number)
    if freed is None or slot.item.tensor is None:
        return ()
    tip = say("facts.freed_tip", number=freed)
    return (Tag(say("facts.freed"), "warning", tip, DocumentLink(step=freed)),)


def place_text(location: Location) -> str:
    """A line of code as ``linear.py, line 8, in LinearFunction.backward``."""
    file = PurePath(location.path).name or location.path
    if location.function:
        return say("facts.line_2", file=file, line=location.line, function=location.function)
    return say("facts.line", file=file, line=location.line)


def _is_leaf(index: TraceIndex, slot: SavedSlot) -> bool:
    """Whether the gradient of a saved argument is accumulated; that of a view is not."""
    call = index.call.get(index.node[slot.node].call or 0)
    if call is None or slot.role_index is None:
        return False
    # Torch counts the tensors among the arguments.
    before = without_held(call.arguments)[: slot.role_index]
    place = sum(each.kind == "tensor" and not each.text for each in before)
    return any(
        edge.slot == place and index.node[edge.target].kind == "accumulate"
        for edge in index.leaving.get(slot.node, ())
    )


def _argument_tags(call: FunctionCall, place: int) -> tuple[Tag, ...]:
    tags: list[Tag] = []
    if place < len(call.needs_input_grad) and call.needs_input_grad[place]:
        tip = say("facts.ctx_needs_input_grad", place=place)
        tags.append(Tag(say("facts.needs_grad"), "accent", tip))
    if place in call.dirty:
        tags.append(Tag(say("facts.dirty"), "warning", say("facts.marked_with_mark_dirty")))
    return tuple(tags)


def _output_tags(index: TraceIndex, call: FunctionCall, place: int) -> tuple[Tag, ...]:
    tags = _kinship_tags(output_alias(index, call.arguments, call.outputs[place], call.dirty))
    tensor = call.outputs[place].tensor
    if place in call.non_differentiable:
        tip = say("facts.marked_with_mark_non")
        tags = (*tags, Tag(say("facts.non_differentiable"), "warning", tip))
    elif (
        call.node is not None and tensor is not None and not index.tensor.bare(tensor).requires_grad
    ):
        tip = say("facts.does_not_require_grad")
        tags = (*tags, Tag(say("facts.no_gradient"), "warning", tip))
    return tags


def _kinship_tags(kinship: OutputAlias | None) -> tuple[Tag, ...]:
    if kinship is None:
        return ()
    how, name = "same" if kinship.same else "alias", kinship.name
    text, tip = (say(f"facts.{how}", name=name), say(f"facts.{how}.tip", name=name))
    tags = [Tag(text, "leaf", tip)]
    before, after = kinship.before, kinship.after
    if before is not None and after is not None and before != after:
        text = say("facts.version", before=before, after=after)
        tip = say("facts.number_place_changes_before")
        tags.append(Tag(text, "warning", tip))
    return tuple(tags)


def _flags(call: FunctionCall) -> list[str]:
    texts = []
    if call.needs_input_grad:
        each = ", ".join(map(str, call.needs_input_grad))
        texts.append(say("facts.needs_input_grad", each=each))
    if call.dirty:
        texts.append(say("facts.mark_dirty", names=_names(call, call.dirty)))
    if not call.materialize_grads:
        texts.append(say("facts.set_materialize_grads_false"))
    if call.once_differentiable:
        texts.append(say("facts.backward_once_differentiable"))
    if call.style == "setup_context":
        texts.append(say("facts.forward_setup_context_separate"))
    if call.backward is not None:
        texts.append(say("facts.backward_2", place=place_text(call.backward)))
    return texts


def _names(call: FunctionCall, places: tuple[int, ...]) -> str:
    names = [call.arguments[place].name for place in places if place < len(call.arguments)]
    return ", ".join(names)
