"""Per-thread state of the run: open steps, executing nodes, backward passes and modules."""

from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from collections.abc import Set
from operator import itemgetter
from threading import get_ident

import torch
from msgspec import Struct, field

from gradviz.catalogue.messages import say
from gradviz.model.step import ForwardStep
from gradviz.recorder import compat
from gradviz.recorder.backward.open_node import OpenNode
from gradviz.recorder.forward.open_function_call import NodeFacts
from gradviz.recorder.inside.open_stage import OpenStage
from gradviz.recorder.torch_call import TorchCall


class OpenModule(Struct):
    """A module's call in progress.

    Attributes:
        module: The module; dead if it raised past our hook and was freed.
        path: Same as in `ModuleCall`.
        prefix: Prefix of the paths of its submodules.
        class_name: Name of its class.
        number: Its number in the trace, once a node has been created during the call.
        inputs: What the user's code calls the arguments, and members of those, by ``id()``. All
            are alive during the call.
        target: The variable to which the user's code assigns the result; empty if that is unknown.
    """

    module: weakref.ref[torch.nn.Module]
    path: str
    prefix: str
    class_name: str
    number: int | None = None
    inputs: dict[int, str] = field(default_factory=dict)
    target: str = ""


class ThreadState(Struct):
    """State of one thread.

    Attributes:
        steps: Open steps, innermost last, each with the node it executes (None in forward).
        modules: Modules that are running, innermost last.
        parts: Open stages whose ops or lines are recorded, innermost last.
        is_updating: Whether one of torch's optimizers runs, whose step has what it changes.
        torch_call: The torch function that the user has called; None outside of one, and in a
            backward pass that it starts.
        last_result: What the last torch function returned, if it was one tensor, and its step.
    """

    steps: list[tuple[int, OpenNode | None]] = field(default_factory=list)
    modules: list[OpenModule] = field(default_factory=list)
    parts: list[OpenStage] = field(default_factory=list)
    is_updating: bool = False
    torch_call: TorchCall | None = None
    last_result: tuple[weakref.ref[torch.Tensor], ForwardStep] | None = None


class ProducingNode(Struct, frozen=True):
    """Where a node was created during a backward pass.

    Attributes:
        facts: Facts of the node whose backward created it.
        step: The step in which that node was executed.
    """

    facts: NodeFacts
    step: int


class ThreadStates:
    """One `ThreadState` per thread, by identity: the engine's threads have no thread-locals.

    Attributes:
        threads: These states.
        pass_of_task: The pass that each of torch's graph tasks runs.
        thread_of_pass: The thread that started each pass.
        main: Identity of the main thread.
    """

    def __init__(self) -> None:
        # An entry is made by its own thread.
        self.threads: defaultdict[int, ThreadState] = defaultdict(ThreadState)
        self.pass_of_task: dict[int, int] = {}
        self.thread_of_pass: dict[int, int] = {}
        self.main = threading.main_thread().ident

    @property
    def is_idle(self) -> bool:
        """Whether no stage is open whose ops or lines are recorded."""
        return not [thread for thread in self.threads.values() if thread.parts]

    def keep_modules(self, numbers: Set[int]) -> None:
        """Forget the numbers of module calls that are no longer in the trace."""
        for thread in self.threads.values():
            for module in thread.modules:
                if module.number not in numbers:
                    module.number = None

    def forget_open(self) -> None:
        """Forget what is open in all threads, because its end will not be seen."""
        for thread in self.threads.values():
            thread.steps.clear()
            thread.modules.clear()
            thread.parts.clear()
            thread.is_updating = False
            thread.torch_call = None
            thread.last_result = None

    def current(self) -> ThreadState:
        """State of the calling thread."""
        return self.threads[get_ident()]

    def thread_name(self) -> str:
        """Name of the calling thread; empty for the main one.

        ``threading.current_thread`` would leave an object behind for each thread of the engine.
        """
        ident = get_ident()
        if ident == self.main:
            return ""
        for thread in threading.enumerate():
            # `current_thread` may have left a dummy behind, even for an earlier thread with this
            # id.
            if thread.ident == ident and type(thread).__name__ != "_DummyThread":
                return thread.name
        return say("thread.engine")

    def step(self) -> int | None:
        """The innermost open step of the calling thread; None if there is none."""
        steps = self.current().steps
        return steps[-1][0] if steps else None

    def producer(self) -> ProducingNode | None:
        """The node whose backward the calling thread executes, and the step it does so in."""
        for step, node in reversed(self.threads[get_ident()].steps):
            if node is not None:
                return ProducingNode(node.facts, step)
        return None

    def executing(self, facts: NodeFacts) -> OpenNode | None:
        """The execution of a node in the pass that the calling thread works on; None if unknown.

        A nested pass may execute a node that is executed already.
        """
        pass_id = self.pass_of_task.get(compat.current_pass())
        for _, node in reversed(self.threads[get_ident()].steps):
            if node is not None and node.facts is facts and node.pass_id == pass_id:
                return node
        return None

    def executing_for(self, pass_id: int) -> list[OpenNode]:
        """The nodes that are executed in a backward pass, in the order in which they began."""
        steps = [step for thread in self.threads.values() for step in thread.steps]
        steps.sort(key=itemgetter(0))
        return [node for _, node in steps if node is not None and node.pass_id == pass_id]

    def pass_id(self) -> int | None:
        """The backward pass that the calling thread works on; None outside of one."""
        # Outside, torch's number of the pass is -1.
        return self.pass_of_task.get(compat.current_pass())

    def modules(self) -> list[OpenModule]:
        """Modules that run in the calling thread, innermost last.

        A thread of the engine runs those of the thread that started its backward pass.
        """
        own = self.threads[get_ident()].modules
        if own or not self.thread_of_pass:
            return own
        pass_id = self.pass_id()
        started_by = None if pass_id is None else self.thread_of_pass.get(pass_id)
        thread = None if started_by is None else self.threads.get(started_by)
        return own if thread is None else thread.modules

    def leave(self, step: int) -> None:
        """Remove a step, and all steps inside it, from the stack of the thread that holds it."""
        own = self.threads[get_ident()].steps
        if own and own[-1][0] == step:
            own.pop()
            return
        # A failed pass is closed by the thread that started it, not by the one that ran the node.
        for thread in self.threads.values():
            for position, (number, _) in enumerate(thread.steps):
                if number == step:
                    del thread.steps[position:]
                    return
