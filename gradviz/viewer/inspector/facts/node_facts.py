"""Facts about a node that hold at every step: its call, its saved tensors, its ctx."""

from __future__ import annotations

from pathlib import PurePath

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.output_aliasing import OutputAlias, output_alias
from gradviz.analysis.memory.stale_tensors import changed_since
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import SavedSlot
from gradviz.model.item import without_held
from gradviz.model.source import Location
from gradviz.viewer.inspector.facts.fact_rows import FactRow, FactSection, TextRow, ValueRow, values
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.pill import PillTarget, Tag


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
        FactSection(key="arguments", title=translate("Inspector", "arguments"), rows=arguments),
        FactSection(key="outputs", title=translate("Inspector", "outputs"), rows=outputs),
    )


def saved_section(
    index: TraceIndex, node: int | None, number: int | None = None
) -> tuple[FactSection, ...]:
    """A section with the tensors that a node saves for backward; empty if it saves none.

    Args:
        index: The trace.
        node: The node.
        number: Step as of which in-place changes since saving are marked; None to mark none.
    """
    slots = index.saved.get(node, ()) if node is not None else ()
    if not slots:
        return ()
    rows = tuple(
        ValueRow(
            name=slot.item.name,
            item=slot.item,
            tags=(*saved_tags(index, slot), *_change_tags(index, slot, number)),
        )
        for slot in slots
    )
    return (FactSection(key="saved", title=translate("Inspector", "saved tensors"), rows=rows),)


def context_section(call: FunctionCall) -> tuple[FactSection, ...]:
    """A section with the other attributes of ctx and the flags that were set."""
    rows: tuple[FactRow, ...] = values(call.attributes)
    rows += tuple(TextRow(text=text) for text in _flags(call))
    return (
        FactSection(
            key="ctx", title=translate("Inspector", "ctx"), rows=rows, folded=not call.attributes
        ),
    )


def saved_tags(index: TraceIndex, slot: SavedSlot) -> tuple[Tag, ...]:
    """Tags that relate a saved tensor to the arguments and outputs of the call."""
    match slot.role:
        case "input" if _is_leaf(index, slot):
            return (
                Tag(
                    translate("Inspector", "input = leaf"),
                    "leaf",
                    translate("Inspector", "The argument itself, a leaf."),
                ),
            )
        case "input":
            return (
                Tag(
                    translate("Inspector", "input"),
                    "leaf",
                    translate("Inspector", "The argument itself."),
                ),
            )
        case "output":
            return (
                Tag(
                    translate("Inspector", "output"),
                    "output",
                    translate("Inspector", "The output itself."),
                ),
            )
        case "view_of_input":
            return (
                Tag(
                    translate("Inspector", "view of input"),
                    "leaf",
                    translate("Inspector", "It shares memory with an argument."),
                ),
            )
        case "intermediate":
            tip = translate(
                "Inspector",
                "Neither an argument nor an output, so double backward cannot see where "
                "it came from.",
            )
            return (Tag(translate("Inspector", "intermediate"), "warning", tip),)
        case _:
            return ()


def _change_tags(index: TraceIndex, slot: SavedSlot, number: int | None) -> tuple[Tag, ...]:
    """A tag for a saved tensor whose memory has been changed since."""
    tensor = slot.item.tensor
    if tensor is None or number is None or not changed_since(index, slot, number):
        return ()
    tip = translate(
        "Inspector", "Its memory was changed in place after it was saved. Click to see its history."
    )
    return (
        Tag(
            translate("Inspector", "changed since saved"), "error", tip, PillTarget(history=tensor)
        ),
    )


def place_text(location: Location) -> str:
    """A line of code as ``linear.py, line 8, in LinearFunction.backward``."""
    file = PurePath(location.path).name or location.path
    if location.function:
        text = translate("Inspector", "{file}, line {line}, in {function}")
        return text.format(file=file, line=location.line, function=location.function)
    return translate("Inspector", "{file}, line {line}").format(file=file, line=location.line)


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
        tip = translate("Inspector", "ctx.needs_input_grad[{place}] is True.").format(place=place)
        tags.append(Tag(translate("Inspector", "needs grad"), "accent", tip))
    if place in call.dirty:
        tags.append(
            Tag(
                translate("Inspector", "dirty"),
                "warning",
                translate("Inspector", "Marked with mark_dirty: changed in place."),
            )
        )
    return tuple(tags)


def _output_tags(index: TraceIndex, call: FunctionCall, place: int) -> tuple[Tag, ...]:
    tags = _kinship_tags(output_alias(index, call.arguments, call.outputs[place], call.dirty))
    tensor = call.outputs[place].tensor
    if place in call.non_differentiable:
        tip = translate(
            "Inspector", "Marked with mark_non_differentiable: no gradient flows back from it."
        )
        tags = (*tags, Tag(translate("Inspector", "non-differentiable"), "warning", tip))
    elif call.node is not None and tensor is not None and not _needs_gradient(index, tensor):
        tip = translate("Inspector", "It does not require grad, so the graph ends here.")
        tags = (*tags, Tag(translate("Inspector", "no gradient"), "warning", tip))
    return tags


def _needs_gradient(index: TraceIndex, tensor: int) -> bool:
    return index.tensor.bare(tensor).requires_grad


def _kinship_tags(kinship: OutputAlias | None) -> tuple[Tag, ...]:
    if kinship is None:
        return ()
    text, tip = (
        translate("Inspector", "shares memory with {name}"),
        translate("Inspector", "A different tensor that shares memory with {name}."),
    )
    if kinship.same:
        text, tip = (
            translate("Inspector", "{name} itself"),
            translate("Inspector", "The input itself, changed in place."),
        )
    tags = [Tag(text.format(name=kinship.name), "leaf", tip.format(name=kinship.name))]
    before, after = kinship.before, kinship.after
    if before is not None and after is not None and before != after:
        text = translate("Inspector", "version {before} → {after}").format(
            before=before, after=after
        )
        tip = translate(
            "Inspector", "Number of in-place changes before forward and after the call."
        )
        tags.append(Tag(text, "warning", tip))
    return tuple(tags)


def _flags(call: FunctionCall) -> list[str]:
    texts = []
    if call.needs_input_grad:
        each = ", ".join(map(str, call.needs_input_grad))
        texts.append(translate("Inspector", "needs_input_grad = ({each})").format(each=each))
    if call.dirty:
        texts.append(
            translate("Inspector", "mark_dirty: {names}").format(names=_names(call, call.dirty))
        )
    if not call.materialize_grads:
        texts.append(
            translate(
                "Inspector", "set_materialize_grads(False): undefined gradients arrive as None"
            )
        )
    if call.once_differentiable:
        texts.append(translate("Inspector", "backward is @once_differentiable"))
    if call.style == "setup_context":
        texts.append(translate("Inspector", "forward and setup_context are separate"))
    if call.backward is not None:
        texts.append(
            translate("Inspector", "backward: {place}").format(place=place_text(call.backward))
        )
    return texts


def _names(call: FunctionCall, places: tuple[int, ...]) -> str:
    names = [call.arguments[place].name for place in places if place < len(call.arguments)]
    return ", ".join(names)
