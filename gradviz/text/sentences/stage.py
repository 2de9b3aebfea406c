"""The sentences of a stage, which is one part of a step."""

from __future__ import annotations

from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.backward_formulas import formula_of
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say, say_list
from gradviz.model.graph import SavedSlot
from gradviz.model.inside import StageKind, StageRecord
from gradviz.model.step import AccumulateStep, DispatchStep, ErrorStep, ForwardStep, NodeStep
from gradviz.text.punctuation import join_sentences, with_full_stop
from gradviz.text.sentences.dispatch import dispatch_stage_sentence
from gradviz.text.sentences.endings import exception_text, run_error
from gradviz.text.sentences.step import (
    accumulate_sentence,
    backward_sentence,
    call_sentence,
    engine_changes,
)
from gradviz.text.sentences.values import (
    backward_of,
    count_text,
    function_of,
    list_named,
    named_value,
    record_of,
    some_of_list,
)

_MOST_NODES = 3


def stage_sentence(
    index: TraceIndex,
    step: ForwardStep | NodeStep | AccumulateStep | DispatchStep,
    stage: StageKind,
) -> str:
    """What happened in one stage of a step."""
    inside = index.inside.get(step.number)
    part = None if inside is None else inside.part(stage)
    match step:
        case ForwardStep():
            parts = _of_call(index, step, stage, part)
        case NodeStep():
            parts = _of_node(index, step, stage)
        case AccumulateStep():
            parts = [accumulate_sentence(index, step)]
        case DispatchStep():
            parts = [dispatch_stage_sentence(step)]
    return join_sentences([*parts, *_inside(part)])


def _of_call(
    index: TraceIndex, step: ForwardStep, stage: StageKind, part: StageRecord | None
) -> list[str]:
    if stage == "save":
        return _saves(index, step)
    if stage == "setup_context":
        return _sets_up(index, step, part)
    if not step.finished and part is not None and part.finished:
        # The exception was raised after forward had finished.
        function = function_of(index, None, step.call) or step.op
        return [
            say("stage.forward.ended", function=function, inputs=list_named(index, step.inputs))
        ]
    return [call_sentence(index, step), *_exception(index, step)]


def _exception(index: TraceIndex, step: ForwardStep | NodeStep) -> list[str]:
    """A sentence on the exception that ended the run, if it was raised in this step."""
    error = run_error(index)
    if step.finished or error is None or not _is_about(error, step):
        return []
    return [say("stage.raised", exception=exception_text(error))]


def _is_about(error: ErrorStep, step: ForwardStep | NodeStep) -> bool:
    if error.stage == "engine":
        return False
    call = step.call if isinstance(step, ForwardStep) else None
    if call is not None and error.call == call:
        return True
    return step.node is not None and error.node == step.node


def _sets_up(index: TraceIndex, step: ForwardStep, part: StageRecord | None) -> list[str]:
    function = function_of(index, None, step.call) or step.op
    if not step.finished and (part is None or not part.finished):
        return [say("stage.setup.unfinished", function=function), *_exception(index, step)]
    parts = [say("stage.setup", function=function)]
    call = None if step.call is None else index.call.get(step.call)
    if call is not None and call.attributes:
        kept = some_of_list([named_value(index, item) for item in call.attributes])
        parts.append(say("stage.setup.keeps", attributes=kept))
    return parts


def _saves(index: TraceIndex, step: ForwardStep) -> list[str]:
    nodes = step.nodes or (() if step.node is None else (step.node,))
    if step.call is None:
        nodes = tuple(node for node in nodes if index.saved.get(node))
    parts: list[str] = []
    for node in nodes[:_MOST_NODES]:
        parts += _saves_of(index, node)
    left = len(nodes) - _MOST_NODES
    if left > 0:
        key = "stage.saves.rest.one" if left == 1 else "stage.saves.rest.more"
        parts.append(say(key, count=format_count(left)))
    return parts


