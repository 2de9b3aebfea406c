"""The recorder's hooks on nodes, which run after the user's hooks."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Set
from types import MethodType
from typing import Any

from torch.utils.hooks import RemovableHandle

from gradviz.recorder.backward.node_hook_watch import NodeHookWatch
from gradviz.recorder.forward.open_function_call import NodeFacts

_FIRST_PRUNING = 10_000
_Hooks = OrderedDict[int, Any]


class NodeHooks:
    """Registers one hook before and one after each node, and removes them by the node's number."""

    def __init__(
        self, watch: NodeHookWatch, before: Callable[..., Any], after: Callable[..., Any]
    ) -> None:
        """Prepare to register hooks.

        Args:
            watch: Follows the user's hooks on the same nodes.
            before: Called with the facts of a node before the engine executes it.
            after: Called with the same when it has.
        """
        self._watch = watch
        self._before, self._after = before, after
        # Torch numbers all hooks; each node has its own, so that one number is enough for ours.
        self._key = RemovableHandle(OrderedDict()).id
        # The two dictionaries of hooks of each node, which live as long as the node.
        self._hooks: dict[int, tuple[weakref.ref[_Hooks], weakref.ref[_Hooks]]] = {}
        self._most = _FIRST_PRUNING

    def patch(self, original: Any) -> Any:
        """Replacement of what torch calls to add a hook to a node's dictionary of hooks.

        For our hooks, torch gets the dictionary as the handle: its own handles are eight objects to
        Python's garbage collector for each node.
        """
        add, key, before, after = original.__func__, self._key, self._before, self._after

        def _register_hook(hooks: _Hooks | None, hook: Any) -> tuple[Any, Any]:
            if type(hook) is MethodType and (hook.__func__ is before or hook.__func__ is after):
                if hooks is None:
                    hooks = OrderedDict()
                hooks[key] = hook
                return hooks, hooks
            added: tuple[Any, Any] = add(hooks, hook)
            return added

        return staticmethod(_register_hook)

    def register(self, facts: NodeFacts, node: Any) -> bool:
        """Register hooks on a node after the user's hooks, which may change gradients.

        Returns:
            False if they are still registered since an earlier pass.
        """
        number = facts.id
        if number in self._hooks:
            if all(map(self._is_last, self._hooks[number])):
                return False
            # The user has registered a hook since the last pass: register ours again, behind it.
            self._remove(number)
        # The hooks hold the facts only. A hook that holds its node keeps the graph alive. They are
        # methods of the facts, because these need fewer objects than `functools.partial`.
        before = node.register_prehook(MethodType(self._before, facts))
        after = node.register_hook(MethodType(self._after, facts))
        if len(before) > 1 or len(after) > 1:
            self._watch.register(facts, node)
        self._hooks[number] = weakref.ref(before), weakref.ref(after)
        if len(self._hooks) > self._most:
            self._forget_freed()
        return True

    def _is_last(self, reference: weakref.ref[_Hooks]) -> bool:
        hooks = reference()
        return hooks is not None and next(reversed(hooks), None) == self._key

    def _forget_freed(self) -> None:
        """Forget the hooks of nodes that have been freed."""
        hooks = self._hooks.items()
        self._hooks = {number: each for number, each in hooks if each[0]() is not None}
        self._most = 2 * len(self._hooks) + _FIRST_PRUNING

    def keep_only(self, numbers: Set[int]) -> None:
        """Remove the hooks from all other nodes."""
        for number in self._hooks.keys() - numbers:
            self._remove(number)

    def remove(self) -> None:
        """Remove the hooks from all nodes that are still alive."""
        self.keep_only(frozenset())

    def _remove(self, number: int) -> None:
        for reference in self._hooks.pop(number):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self._key, None)
        self._watch.forget(number)
