"""Recording of what the run's hooks on nodes do to gradients."""

from __future__ import annotations

from collections.abc import Sequence
from types import MethodType
from typing import Any

import torch
from torch.utils.hooks import BackwardHook

from gradviz.catalogue.messages import say
from gradviz.recorder import compat
from gradviz.recorder.backward.gradient_view import (
    GradientHookWatch,
    GradientView,
)
from gradviz.recorder.backward.open_node import OpenNode, gradient_names
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.recording_context import RecordingContext
from gradviz.recorder.safe_text import class_name

Gradients = Sequence[torch.Tensor | None]


class NodeHookWatch(GradientHookWatch[Any]):
    """Registers a hook before the run's own on a node, and compares gradients before and after."""

    def __init__(self, context: RecordingContext) -> None:
        super().__init__(context)
        self._handles: dict[int, tuple[Any, Any]] = {}

    def register(self, facts: NodeFacts, node: Any) -> None:
        """Register hooks that run before all others."""
        before = compat.first_hook(node.register_prehook(MethodType(self._arrived, facts)))
        after = compat.first_hook(node.register_hook(MethodType(self._computed, facts)))
        self._handles[facts.id] = (before, after)

    def forget(self, node: int) -> None:
        """Remove the hooks from a node."""
        for handle in self._handles.pop(node, ()):
            handle.remove()

    @within_error_boundary
    def _arrived(self, facts: NodeFacts, gradients: Gradients) -> None:
        self._see(facts, gradients, 0)

    @within_error_boundary
    def _computed(self, facts: NodeFacts, made: Gradients, _gradients: Gradients) -> None:
        self._see(facts, made, 1)

    def _see(self, facts: NodeFacts, gradients: Gradients, which: int) -> None:
        handle = self._handles[facts.id][which]
        with self._log.lock, disabled_torch_modes():
            if len(_user_hooks(handle)) and self._has_room:
                views = tuple(map(self._keep, gradients))
                self.seen[compat.current_pass(), facts.id, which] = (handle, views)

    def received(self, entry: OpenNode, gradients: Gradients) -> None:
        """Report gradients that hooks have changed before a node runs."""
        facts = entry.facts
        seen = self.seen.pop((compat.current_pass(), facts.id, 0), None)
        if seen is not None:
            is_leaf = facts.kind == "accumulate"
            names = ("grad_output",) if is_leaf else gradient_names(facts, len(entry.arrived))
            self._report("gradient_hooked", seen, entry, names, entry.arrived, gradients)

    def passed(self, entry: OpenNode, made: Gradients) -> None:
        """Report gradients that hooks have changed after a node has run."""
        seen = self.seen.pop((compat.current_pass(), entry.facts.id, 1), None)
        if seen is not None:
            numbers = [None if each is None else self._tensors.record(each) for each in made]
            names = [f"grad_input {position}" for position in range(len(made))]
            names = names if len(made) > 1 else ["grad_input"]
            self._report("gradient_replaced", seen, entry, names, numbers, made)

    def _report(
        self,
        code: str,
        seen: tuple[Any, tuple[GradientView, ...]],
        entry: OpenNode,
        names: Sequence[str],
        numbers: Sequence[int | None],
        gradients: Gradients,
    ) -> None:
        handle, views = seen
        hooks, owner, at = _user_hooks(handle), _owner(handle), (entry.step, entry.facts.id)
        for name, view, number, gradient in zip(names, views, numbers, gradients, strict=False):
            words = {"of": owner, "name": name}
            self._report_change(code, "hook.node", hooks, (view, number, gradient), words, at)


def _user_hooks(handle: Any) -> list[Any]:
    """The run's hooks on a node; those of a module instead of torch's one for all of them."""
    found: list[Any] = []
    for hook in compat.other_hooks(handle):
        # Ours are methods of the facts of a node.
        if isinstance(getattr(hook, "__self__", None), NodeFacts):
            continue
        wrapper = _module_hook(hook)
        if wrapper is None:
            found.append(hook)
        else:
            found += [*wrapper.user_pre_hooks, *wrapper.user_hooks]
    return found


def _owner(handle: Any) -> str:
    """What the run has registered its hooks on, as a phrase."""
    for hook in compat.other_hooks(handle):
        wrapper = _module_hook(hook)
        if wrapper is not None:
            return say("hook.of_module", module=class_name(type(wrapper.module)))
    node: Any = compat.current_node()
    return say("hook.unknown") if node is None else compat.node_name(node)


def _module_hook(hook: Any) -> BackwardHook | None:
    """What torch registers for the full backward hooks of a module."""
    for cell in getattr(hook, "__closure__", None) or ():
        if type(cell.cell_contents) is BackwardHook:
            found: BackwardHook = cell.cell_contents
            return found
    return None