def _saves_of(index: TraceIndex, node: int) -> list[str]:
    slots, name = index.saved.get(node, ()), index.node[node].name
    if all(slot.role == "none" for slot in slots):
        return [say("stage.saves.nothing", node=name)]
    parts = [
        say("stage.saves", node=name, saved=some_of_list([_saved(index, slot) for slot in slots]))
    ]
    unsafe = [slot.item.name for slot in slots if slot.role == "intermediate"]
    if unsafe:
        key = "forward.intermediate" if len(unsafe) == 1 else "forward.intermediates"
        parts.append(say(key, names=some_of_list(unsafe)))
    return parts


def _saved(index: TraceIndex, slot: SavedSlot) -> str:
    record = record_of(index, slot.item)
    value = named_value(index, slot.item, fill=False)
    if record is None or record.version is None:
        return say(f"saved.{slot.role}", value=value)
    return say(f"saved.{slot.role}.version", value=value, version=record.version)


def _of_node(index: TraceIndex, step: NodeStep, stage: StageKind) -> list[str]:
    if stage == "engine":
        return _checks(index, step)
    if not step.finished and step.returned:
        # backward itself returned; the engine raised afterwards.
        return [backward_sentence(index, replace(step, finished=True))]
    return [backward_sentence(index, step), *_formula(index, step), *_exception(index, step)]


def _formula(index: TraceIndex, step: NodeStep) -> list[str]:
    """The documented formula of a built-in node, if all its tensors are real."""
    formula = formula_of(index.node[step.node].name)
    items = (*step.incoming, *(each.item for each in step.passed))
    given = [record_of(index, item) for item in items]
    if formula is None or not step.finished or index.node[step.node].kind != "builtin":
        return []
    if any(record is not None and record.dtype.startswith("complex") for record in given):
        return []
    used, key = _equations_used(formula.equations, step), "stage.formula"
    if used is None:
        used, key = formula.equations, "stage.formula.general"
    if not used:
        return []
    return [say(key, equations=say_list([say("stage.equation", equation=each) for each in used]))]


def _equations_used(equations: tuple[str, ...], step: NodeStep) -> tuple[str, ...] | None:
    """The equations of gradients that are passed on; None if that cannot be told."""
    is_passed_on = [each.edge is not None for each in step.passed]
    if all(is_passed_on):
        return equations
    if len(equations) != len(is_passed_on):
        return None
    return tuple(each for each, goes_on in zip(equations, is_passed_on, strict=True) if goes_on)


def _checks(index: TraceIndex, step: NodeStep) -> list[str]:
    error = run_error(index)
    if not step.finished:
        if error is not None and error.stage == "engine" and error.node == step.node:
            function = backward_of(index, step.node, None) or index.node[step.node].name
            message = error.message.strip()
            return [with_full_stop(say("stage.engine.refused", backward=function, message=message))]
        return [say("stage.engine.stopped")]
    changed = engine_changes(index, step)
    checked = sum(each.change == "unchanged" for each in step.passed)
    if changed and checked:
        key = "stage.engine.rest.one" if checked == 1 else "stage.engine.rest.more"
        return [*changed, say(key, count=format_count(checked))]
    if changed:
        return changed
    if not checked:
        return [say("stage.engine.none")]
    key = "stage.engine.one" if checked == 1 else "stage.engine.more"
    return [say(key, count=format_count(checked))]


def _inside(part: StageRecord | None) -> list[str]:
    """Sentences on how much ran in a stage, and in which thread."""
    if part is None:
        return []
    parts = []
    lines, ops = len(part.lines) + part.more_lines, len(part.ops) + part.more_ops
    ran = [count_text(noun, count) for noun, count in (("line", lines), ("op", ops)) if count]
    if ran:
        parts.append(say("stage.ran", things=say_list(ran)))
    lost = [("more_line", part.more_lines), ("more_op", part.more_ops)]
    not_kept = [count_text(noun, count) for noun, count in lost if count]
    if not_kept:
        key = (
            "stage.not_kept.one" if part.more_lines + part.more_ops == 1 else "stage.not_kept.more"
        )
        parts.append(say(key, things=say_list(not_kept)))
    unseen_ops = sum(not op.seen for op in part.ops)
    if unseen_ops:
        key = "stage.unseen.one" if unseen_ops == 1 else "stage.unseen.more"
        parts.append(say(key, count=format_count(unseen_ops)))
    if part.thread:
        parts.append(say("stage.thread", thread=part.thread))
    return parts
