"""The sentence of an op: its inputs, its outputs, and anything unusual about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.model.inside import Op, StageRecord
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord
from gradviz.text.phrases import non_finite_counts
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.call_arguments import MainArguments, main_arguments
from gradviz.text.sentences.endings import exception_text, raised_at, run_continued
from gradviz.text.sentences.values import (
    is_tensor,
    list_named,
    named_value,
    op_text,
    record_of,
    short_text,
    some_of_list,
    unnamed_value,
)

_ODD = re.compile(r"\b(?:inf|nan)\b|\(\.\.\.\)| object$", re.IGNORECASE)
_CUT = 200


def op_sentence(index: TraceIndex, number: int, part: StageRecord, at: int) -> str:
    """What an op did, in one or more sentences.

    Args:
        index: The trace.
        number: Number of the step.
        part: The stage that contains the op.
        at: Position of the op in the stage.
    """
    op = part.ops[at]
    if not op.finished:
        parts = [_unfinished(index, number, op, last=at == len(part.ops) - 1)]
    else:
        before, after = _records(index, op.inputs), _records(index, op.outputs)
        parts = [_effect(index, op, after), *_memory(index, op, after), *_kinds(before, after)]
        parts += _not_finite(index, op, before)
    return join_sentences([*parts, *_unseen(op)])


def _unfinished(index: TraceIndex, number: int, op: Op, *, last: bool) -> str:
    name, inputs = op_text(op.name), list_named(index, main_arguments(op.inputs).items)
    if not run_continued(index, number):
        return say("op.unfinished", op=name, inputs=inputs)
    error, step = raised_at(index, op.location), step_at(index, number)
    if error is None or not last or getattr(step, "finished", True):
        return say("op.raised", op=name, inputs=inputs)
    return say("op.raised.known", op=name, inputs=inputs, exception=exception_text(error))


def _effect(index: TraceIndex, op: Op, after: Sequence[TensorRecord]) -> str:
    arguments, name = main_arguments(op.inputs), op_text(op.name)
    written = [op.inputs[at] for at in op.writes]
    if not written:
        return _returned(index, op, arguments, after)
    inputs = list_named(index, arguments.items)
    if len(written) == len(op.outputs) == 1 and op.outputs[0].tensor is not None:
        output, target = unnamed_value(index, op.outputs[0]), short_text(written[0].name)
        return say("op.writes", op=name, inputs=inputs, output=output, name=target)
    names = some_of_list([short_text(item.name) for item in written])
    return say("op.writes.into", op=name, inputs=inputs, names=names)


def _returned(
    index: TraceIndex, op: Op, arguments: MainArguments, after: Sequence[TensorRecord]
) -> str:
    """What an op returned; outputs with a different dtype than the first one state it."""
    usual = next((record.dtype for record in after if record.is_described), "")
    phrases = []
    for item in op.outputs:
        phrase, record = unnamed_value(index, item), record_of(index, item)
        if record is not None and record.is_described and record.dtype != usual:
            phrase = say("tensor.of", tensor=phrase, dtype=record.dtype)
        phrases.append(phrase)
    name, outputs = op_text(op.name), some_of_list(phrases)
    if arguments.input is None or not after:
        return say("op", op=name, inputs=list_named(index, arguments.items), outputs=outputs)
    key = "op.maps" if arguments.others else "op.maps.alone"
    main, others = named_value(index, arguments.input), list_named(index, arguments.others)
    return say(key, op=name, input=main, outputs=outputs, others=others)


def _records(index: TraceIndex, items: Sequence[Item]) -> list[TensorRecord]:
    return [record for item in items if (record := record_of(index, item)) is not None]


def _memory(index: TraceIndex, op: Op, after: Sequence[TensorRecord]) -> list[str]:
    """A sentence that names the input whose memory the results share, if there is one."""
    storages = {record.storage for record in after}
    if op.writes or len(storages) != 1 or None in storages:
        return []
    for item in op.inputs:
        record = record_of(index, item)
        if record is not None and record.storage in storages:
            key = "op.shares" if len(after) == 1 else "op.shares.several"
            return [say(key, name=short_text(item.name))]
    return []


def _kinds(before: Sequence[TensorRecord], after: Sequence[TensorRecord]) -> list[str]:
    """Sentences on a change of dtype or device between the input and output tensors."""
    groups = [[record for record in group if record.is_described] for group in (before, after)]
    parts = []
    for key, kinds in (
        ("op.dtype", [{record.dtype for record in group} for group in groups]),
        ("op.device", [{record.device for record in group} for group in groups]),
    ):
        if all(len(kind) == 1 for kind in kinds) and kinds[0] != kinds[1]:
            parts.append(say(key, before=min(kinds[0]), after=min(kinds[1])))
    return parts


def _not_finite(index: TraceIndex, op: Op, before: Sequence[TensorRecord]) -> list[str]:
    """Sentences on NaN and Inf in the results, and on whether the inputs were finite."""
    group = "op.has"
    if before and all(_is_finite(index, item) for item in op.inputs):
        group = "op.becomes"
    parts = []
    for item in op.outputs:
        record = record_of(index, item)
        if record is None or record.statistics is None:
            continue
        result = say("op.result") if len(op.outputs) == 1 else short_text(item.name)
        total = record.statistics.count
        for what, count in non_finite_counts(record.statistics):
            key = "only" if total == 1 else "one" if count == 1 else "more"
            values = {"count": format_count(count), "total": format_count(total), "result": result}
            parts.append(say(f"{group}.{key}", what=what, **values))
    return parts


def _is_finite(index: TraceIndex, item: Item) -> bool:
    """Whether an argument is known to contain no NaN or Inf."""
    record = record_of(index, item)
    if record is not None:
        return record.statistics is not None and record.statistics.all_finite
    # An argument without elements, such as a tensor in a list, or a shortened text may hide them.
    return item.kind == "none" or (len(item.text) < _CUT and not _ODD.search(item.text))


def _unseen(op: Op) -> list[str]:
    if op.seen:
        return []
    given, made = any(map(is_tensor, op.inputs)), any(map(is_tensor, op.outputs))
    if given and not made:
        return [say("op.unseen.leaves")]
    return [say("op.unseen.comes" if made and not given else "op.unseen")]
