"""What a check of a run compares: the run itself, or a custom Function that a script called."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec.structs import replace

from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.function_call import FunctionCall
from gradviz.model.inputs import DTYPES, MOST_VALUES, SCRIPT, InputSpec, Offer, RunSubject
from gradviz.model.item import Item, without_held
from gradviz.model.source import user_line


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTarget:
    """What a check tests.

    Attributes:
        offer: What it runs; None if nothing can be checked.
        problem: Why a script or a cell of a notebook cannot be checked; else empty.
        call: The call of a script that it repeats; None if it repeats something else.
    """

    offer: Offer | None
    problem: str = ""
    call: FunctionCall | None = None


def check_target(offer: Offer | None, index: TraceIndex | None, number: int) -> CheckTarget:
    """Find what a check of a run tests.

    A script is no function that could be compared with its gradient. Instead, the custom Function
    at the shown step is, or else the first that it called, with the arguments of that call.

    Args:
        offer: What was run; None for an opened trace.
        index: Its trace.
        number: The step that is shown.
    """
    if offer is not None and offer.subject.path.endswith(".ipynb"):
        return CheckTarget(offer=None, problem=say("target.cell"))
    if offer is None or offer.subject.name != SCRIPT:
        return CheckTarget(offer=offer)
    call = None if index is None else _call(index, number)
    if index is None or call is None:
        return CheckTarget(offer=None, problem=say("target.no_function"))
    found = _offer(index, call, offer)
    if found is None:
        problem = say("target.unknown_arguments", function=call.function)
        return CheckTarget(offer=None, problem=problem)
    return CheckTarget(offer=found, call=call)


def _call(index: TraceIndex, number: int) -> FunctionCall | None:
    at = node_at_step(index, number)
    call = None if at is None else index.node[at].call
    return index.call.get(call or 0) or next(iter(index.call.values()), None)


def _offer(index: TraceIndex, call: FunctionCall, script: Offer) -> Offer | None:
    """A Function with recorded arguments; None if they or its file are not known completely."""
    place = user_line(call.forward)
    inputs = [_input(index, item) for item in without_held(call.arguments)]
    known = tuple(each for each in inputs if each is not None)
    if place is None or len(known) < len(inputs):
        return None
    subject = RunSubject(path=place.path, name=call.function)
    return replace(script, subject=subject, title=call.function, inputs=known)


def _input(index: TraceIndex, item: Item) -> InputSpec | None:
    if item.kind != "tensor":
        return InputSpec(name=item.name, kind=item.kind, text=item.text)
    record = index.tensor.get(item.tensor or 0)
    value = None if record is None else index.value(record.id)
    if record is None or value is None or record.content != "whole" or item.text:
        return None
    if record.dtype not in DTYPES or record.count > MOST_VALUES:
        return None
    return InputSpec(
        name=item.name,
        shape=record.shape,
        dtype=record.dtype,
        fill="values",
        values=tuple(value.array().ravel().tolist()),
        requires_grad=record.requires_grad,
    )
