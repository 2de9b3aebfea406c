"""The sentences of a step as a whole, and its question in Quiz Mode."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.analysis.history_cuts import missing_sentences
from gradviz.analysis.index.hook_effects import NO_HOOK_EFFECTS
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.output_aliasing import output_aliases
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.graph import SavedSlot
from gradviz.model.item import Item
from gradviz.model.source import user_line
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import named_outputs
from gradviz.text.phrases import (
    contribution_phrase,
    flow_phrase,
    gradient_phrase,
    gradient_shape,
    record_shape_text,
    value_phrase,
)
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.call_arguments import main_arguments, without_none
from gradviz.text.sentences.dispatch import dispatch_sentence
from gradviz.text.sentences.error import error_sentence
from gradviz.text.sentences.second_order import (
    cuts_at,
    order_sentences,
)
from gradviz.text.sentences.training import optimizer_sentence
from gradviz.text.sentences.values import (
    backward_of,
    counted_list,
    function_of,
    leaf_name,
    op_text,
    some_of_items,
    some_of_list,
)
from gradviz.text.what_if import changes_in

_MOST_NODES = 3
"""Maximum number of kinds of nodes in a sentence."""


def step_sentence(index: TraceIndex, step: Step) -> str:
    """What happened in a step, including changes by hooks and by What If."""
    changed = changes_in(index.trace, step.number)
    hooks_by_step = index.hooks_by_step.get(step.number, NO_HOOK_EFFECTS)
    return join_sentences(
        (*hooks_by_step.before, _step_sentence(index, step), *hooks_by_step.after, *changed)
    )


def _step_sentence(index: TraceIndex, step: Step) -> str:
    match step:
        case ForwardStep():
            return _forward(index, step)
        case PassBeginStep():
            return _begin(index, step)
        case NodeStep():
            return _node(index, step)
        case AccumulateStep():
            return accumulate_sentence(index, step)
        case PassEndStep():
            return _end(index, step)
        case ErrorStep():
            return error_sentence(index, step)
        case DispatchStep():
            return dispatch_sentence(index, step)
        case OptimizerStep():
            return optimizer_sentence(index, step)
        case MissingStep():
            return missing_step_sentence(step)


def missing_step_sentence(step: MissingStep) -> str:
    """Says that a step is missing, and why."""
    if not step.name:
        return say("step.missing", reason=step.reason)
    return say("step.missing.named", name=step.name, reason=step.reason)


def step_question(index: TraceIndex, step: NodeStep) -> str:
    """A question about what a node computes from the gradients it receives."""
    incoming = _values(index, step.received or step.incoming)
    function = function_of(index, step.node, None)
    if function is not None:
        backward = backward_of(index, step.node, None)
        return say("question.custom", backward=backward, incoming=incoming)
    return say("question.builtin", node=index.node[step.node].name, incoming=incoming)


def _values(index: TraceIndex, items: Sequence[Item]) -> str:
    return some_of_items(index, items, value_phrase)


def _gradients(index: TraceIndex, items: Sequence[Item]) -> str:
    """Gradients in words; those with a shape share one noun if there are several."""
    shaped = [each for each in items if gradient_shape(index, each)]
    if len(shaped) < 2:
        return some_of_items(index, items, gradient_phrase)
    gradients = say("gradient.several", gradients=some_of_items(index, shaped, _named_shape))
    others = [each for each in items if not gradient_shape(index, each)]
    if not others:
        return gradients
    rest = some_of_items(index, others, gradient_phrase)
    return say("gradient.several.others", gradients=gradients, others=rest)


def _named_shape(index: TraceIndex, item: Item) -> str:
    return say("gradient.named", name=item.name, shape=gradient_shape(index, item))


def _forward(index: TraceIndex, step: ForwardStep) -> str:
    if not step.rerun:
        return _run(index, step)
    again = say("rerun", sentence=_run(index, step))
    return join_sentences((again, None if step.finished else say("rerun.unfinished")))


def _run(index: TraceIndex, step: ForwardStep) -> str:
    if step.call is None:
        return join_sentences([call_sentence(index, step), *_changed_inputs(index, step)])
    if not step.finished or step.node is None:
        return call_sentence(index, step)
    saves = _saves(index.saved.get(step.node, ()))
    return join_sentences(
        [call_sentence(index, step), *_in_place_changes(index, step.call), *saves]
    )


def _in_place_changes(index: TraceIndex, number: int) -> list[str]:
    """Sentences on inputs that a call changed in place and returned, marked or not."""
    call = index.call[number]
    parts = []
    for alias in output_aliases(index, call.arguments, call.outputs, call.dirty):
        if alias is None or alias.before is None or alias.after in (None, alias.before):
            continue
        # An output that is a view of a marked input says too little about its mark.
        if alias.same or not call.dirty:
            key = "forward.dirty" if alias.same else "forward.unmarked"
            parts.append(say(key, name=alias.name, before=alias.before, after=alias.after))
    return parts


def _changed_inputs(index: TraceIndex, step: ForwardStep) -> list[str]:
    """Sentences on tensors that a torch function such as ``add_`` changed in place."""
    aliases = output_aliases(index, step.inputs, step.outputs)
    return [
        say("forward.in_place", name=each.name, before=each.before, after=each.after)
        for each in aliases
        if each is not None and each.before is not None and each.after not in (None, each.before)
    ]


def call_sentence(index: TraceIndex, step: ForwardStep) -> str:
    """What a function received and returned, without the tensors it saved."""
    if step.call is None:
        return _builtin_call(index, step)
    inputs, outputs = _values(index, without_none(step.inputs)), _values(index, step.outputs)
    function = function_of(index, None, step.call) or step.op
    if not step.finished:
        # No inputs are listed if it raised before its arguments were known.
        key = "forward.custom.unfinished" if step.inputs else "forward.custom.unfinished.empty"
        return say(key, function=function, inputs=inputs)
    key = "forward.custom" if step.inputs else "forward.custom.empty"
    return say(key, function=function, inputs=inputs, outputs=outputs)


def _builtin_call(index: TraceIndex, step: ForwardStep) -> str:
    """What a torch function received and returned: its tensors first, if it took much."""
    main_inputs = main_arguments(step.inputs)
    values = {"op": op_text(step.op), "inputs": _values(index, main_inputs.items)}
    if not step.finished:
        return say("op.unfinished", **values)
    key = "forward.builtin"
    if step.node is None:
        key = "op"
    else:
        # The node of the result is the last one that was made, and the first one of backward.
        nodes = [index.node[number] for number in (step.nodes or (step.node,))[::-1]]
        names = [each.name for each in nodes if each.kind != "accumulate"]
        values["nodes"] = listed = counted_list(names, _MOST_NODES)
        if len(set(names)) > _MOST_NODES + 1:
            # Some are left out.
            values["nodes"] = say(
                "forward.builtin.nodes", count=format_count(len(names)), nodes=listed
            )
    if main_inputs.input is not None and step.outputs:
        values["input"] = value_phrase(index, main_inputs.input)
        values["others"] = _values(index, main_inputs.others)
        key = f"{key}.maps" if main_inputs.others else f"{key}.maps.alone"
    return say(key, outputs=_values(index, named_outputs(step)), **values)


def _saves(saved: Sequence[SavedSlot]) -> list[str]:
    names = [slot.item.name for slot in saved if slot.role != "none"]
    if not names:
        return [say("forward.saves.nothing")]
    parts = [say("forward.saves", saved=some_of_list(names))]
    unsafe = [slot.item.name for slot in saved if slot.role == "intermediate"]
    if unsafe:
        key = "forward.intermediate" if len(unsafe) == 1 else "forward.intermediates"
        parts.append(say(key, names=some_of_list(unsafe)))
    return parts


def _begin(index: TraceIndex, step: PassBeginStep) -> str:
    if not step.roots:
        return say("begin.unknown", number=index.pass_name(step.pass_id))
    node = some_of_list([index.node[root.node].name for root in step.roots])
    gradient = _values(index, [root.gradient for root in step.roots])
    key = "begin.number" if index.numbers_passes else "begin"
    parts = [say(key, node=node, gradient=gradient, number=index.pass_name(step.pass_id))]
    if step.parent is not None:
        parts.append(say("begin.parent", number=index.pass_name(step.parent)))
    parts += order_sentences(index, step)
    if step.create_graph:
        parts.append(say("begin.create_graph"))
    return join_sentences(parts)


def _node(index: TraceIndex, step: NodeStep) -> str:
    if function_of(index, step.node, None) is None or not step.finished:
        return backward_sentence(index, step)
    more = (*engine_changes(index, step), *cuts_at(index, step.number))
    return join_sentences([backward_sentence(index, step), *more])


def backward_sentence(index: TraceIndex, step: NodeStep) -> str:
    """What a node received and computed, without the engine's changes to the result."""
    function = function_of(index, step.node, None)
    if function is None:
        return _builtin_node(index, step)
    backward = backward_of(index, step.node, None)
    incoming = _values(index, step.received or step.incoming)
    returned = _gradients(index, step.returned)
    if not step.finished:
        key = "node.custom.refused" if step.returned else "node.custom.unfinished"
        return say(key, backward=backward, incoming=incoming, returned=returned)
    text = say("node.custom", backward=backward, incoming=incoming, returned=returned)
    zeros = [
        received.name
        for arrived, received in zip(step.incoming, step.received, strict=False)
        if arrived.kind == "none" and received.kind == "tensor"
    ]
    told = say("node.zeros", names=some_of_list(zeros)) if zeros else None
    return join_sentences((text, told))


