"""Detection of values in custom Functions that lose their autograd history.

A double backward differentiates a backward along the histories of what it computed. A value that
forward kept although it is neither an input nor an output, or that backward detached, counts as a
constant. Torch does not report this.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from gradviz.catalogue.messages import say
from gradviz.model.source import Location
from gradviz.recorder import compat
from gradviz.recorder.backward.open_node import OpenNode, argument_names
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.captured_tensors import CapturedTensorFinder
from gradviz.recorder.forward.lost_history import (
    LostHistory,
    MethodHistory,
    address_of,
    ends_gradient,
    is_number,
)
from gradviz.recorder.forward.open_function_call import CallFacts, OpenFunctionCall
from gradviz.recorder.recording_context import Recorder, RecordingContext
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.sources import caller
from gradviz.recorder.tensors import tensor_compat
from gradviz.recorder.tensors.tensor_elements import unreadable_reason

_FOUND_BY_VALUE = LostHistory("lost", "")
"""The history is missing, but no call was seen to lose it."""


class ForwardHistory(MethodHistory, kw_only=True):
    """The history of a call of ``apply``."""

    call: OpenFunctionCall


class GradHistoryTracker(Recorder):
    """Follows histories through running methods.

    Attributes:
        running: The methods that run in each thread, innermost last.
    """

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._captured = CapturedTensorFinder(context.sources, context.names)
        self.running: dict[int, list[MethodHistory]] = {}

    @within_error_boundary
    def begin_forward(self, call: OpenFunctionCall) -> MethodHistory | None:
        """Start to follow a call of ``apply``; None if nothing in it can be differentiated."""
        if call.facts.nested or not torch.is_grad_enabled():
            return None
        return self._begin(ForwardHistory(call=call))

    @within_error_boundary
    def begin_backward(self, entry: OpenNode) -> MethodHistory | None:
        """Start to follow a user's ``backward``; None if it cannot be differentiated.

        Under functorch a tensor does not show whether it has a history: that may be inside its
        wrapper.
        """
        call = entry.facts.call
        if call is None or not torch.is_grad_enabled() or compat.functorch_is_active():
            return None
        return self._begin(MethodHistory(stale=call.stale))

    def _begin(self, method: MethodHistory) -> MethodHistory:
        self.running.setdefault(self._thread_states.ident(), []).append(method)
        return method

    @within_error_boundary
    def end(self, method: MethodHistory) -> None:
        """Stop following a method that has returned or raised."""
        thread_id = self._thread_states.ident()
        methods = self.running.get(thread_id, [])
        if method in methods:
            del methods[methods.index(method) :]
        if not methods:
            self.running.pop(thread_id, None)

    @within_error_boundary
    def called(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        result: Any,
    ) -> None:
        """Follow a torch function that was called in this thread."""
        methods = self.running.get(self._thread_states.ident())
        # An exception from outside may leave an empty list behind.
        if not methods:
            return
        differentiable = torch.is_grad_enabled()
        with self._log.lock, disabled_torch_modes():
            method = methods[-1]
            # A method that enables gradients differentiates what it computes by itself.
            if isinstance(method, ForwardHistory) and method.call.inside and not differentiable:
                self._captured.called(method.call, method, function, args, kwargs)
            values = (*args, *kwargs.values()) if kwargs else args
            method.called(function, values, result, self._line)

    def _line(self) -> Location | None:
        """The user's current line."""
        return self._sources.at(caller())

    @within_error_boundary
    def keep(self, method: MethodHistory, call: OpenFunctionCall, ctx: Any) -> None:
        """Find values without a history that forward or setup_context kept for backward."""
        saved = call.saved
        names = call.text.saved_names(len(saved))
        stale: dict[int, LostHistory] = {}
        with self._log.lock, disabled_torch_modes():
            for name, value in vars(ctx).items():
                self._keep_one(method, stale, LostHistory("context", printable_text(name)), value)
            for position, (value, (role, _)) in enumerate(saved):
                if role in ("intermediate", "view_of_input"):
                    name = names[position] if names else f"saved {position}"
                    self._keep_one(method, stale, LostHistory("saved", name), value)
        call.facts.stale = stale

    def _keep_one(
        self, method: MethodHistory, stale: dict[int, LostHistory], lost: LostHistory, value: Any
    ) -> None:
        if not isinstance(value, torch.Tensor) or not ends_gradient(value) or not is_number(value):
            return
        address = address_of(value)
        if address and (tensor_compat.requires_grad_of(value) or method.losses(value)):
            stale[address] = lost

    @within_error_boundary
    def returned(self, method: MethodHistory, entry: OpenNode, gradients: Any, result: Any) -> None:
        """Report the gradients of a user's ``backward`` that have lost a history."""
        call = entry.facts.call
        values = result if isinstance(result, tuple) else (result,)
        assert call is not None
        with self._log.lock, disabled_torch_modes():
            boxed = len(gradients) == 1 and isinstance(gradients[0], list)
            given = gradients[0] if boxed else gradients
            given = [each for each in given if isinstance(each, torch.Tensor)]
            linear = len(given) == 1 and tensor_compat.requires_grad_of(given[0])
            for argument, value in enumerate(values):
                needed = argument < len(call.needs) and call.needs[argument]
                if not needed or not isinstance(value, torch.Tensor) or not is_number(value):
                    continue
                losses = method.losses(value)
                if (
                    not losses
                    and linear
                    and not tensor_compat.requires_grad_of(value)
                    and _is_nonzero(value)
                ):
                    # A gradient is linear in grad_output, so one that is not zero depends on it.
                    losses = frozenset((_FOUND_BY_VALUE,))
                # With `once_differentiable`, it leads to an error node, which is reported already.
                if losses and not (call.once and tensor_compat.requires_grad_of(value)):
                    self._report(entry, call, argument, value, losses)

    def _report(
        self,
        entry: OpenNode,
        call: CallFacts,
        argument: int,
        gradient: torch.Tensor,
        losses: frozenset[LostHistory],
    ) -> None:
        lost = min(losses, key=lambda each: (_ORDER.index(each.kind), each.name))
        kind = "once" if call.once else "unseen" if lost is _FOUND_BY_VALUE else lost.kind
        extent = "part" if tensor_compat.requires_grad_of(gradient) else "whole"
        name = argument_names(entry.facts, argument + 1)[argument]
        text = say(f"cut.{kind}.{extent}", function=call.function, gradient=name, value=lost.name)
        self._log.find(
            f"second_order_cut_{kind}",
            text,
            severity="info" if call.once else "warning",
            step=entry.step,
            node=entry.facts.id,
            location=None if call.once else lost.location,
            argument=argument,
        )


_ORDER = ("saved", "context", "lost")


def _is_nonzero(gradient: torch.Tensor) -> bool:
    return not unreadable_reason(gradient) and bool(gradient.any())
