"""Sentences about higher-order derivatives: passes, cuts and torch's errors."""

from __future__ import annotations

from gradviz.analysis.history_cuts import cut_of_finding, cut_sentences
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say, say_list
from gradviz.model.step import ErrorStep, NodeStep, PassBeginStep, PassEndStep

_NO_HISTORY = "does not require grad and does not have a grad_fn"


def order_sentences(index: TraceIndex, step: PassBeginStep) -> list[str]:
    """Which order of derivative a pass computes; nothing for a first derivative."""
    order = index.orders.of_pass(step.pass_id)
    sources = index.orders.sources.get(step.pass_id, ())
    if order < 2 or not sources:
        return []
    key = {2: "begin.second", 3: "begin.third"}.get(order, "begin.higher")
    return [say(key, passes=say_list([index.pass_name(each) for each in sources]), order=order)]


def cuts_at(index: TraceIndex, number: int) -> tuple[str, ...]:
    """Sentences on the cuts in the history that happen in a step."""
    step_cuts = (
        cut_of_finding(index, each) for each in index.trace.findings if each.step == number
    )
    return cut_sentences([each for each in step_cuts if each is not None])


def second_order_error_sentences(index: TraceIndex, step: ErrorStep) -> list[str]:
    """Explanations of torch's errors about second derivatives; nothing for other errors."""
    if _NO_HISTORY in step.message:
        return _without_history(index, step)
    node = None if step.node is None else index.node.get(step.node)
    if node is None or node.kind != "error" or node.made_by is None:
        return []
    maker = index.node[node.made_by]
    if maker.call not in index.call:
        return []
    return [say("error.once", function=index.call[maker.call].function)]


def _without_history(index: TraceIndex, step: ErrorStep) -> list[str]:
    span = next((each for each in reversed(index.passes) if each.last < step.number), None)
    end = None if span is None else step_at(index, span.last)
    begin = None if span is None else step_at(index, span.first)
    if not isinstance(end, PassEndStep) or not isinstance(begin, PassBeginStep):
        return []
    tensors = [each.tensor for each in end.results if each.tensor is not None]
    if not tensors or any(index.tensor[each].requires_grad for each in tensors):
        return []
    if not begin.create_graph:
        return [say("error.no_history.first_order", number=index.pass_name(end.pass_id))]
    cuts = [
        sentence
        for number in range(begin.number, end.number)
        if isinstance(step_at(index, number), NodeStep)
        for sentence in cuts_at(index, number)
    ]
    return [
        say("error.no_history.constant", number=index.pass_name(end.pass_id)),
        *dict.fromkeys(cuts),
    ]
