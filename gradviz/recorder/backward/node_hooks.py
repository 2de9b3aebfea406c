"""The recorder's hooks on nodes, which run after the user's hooks."""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Set
from types import MethodType
from typing import Any

from msgspec import Struct
from torch.utils.hooks import RemovableHandle

from gradviz.recorder import compat
from gradviz.recorder.backward.node_hook_watch import NodeHookWatch
from gradviz.recorder.forward.open_function_call import NodeFacts

_FIRST_PRUNING = 10_000


class _Handle(Struct, gc=False):
    """Does what torch's ``RemovableHandle`` does.

    Each node has two; as torch makes them, they are eight objects to Python's garbage collector.
    """

    hooks_dict_ref: weakref.ref[OrderedDict[int, Any]]
    id: int

    def remove(self) -> None:
        """Remove the hook."""
        hooks = self.hooks_dict_ref()
        if hooks is not None:
            hooks.pop(self.id, None)


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
        self._handles: dict[int, tuple[Any, ...]] = {}
        self._most = _FIRST_PRUNING

    def patch(self, original: Any) -> Any:
        """Replacement of what torch calls to add a hook to a node's dictionary of hooks."""
        add, key, before, after = original.__func__, self._key, self._before, self._after

        def _register_hook(hooks: OrderedDict[int, Any] | None, hook: Any) -> tuple[Any, Any]:
            own = hook.__func__ if type(hook) is MethodType else None
            if own is before or own is after:
                hooks = OrderedDict() if hooks is None else hooks
                hooks[key] = hook
                return hooks, _Handle(weakref.ref(hooks), key)
            added: tuple[Any, Any] = add(hooks, hook)
            return added

        return staticmethod(_register_hook)

    def register(self, facts: NodeFacts, node: Any) -> bool:
        """Register hooks on a node after the user's hooks, which may change gradients.

        Returns:
            False if they are still registered since an earlier pass.
        """
        number = facts.id
        known = self._handles.get(number)
        if known is not None:
            if compat.is_last_hook(known[0]) and compat.is_last_hook(known[1]):
                return False
            # The user has registered a hook since the last pass: register ours again, behind it.
            self._remove(number)
        # The hooks hold the facts only. A hook that holds its node keeps the graph alive. They are
        # methods of the facts, because these need fewer objects than `functools.partial`.
        before = node.register_prehook(MethodType(self._before, facts))
        after = node.register_hook(MethodType(self._after, facts))
        is_only = compat.is_only_hook(before) and compat.is_only_hook(after)
        handles = () if is_only else self._watch.register(facts, node)
        self._handles[number] = (before, after, *handles)
        if len(self._handles) > self._most:
            self._forget_freed()
        return True

    def _forget_freed(self) -> None:
        """Remove the handles of hooks whose nodes have been freed."""
        handles = self._handles.items()
        self._handles = {number: each for number, each in handles if compat.node_exists(each[0])}
        self._most = 2 * len(self._handles) + _FIRST_PRUNING

    def keep_only(self, numbers: Set[int]) -> None:
        """Remove the hooks from all other nodes."""
        for number in self._handles.keys() - numbers:
            self._remove(number)

    def remove(self) -> None:
        """Remove the hooks from all nodes that are still alive."""
        for number in list(self._handles):
            self._remove(number)

    def _remove(self, number: int) -> None:
        for handle in self._handles.pop(number):
            handle.remove()
        self._watch.forget(number)