def _builtin_node(index: TraceIndex, step: NodeStep) -> str:
    incoming = _values(index, step.received or step.incoming)
    node = index.node[step.node].name
    if not step.finished:
        return say("node.builtin.unfinished", node=node, incoming=incoming)
    passed = [_flow(index, each.edge, each.item) for each in step.passed if each.edge is not None]
    key = "node.builtin" if passed else "node.builtin.end"
    return say(key, node=node, incoming=incoming, passed=some_of_list(passed))


def _flow(index: TraceIndex, edge: int, item: Item) -> str:
    """A gradient and its target along an edge: a leaf's name or a node's name."""
    target = index.node[index.edge[edge].target]
    name = leaf_name(target) if target.kind == "accumulate" else target.name
    return flow_phrase(index, item, name)


def engine_changes(index: TraceIndex, step: NodeStep) -> list[str]:
    """Sentences on how the engine changed each gradient, for those that it changed.

    Gradients that it changed in the same way share a sentence, without what was returned.
    """
    changes: dict[str, list[dict[str, str]]] = {}
    for passed in step.passed:
        if passed.change in ("unchanged", "none") or passed.argument is None:
            continue
        raw = step.returned[passed.argument] if passed.argument < len(step.returned) else None
        before, after = _kind_of(index, raw), _kind_of(index, passed.item)
        which = 1 if passed.change == "cast" else 0
        if passed.change == "reduced_and_cast":
            texts = (" ".join(before), " ".join(after))
        else:
            texts = (before[which], after[which])
        name = passed.item.name
        values = {"name": name, "before": texts[0], "after": texts[1]}
        changes.setdefault(passed.change, []).append(values)
    return [text for change, several in changes.items() for text in _told(change, several)]


