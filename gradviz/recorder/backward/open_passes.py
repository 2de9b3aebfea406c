"""The backward passes in progress, and which of them a thread of the engine works on.

The number of backward passes that a run has started, recorded or not.

Counting of backward passes while nothing is recorded.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from os import getpid
from threading import get_ident
from typing import Any

import torch
from msgspec import Struct
from torch.autograd import graph as autograd_graph

from gradviz.recorder import compat
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import calls_user_code, ends_recorder_code
from gradviz.recorder.thread_state import ThreadStates


class PassCount:
    """Counts the backward passes of a run.

    Attributes:
        started: Passes started so far; a pass has this number when it begins.
        outermost: Those of them that run inside of no other pass.
        has_freed_graph: Whether one of them, if recorded, has been a ``backward()`` that frees its
            graph.
        recorded: Number of the last outermost pass whose end is recorded; 0 for none.
        running: Calls of the engine outside of other passes that go on now, in all threads.
        uncounted: What `PassCountPatch` has replaced, by the identity of what counts. The recorder
            calls it, as it counts the passes itself.
    """

    def __init__(self) -> None:
        self.started = 0
        self.outermost = 0
        self.has_freed_graph = False
        self.recorded = 0
        self.running = 0
        self.uncounted: dict[int, Callable[..., Any]] = {}
        self._lock = threading.Lock()

    def note_recorded(self) -> None:
        """Note that the end of a pass that the calling thread has run is recorded."""
        if not is_in_pass():
            self.recorded = self.outermost

    def enter(self) -> None:
        """Count an outermost call of the engine, which torch may refuse."""
        with self._lock:
            self.running += 1

    def leave(self) -> None:
        """Note that such a call has returned or raised."""
        with self._lock:
            self.running -= 1

    def begin(self, *, frees_graph: bool = False) -> None:
        """Count a pass that the calling thread is about to start."""
        is_outermost = not is_in_pass()
        with self._lock:
            self.started += 1
            self.outermost += is_outermost
            self.has_freed_graph |= frees_graph


def is_in_pass() -> bool:
    """Whether the calling thread executes a node of a backward pass."""
    return compat.current_pass() >= 0


def start_nodes(outputs: Iterable[Any]) -> list[tuple[Any, int]] | None:
    """The nodes at which a pass starts, with the output; None if torch will refuse it."""
    starts = [compat.root_node(output) for output in outputs]
    return None if not starts or [node for node, _ in starts if node is None] else starts


class PassCountPatch:
    """Counts the passes that begin while it is installed and nothing is recorded."""

    def __init__(
        self,
        passes: PassCount,
        before_pass: Callable[[Sequence[Any]], bool],
        after_pass: Callable[[Sequence[Any]], None],
    ) -> None:
        """Prepare to count.

        Args:
            passes: The count.
            before_pass: Called when an outermost pass begins, with the tensors at which it starts.
                Returns whether the recorder has been installed instead. Must not raise.
            after_pass: Called when an outermost pass has returned or raised, with the tensors at
                which it has started. Must not raise.
        """
        self._passes = passes
        self._before_pass = before_pass
        self._after_pass = after_pass
        self._patches = AttributePatches()

    def install(self) -> None:
        """Begin to count."""
        for owner in (autograd_graph, torch.autograd):
            self._patches.replace(owner, "_engine_run_backward", self._counting)

    def remove(self) -> None:
        """Stop counting."""
        self._patches.remove()
        self._passes.uncounted.clear()

    def _counting(self, original: Callable[..., Any]) -> Callable[..., Any]:
        process = getpid()

        @ends_recorder_code
        @calls_user_code
        def _engine_run_backward(t_outputs: Any, *args: Any, **kwargs: Any) -> Any:
            if getpid() != process:
                return original(t_outputs, *args, **kwargs)
            # It may be an iterator, which can be read only once.
            outputs = tuple(t_outputs)
            is_outermost = not is_in_pass()
            if start_nodes(outputs) is not None:
                if is_outermost and self._before_pass(outputs):
                    # It is counted there.
                    engine = vars(autograd_graph)["_engine_run_backward"]
                    return engine(outputs, *args, **kwargs)
                self._passes.begin()
            try:
                return original(outputs, *args, **kwargs)
            finally:
                if is_outermost:
                    self._after_pass(outputs)

        self._passes.uncounted[id(_engine_run_backward)] = original
        return _engine_run_backward


class OpenBackwardPass(Struct):
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

    def find_pass(self, node: int) -> int | None:
        """The pass for which the engine executes the first node, in this thread."""
        task = compat.current_pass()
        if not self._starting or task < 0:
            return None
        thread_id = get_ident()
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
