"""Recording of what hooks on tensors do to gradients."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from msgspec import Struct

from gradviz.catalogue.messages import say
from gradviz.model.item import Item
from gradviz.recorder import compat
from gradviz.recorder.backward.gradient_view import GradientHookWatch
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.call_site_names import names_at
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.safe_text import printable_text
from gradviz.recorder.tensors import tensor_compat

_TOTAL = -1
"""Place of a leaf's total; the gradients of a node have places from 0."""


class HookedTensor(Struct, frozen=True):
    """Our hook, which runs before the run's own hooks on a tensor.

    Attributes:
        tensor: Weak reference, because a tensor that its own hook holds is never freed.
        handle: Handle of our hook.
        role: What the tensor was when the hook was registered; empty if unknown.
    """

    tensor: weakref.ref[torch.Tensor]
    handle: Any
    role: str


class TensorHookRecorder(GradientHookWatch[HookedTensor]):
    """Registers a hook before the run's own, and compares gradients before and after them."""

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._watches: dict[tuple[int, bool], HookedTensor] = {}
        self._retained: list[tuple[weakref.ref[torch.Tensor], str]] = []

    @within_error_boundary
    def called(self, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
        """Follow the run's calls of ``register_hook`` and ``retain_grad``; ignore others."""
        if not args or not isinstance(args[0], torch.Tensor):
            return
        with self._log.lock, disabled_torch_modes():
            if function is torch.Tensor.register_hook:
                self._watch(args[0], _variable(function, args))
            elif function is torch.Tensor.retain_grad and not tensor_compat.is_leaf_of(args[0]):
                self._retained.append((weakref.ref(args[0]), _variable(function, args)))

    def watch_leaf(self, node: Any) -> None:
        """Watch a leaf of a pass, whose hooks may be older than the recording."""
        variable = node.variable
        if not tensor_compat.requires_grad_of(variable):
            # It did when it was used. Now its gradient is dropped, and torch refuses hooks.
            return
        if compat.hooks_of(variable):
            self._watch(variable)
        if compat.hooks_after(variable):
            self._watch(variable, accumulated=True)

    def _watch(self, tensor: torch.Tensor, role: str = "", *, accumulated: bool = False) -> None:
        key = (id(tensor), accumulated)
        # AccumulateGrad receives one gradient; other nodes receive one for each output.
        position = 0 if tensor_compat.is_leaf_of(tensor) else tensor.output_nr
        place = _TOTAL if accumulated else position

        # It may not hold the tensor: whatever a tensor's own hook holds is never freed.
        def first(given: torch.Tensor | None) -> None:
            self._see(key, place, given)

        known = self._watches.get(key)
        if known is not None:
            # The id may belong to a new tensor by now.
            if known.tensor() is tensor and compat.is_first_hook(known.handle):
                return
            known.handle.remove()
        handle = compat.hook_first(tensor, first, accumulated=accumulated)
        role = self._role_of(tensor) or role
        self._watches[key] = HookedTensor(weakref.ref(tensor), handle, role)

    def remove(self) -> None:
        """Remove our hooks."""
        for watch in self._watches.values():
            watch.handle.remove()
        self._watches.clear()
        self.seen.clear()
        self._retained.clear()

    @within_error_boundary
    def _see(self, key: tuple[int, bool], place: int, given: torch.Tensor | None) -> None:
        with self._log.lock, disabled_torch_modes():
            node: Any = compat.current_node()
            number = None if node is None else self._graph.find_node_number(node)
            if number is not None:
                # A leaf is given with its total, which only reading it here hides from the run.
                gradient = given.grad if given is not None and place == _TOTAL else given
                views = (self._keep(gradient),)
                self.seen[compat.current_pass(), number, place] = (self._watches[key], views)

    @property
    def is_watching(self) -> bool:
        """Whether a gradient is hooked or retained."""
        return bool(self.seen or self._retained)

    @within_error_boundary
    def arrived(self, entry: OpenNode, gradients: tuple[Any, ...]) -> None:
        """Report gradients that hooks have replaced or that are retained, as a node begins."""
        at = entry.step, entry.facts.id
        if self.seen:
            for position, after in enumerate(zip(entry.arrived, gradients, strict=True)):
                self._report("gradient_hooked", "hook.replaced", position, after, at)
        if self._retained:
            self._report_retained_gradient(*at)

    @within_error_boundary
    def accumulated(self, entry: OpenNode, total: Item, gradient: Any) -> None:
        """Report a leaf's total if a post-accumulate-grad hook has changed it."""
        at = entry.step, entry.facts.id
        self._report("total_replaced", "hook.after", _TOTAL, (total.tensor, gradient), at)

    def _report(
        self, code: str, key: str, place: int, after: tuple[int | None, Any], at: tuple[int, int]
    ) -> None:
        seen = self.seen.pop((compat.current_pass(), at[1], place), None)
        if seen is not None and self._has_room:
            watch, (before,) = seen
            hooks = compat.other_hooks(watch.handle)
            words = {"name": self._name_of(watch.tensor(), watch.role)}
            self._report_change(code, key, hooks, (before, *after), words, at)

    def _report_retained_gradient(self, step: int, number: int) -> None:
        self._retained = [each for each in self._retained if each[0]() is not None]
        for reference, role in self._retained:
            tensor = reference()
            if tensor is None or tensor.grad is None:
                continue
            node = tensor_compat.readable_grad_fn(tensor)
            if node is not None and self._graph.find_node_number(node) == number and self._has_room:
                self._count += 1
                message = say(
                    "hook.retained",
                    name=self._name_of(tensor, role),
                    value=self._text(tensor.grad),
                )
                self._log.find("gradient_retained", message, step=step, node=number)

    def _name_of(self, tensor: torch.Tensor | None, role: str = "") -> str:
        if tensor is None:
            return role or say("hook.tensor")
        names, is_leaf = self._names, tensor_compat.is_leaf_of(tensor)
        name = names.find_leaf_name(tensor) if is_leaf else names.of(tensor)
        return name or role or say("hook.tensor")

    def _role_of(self, tensor: torch.Tensor) -> str:
        """Whether a tensor is an input of the module that runs; empty if not."""
        running = self._thread_states.modules()
        if running and id(tensor) in running[-1].inputs:
            return say("hook.input", module=printable_text(running[-1].path))
        return ""


def _variable(function: Callable[..., Any], args: tuple[Any, ...]) -> str:
    """What the source calls a tensor where it registers a hook; empty if that is no name.

    Not its name: in a loop, it is that of many tensors.
    """
    names = names_at(function, args).arguments
    return names[0] if names else ""
