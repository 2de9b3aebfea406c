"""Which step, node and backward pass each thread is in, and which modules it runs."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from gradviz.recorder import compat
from gradviz.recorder.open_module import OpenModule
from gradviz.recorder.open_part import OpenPart


@dataclass(slots=True)
class Thread:
    """What one thread does.

    Attributes:
        steps: Open steps, innermost last, each with the node it executes (None in forward).
        modules: The modules that run, innermost last.
        parts: The stages that are being looked into, innermost last.
    """

    steps: list[tuple[int, int | None]] = field(default_factory=list)
    modules: list[OpenModule] = field(default_factory=list)
    parts: list[OpenPart] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Maker:
    """What made a node.

    Attributes:
        node: The node whose backward did.
        step: The step in which that was executed.
    """

    node: int
    step: int


class Activity:
    """One `Thread` for each thread, by identity: the engine's threads have no thread-locals."""

    def __init__(self) -> None:
        self.threads: dict[int, Thread] = {}
        self.pass_of_task: dict[int, int] = {}

    @property
    def is_alone(self) -> bool:
        """Whether the run has been seen in one thread only."""
        return len(self.threads) < 2

    def ident(self) -> int:
        """Identity of the calling thread."""
        return threading.get_ident()

    def here(self) -> Thread:
        """What the calling thread does."""
        ident = threading.get_ident()
        thread = self.threads.get(ident)
        if thread is None:
            thread = self.threads[ident] = Thread()
        return thread

    def step(self) -> int | None:
        """The innermost open step of the calling thread."""
        steps = self.here().steps
        return steps[-1][0] if steps else None

    def maker(self) -> Maker | None:
        """The node whose backward the calling thread executes, and the step in which it does."""
        for step, node in reversed(self.here().steps):
            if node is not None:
                return Maker(node, step)
        return None

    def pass_id(self) -> int | None:
        """The backward pass that the calling thread works for."""
        task = compat.current_pass()
        return None if task < 0 else self.pass_of_task.get(task)

    def leave(self, step: int) -> None:
        """Takes a step off the stack of whichever thread has it, with all that it encloses."""
        here = self.here()
        if here.steps and here.steps[-1][0] == step:
            here.steps.pop()
            return
        for thread in self.threads.values():
            for position, (number, _) in enumerate(thread.steps):
                if number == step:
                    del thread.steps[position:]
                    return


def thread_name() -> str:
    """Name of the calling thread; empty for the main one.

    ``threading.current_thread`` would leave an object behind for each thread of the engine.
    """
    ident = threading.get_ident()
    if ident == threading.main_thread().ident:
        return ""
    for thread in threading.enumerate():
        if thread.ident == ident:
            return thread.name
    return "autograd engine"