def _told(change: str, several: Sequence[dict[str, str]]) -> list[str]:
    key = f"node.{change}"
    if len(several) == 1 or change == "dropped":
        return [say(key, **values) for values in several]
    gradients = some_of_list([say(f"{key}.to", **values) for values in several])
    return [say(f"{key}.several", gradients=gradients)]


def _kind_of(index: TraceIndex, item: Item | None) -> tuple[str, str]:
    """Shape and dtype of an item's tensor as text."""
    if item is None or item.tensor is None:
        return ("", "")
    record = index.tensor[item.tensor]
    return (record_shape_text(record), record.dtype)


def accumulate_sentence(index: TraceIndex, step: AccumulateStep) -> str:
    """What a leaf's ``.grad`` received, and which of several leaves of one name it is."""
    return join_sentences((_accumulated(index, step), _which_leaf(index, step)))


def _which_leaf(index: TraceIndex, step: AccumulateStep) -> str | None:
    name = index.node[step.node].variable_name
    if name not in index.leaves_named_alike:
        return None
    users = (index.made_at.get(edge.source) for edge in index.arriving.get(step.node, ()))
    first = step_at(index, min((each for each in users if each is not None), default=0))
    where = user_line(first.location) if isinstance(first, ForwardStep) else None
    return None if where is None else say("accumulate.which", name=name, line=where.line)


def _accumulated(index: TraceIndex, step: AccumulateStep) -> str:
    name = leaf_name(index.node[step.node])
    if step.contribution.kind == "none":
        return say("accumulate.nothing", name=name)
    contribution = contribution_phrase(index, step.contribution)
    if not step.finished:
        return say("accumulate.unfinished", name=name, contribution=contribution)
    if _drops_gradients(index, step.leaf):
        return say("accumulate.dropped", name=name, contribution=contribution)
    if step.added is False:
        return say("accumulate.first", name=name, contribution=contribution)
    key = "accumulate.more" if step.added else "accumulate.unknown"
    text = say(key, name=name, contribution=contribution)
    return text[:1].upper() + text[1:]


def _drops_gradients(index: TraceIndex, leaf: Item | None) -> bool:
    """Whether a leaf is known to require no gradient any more, as it did when it was used."""
    record = None if leaf is None or leaf.tensor is None else index.tensor[leaf.tensor]
    return record is not None and record.dtype != "unknown" and not record.requires_grad


def _end(index: TraceIndex, step: PassEndStep) -> str:
    key = "end.number" if index.numbers_passes else "end"
    if step.results:
        results = _gradients(index, step.results)
        text = say(f"{key}.results", number=index.pass_name(step.pass_id), results=results)
    else:
        text = say(key, number=index.pass_name(step.pass_id))
    return join_sentences(
        (text, *_later_totals(index, step), *missing_sentences(index, step.pass_id))
    )


def _later_totals(index: TraceIndex, step: PassEndStep) -> tuple[str, ...]:
    """A sentence on gradients that have changed since they were accumulated."""
    if not step.totals:
        return ()
    names = [say("end.later.name", name=leaf_name(index.node[each.node])) for each in step.totals]
    exchanges = any(each.class_name == "DistributedDataParallel" for each in index.trace.modules)
    key = "end.later.exchanged" if exchanges else "end.later"
    return (say(key, names=some_of_list(names)),)
