"""The backward passes in progress, and which of them a thread of the engine works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.recorder import compat
from gradviz.recorder.forward.node_facts import NodeFacts
from gradviz.recorder.thread_state import ThreadStates


@dataclass(slots=True)
class OpenBackwardPass:
    """A running pass.

    Attributes:
        thread: Identity of the thread that started it.
        roots: Numbers of the nodes at which it starts.
        inputs: Names of the tensors whose gradients are requested; empty for ``backward()``.
        errors: Facts of the nodes in its graph that raise when executed.
        starts: Those nodes themselves, kept alive because nothing else refers to the node of a
            leaf: it would be freed with our hooks, and the engine would create another one.
    """

    id: int
    thread: int
    roots: frozenset[int]
    inputs: tuple[str, ...]
    errors: tuple[NodeFacts, ...]
    starts: tuple[Any, ...]


class OpenPasses:
    """Finds the pass for which the engine executes a node. Call with the log's lock held.

    Attributes:
        count: Number of passes that have begun.
    """

    def __init__(self, thread_states: ThreadStates) -> None:
        self._thread_states = thread_states
        self._starting: list[OpenBackwardPass] = []
        self.count = 0

    def begin(self, running: OpenBackwardPass) -> None:
        """Add a pass whose graph task is not known yet."""
        self._starting.append(running)
        self.count += 1

    def pass_of(self, node: int) -> int | None:
        """The pass for which the engine executes a node in this thread."""
        task = compat.current_pass()
        known = self._thread_states.pass_of_task.get(task)
        # Torch numbers a pass when it runs, so the first hook that is called tells the number.
        if known is not None or not self._starting or task < 0:
            return known
        thread_id = self._thread_states.ident()
        likely = [each for each in self._starting if each.thread == thread_id]
        # A thread of the engine has started no pass; the first node executed there is a root.
        likely = likely or [each for each in self._starting if node in each.roots]
        chosen = (likely or self._starting)[-1]
        self._starting.remove(chosen)
        self._thread_states.pass_of_task[task] = chosen.id
        self._thread_states.thread_of_pass[chosen.id] = chosen.thread
        return chosen.id

    def is_over(self, task: int) -> bool:
        """Whether a graph task is that of no pass in progress."""
        return task not in self._thread_states.pass_of_task and not self._starting

    def forget(self, running: OpenBackwardPass) -> None:
        """Remove a pass that is over."""
        if running in self._starting:
            self._starting.remove(running)
        self._thread_states.thread_of_pass.pop(running.id, None)
        tasks = self._thread_states.pass_of_task
        for task in [task for task, number in tasks.items() if number == running.id]:
            del tasks[task]
