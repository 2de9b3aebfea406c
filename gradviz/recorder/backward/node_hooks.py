"""The recorder's hooks on nodes, which run after the user's hooks."""

from __future__ import annotations

from collections.abc import Callable, Set
from types import MethodType
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.backward.node_hook_watch import NodeHookWatch
from gradviz.recorder.forward.node_facts import NodeFacts

_FIRST_PRUNING = 10_000


class NodeHooks:
    """Registers one hook before and one after each node, and removes them by the node's number."""

    def __init__(self, watch: NodeHookWatch) -> None:
        """Let ``watch`` follow the user's hooks on the same nodes."""
        self._watch = watch
        self._handles: dict[int, tuple[Any, ...]] = {}
        self._most = _FIRST_PRUNING

    def register(
        self, facts: NodeFacts, node: Any, before: Callable[..., Any], after: Callable[..., Any]
    ) -> bool:
        """Register hooks on a node after the user's hooks, which may change gradients.

        Args:
            facts: The node's, which the hooks get as their first argument.
            node: The node.
            before: Called before the engine executes the node.
            after: Called when it has.

        Returns:
            False if they are still registered since an earlier pass.
        """
        number = facts.id
        for handle in self._handles.get(number, ())[:2]:
            # The user has registered a hook since the last pass: register ours again, behind it.
            if not compat.is_last_hook(handle):
                self._remove(number)
                break
        if number in self._handles:
            return False
        # The hooks hold the facts only. A hook that holds its node keeps the graph alive.
        handles: tuple[Any, ...] = (
            # Methods of the facts, because they need fewer objects than `functools.partial`.
            node.register_prehook(MethodType(before, facts)),
            node.register_hook(MethodType(after, facts)),
        )
        if not (compat.is_only_hook(handles[0]) and compat.is_only_hook(handles[1])):
            handles += self._watch.register(facts, node)
        self._handles[number] = handles
        if len(self._handles) > self._most:
            self._forget_freed()
        return True

    def _forget_freed(self) -> None:
        """Remove the handles of hooks whose nodes have been freed."""
        handles = self._handles.items()
        self._handles = {number: each for number, each in handles if compat.node_exists(each[0])}
        self._most = 2 * len(self._handles) + _FIRST_PRUNING

    def is_only(self, number: int) -> bool:
        """Whether our post hook is the only one on a node, so that no user hook ran before it."""
        handles = self._handles.get(number)
        return handles is not None and compat.is_only_hook(handles[1])

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
