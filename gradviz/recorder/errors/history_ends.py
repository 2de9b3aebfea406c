"""Calls of a run whose results have no autograd history, although their arguments had one."""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from types import FrameType
from typing import Any, Literal

import torch
from msgspec import Struct, field
from torch.distributions import Distribution

from gradviz.catalogue.messages import say
from gradviz.model.source import Location
from gradviz.recorder.call_site_names import is_in_cut_checkpoint
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.lost_history import (
    KEEP_NO_VALUE,
    LEAD_OUT,
    is_number,
    tensors_in,
)
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.sources import caller, current_frame, outward
from gradviz.recorder.tensors.tensor_compat import base_of, readable_grad_fn, requires_grad_of
from gradviz.recorder.torch_call import TorchCall
from gradviz.text.punctuation import join_sentences

EndKind = Literal[
    "inference",
    "no_grad",
    "checkpoint",
    "sampled",
    "drawn",
    "gradient",
    "constant",
    "copied",
    "discrete",
    "call",
    "outside",
]
"""Why a result has no history: it was computed in inference mode or under ``no_grad``; in a
reentrant checkpoint whose inputs require no gradient; by ``sample`` of a distribution, with and
without ``rsample``; it is a gradient without a graph, or constant
although a graph was created; a new tensor from the numbers of others; integers or bools; ``detach``
and the like; a new tensor from Python numbers, after values had left torch.
"""


class HistoryEnd(Struct, frozen=True):
    """A call whose result has no history.

    Attributes:
        kind: Why.
        op: Name of the function.
        name: Name of the argument that had a history; empty if unknown.
        location: Line of the call; None if unknown.
    """

    kind: EndKind
    op: str
    name: str
    location: Location | None

    @property
    def leads_out(self) -> bool:
        """Whether it takes values out of torch, where they cannot be followed."""
        return self.kind == "call" and self.op in _LEAD_OUT


class HistoryEndReach(Struct):
    """What has lost its history at a `HistoryEnd`, and what uses the values without it.

    Attributes:
        nodes: The nodes that had made what was used there.
        leaves: Storages of the leaves that were used there.
        users: Steps that take what was computed from it.
    """

    nodes: set[int] = field(default_factory=set)
    leaves: set[int] = field(default_factory=set)
    users: set[int] = field(default_factory=set)


class HistoryEnds(Recorder):
    """Knows for each living tensor without a history where those ended that it depends on.

    Attributes:
        left: The last call that has taken values with a history into NumPy or lists; None if none.
        ended: All ends, in order of the run.
        missed: Gradients of results that the run has read although backward keeps none: node and
            name of the result, by line.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._sites = context.sites
        self._reporter = context.reporter
        self._known: dict[int, tuple[weakref.ref[torch.Tensor], tuple[HistoryEnd, ...]]] = {}
        self._room = _ROOM
        self.left: HistoryEnd | None = None
        self.ended: dict[HistoryEnd, HistoryEndReach] = {}
        self.missed: dict[Location, tuple[int, str]] = {}
        self._left_as_number = False
        self._left_node: int | None = None

    def node_before(self, end: HistoryEnd | None) -> int | None:
        """The last node before the end of a history; None if it is unknown."""
        if end is None:
            return None
        has_left = end.kind == "outside" or end.leads_out
        return max(self.ended[end].nodes, default=self._left_node if has_left else None)

    def of(self, tensor: torch.Tensor) -> tuple[HistoryEnd, ...]:
        """Where the histories ended that a tensor depends on, in order of the run."""
        known = self._known.get(id(tensor))
        return known[1] if known is not None and known[0]() is tensor else ()

    def called(self, call: TorchCall) -> None:
        """Note a call of a torch function that has created no node."""
        result = call.result
        if result is None:
            return
        name = call.name
        is_tensor = isinstance(result, torch.Tensor)
        if is_tensor and requires_grad_of(result):
            if name in _FACTORIES:
                self._copied(call)
            return
        leads_out = not is_tensor and name in _LEAD_OUT
        if not (is_tensor or isinstance(result, (tuple, list)) or leads_out):
            return
        if name in KEEP_NO_VALUE or self._thread_states.current().steps:
            return
        given = tensors_in(call.values)
        is_number_again = self._left_as_number and name in _FACTORIES and not given
        if not is_number_again and not [
            each for each in given if requires_grad_of(each) or self.of(each) or each.is_inference()
        ]:
            return
        if name == "grad" and call.kwargs.get("create_graph"):
            name = _CREATED
        self._ended(call, name, given, leads_out=leads_out)

    @within_error_boundary
    def _ended(
        self, call: TorchCall, name: str, given: list[torch.Tensor], *, leads_out: bool
    ) -> None:
        is_graded = torch.is_grad_enabled()
        with self._log.lock, disabled_torch_modes():
            if leads_out:
                self._left_torch(call, given)
            else:
                self._called(call, name, given, is_graded=is_graded)

    @within_error_boundary
    def read_gradient(self, tensor: torch.Tensor) -> None:
        """Note that ``.grad`` of a tensor was read and is None."""
        with self._log.lock, disabled_torch_modes():
            node = readable_grad_fn(tensor)
            number = None if node is None else self._graph.find_node_number(node)
            line = None if number is None else self._sources.at(caller())
            if number is not None and line is not None and line not in self.missed:
                self.missed[line] = (number, self._names.of(tensor))

    @within_error_boundary
    def used(self, step: int | None, values: Iterable[Any]) -> None:
        """Note the arguments without a history of a call that has created nodes."""
        if step is None or not self._known:
            return
        with self._log.lock:
            for end in {end for each in tensors_in(values) for end in self.of(each)}:
                users = self.ended[end].users
                if len(users) < _MOST_USERS:
                    users.add(step)

    @within_error_boundary
    def _called(
        self, call: TorchCall, name: str, given: list[torch.Tensor], *, is_graded: bool
    ) -> None:
        results = tensors_in((call.result,))
        if name in _APART:
            for one, same in zip(given, results, strict=False):
                self._give((same,), self.of(one))
            return
        had = [each for each in given if requires_grad_of(each) and is_number(each)]
        ends = dict.fromkeys(end for each in given for end in self.of(each))
        made = [each for each in results if not requires_grad_of(each)]
        if made and (had or not given or made[0].is_inference()):
            kind = _kind(name, made[0], given, is_graded=is_graded)
            ends[self._end(kind, name, call, had)] = None
        self._give(made, tuple(ends)[:_MOST])

    @within_error_boundary
    def _left_torch(self, call: TorchCall, given: list[torch.Tensor]) -> None:
        had = [each for each in given if requires_grad_of(each) and is_number(each)]
        ends = [end for each in given for end in self.of(each)]
        if had or ends:
            self._left_as_number |= call.name in NUMBERS
            end = self._end("call", call.name, call, had)
            nodes = [node for each in (end, *ends) for node in self.ended[each].nodes]
            self._left_node = max(nodes, default=None)
            if call.name not in NUMBERS:
                self.left = end

    def _end(self, kind: EndKind, op: str, call: TorchCall, had: list[torch.Tensor]) -> HistoryEnd:
        site, name = call.find_site(self._sites), ""
        if had and kind in ("call", "discrete"):
            named = zip(site.written.arguments, call.args, strict=False)
            name = next((name for name, each in named if each is had[0]), "")
        end = HistoryEnd(kind, "grad" if op == _CREATED else op, name, site.location)
        ended = self.ended.get(end)
        if ended is None:
            ended = self.ended[end] = HistoryEndReach()
        for each in had:
            node = readable_grad_fn(each)
            if node is None and (base := base_of(each)) is not each:
                # A view that was made with gradients off has no node, but its base has.
                node = readable_grad_fn(base)
            number = None if node is None else self._graph.find_node_number(node)
            if number is not None:
                ended.nodes.add(number)
            elif node is None:
                ended.leaves.add(self._tensors.storage_of(each))
        return end

    @within_error_boundary
    def _copied(self, call: TorchCall) -> None:
        """Report a new leaf that takes the numbers of tensors with a history."""
        with self._log.lock, disabled_torch_modes():
            had = [each for each in tensors_in(call.args) if readable_grad_fn(each) is not None]
            if not had or not self._log.accepts_call():
                return
            site = call.find_site(self._sites)
            given = next(iter(site.written.arguments), "")
            name = given if given.isidentifier() else say("refused.tensors")
            message = say("hidden.copied", op=call.name, name=name, line=line_text(site.location))
            message = join_sentences((message, say("refused.remedy.copied")))
            step, line = self._log.highest("step"), site.location
            node = self._graph.find_node_number(readable_grad_fn(had[-1]))
            self._reporter.report(
                "history_hidden", message, "warning", step=step, node=node, location=line
            )

    def _give(self, tensors: Iterable[torch.Tensor], ends: tuple[HistoryEnd, ...]) -> None:
        if len(self._known) > self._room:
            living = {key: known for key, known in self._known.items() if known[0]() is not None}
            self._known, self._room = living, _ROOM + 2 * len(living)
        for each in tensors:
            self._known[id(each)] = (weakref.ref(each), ends)


def line_text(location: Location | None) -> str:
    """The number of a line; a question mark if it is unknown."""
    return "?" if location is None else str(location.line)


_MOST = 4
_MOST_USERS = 16
_CREATED = "create_graph"
_ROOM = 10_000
"""Of so many tensors more, those that were freed are forgotten."""

_APART = frozenset(("broadcast_tensors", "meshgrid"))
"""Each of their results depends on one argument alone."""

_FACTORIES = frozenset(("tensor", "as_tensor", "asarray"))
NUMBERS = frozenset(("item", "float", "complex"))
"""Calls that give a Python number, which programs often only print."""

_LEAD_OUT = LEAD_OUT | NUMBERS


def _kind(name: str, made: torch.Tensor, given: list[torch.Tensor], *, is_graded: bool) -> EndKind:
    if made.is_inference():
        return "inference"
    if not given:
        return "outside"
    if name == "grad":
        return "gradient"
    if name == _CREATED:
        return "constant"
    if name in _FACTORIES:
        return "copied"
    if name == "multinomial":
        return "drawn"
    if not is_graded:
        frame = current_frame()
        return "checkpoint" if is_in_cut_checkpoint(frame) else _sampled(frame) or "no_grad"
    return "call" if is_number(made) else "discrete"


def _sampled(frame: FrameType | None) -> EndKind | None:
    """Whether a line runs in ``sample`` of a distribution of torch, and of which kind that is."""
    for each in outward(frame):
        owner = each.f_locals.get("self") if each.f_code.co_name == "sample" else None
        if isinstance(owner, Distribution):
            return "sampled" if owner.has_rsample else "drawn"
    return None
