"""Tracking of ``nn.Module`` calls, by their paths from the module called first."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from msgspec.structs import replace
from torch.nn.modules import module as torch_module

from gradviz.model.graph import ModuleCall
from gradviz.model.step import ForwardStep
from gradviz.recorder.error_boundary import within_error_boundary
from gradviz.recorder.log import RecordLog
from gradviz.recorder.module_call_names import names_in_call_of
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.recorder.tensor_names import TensorNames, registered
from gradviz.recorder.thread_state import OpenModule, ThreadStates

_GLOBAL_HOOKS = (
    "_global_backward_pre_hooks",
    "_global_backward_hooks",
    "_global_forward_pre_hooks",
    "_global_forward_hooks",
)

_MOST_PATHS = 10_000


class ModuleCallRecorder:
    """Follows modules through torch's global forward hooks."""

    def __init__(self, log: RecordLog, names: TensorNames, thread_states: ThreadStates) -> None:
        self.error_boundary = self._log = log
        self._names = names
        self._thread_states = thread_states
        self._places: dict[int, tuple[weakref.ref[torch.nn.Module], str, str]] = {}
        # By `id` of a module and of a part.
        self._paths_below: dict[tuple[int, int], str] = {}
        self._handles: list[Any] = []

    def install(self) -> None:
        """Register the global hooks."""
        self._handles = [
            torch_module.register_module_forward_pre_hook(self._before),
            # Also for a module that raises, which would otherwise stay open.
            torch_module.register_module_forward_hook(self._after, always_call=True),
        ]

    def remove(self) -> None:
        """Remove the global hooks."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    def ignore_own_hooks(self, original: Callable[[], object]) -> Callable[[], object]:
        """Wrap torch's question for global hooks: a compiled module warns if there are any."""

        def has_any_global_hook() -> object:
            own = {handle.id for handle in self._handles}
            others = [name for name in _GLOBAL_HOOKS if vars(torch_module)[name].keys() - own]
            return bool(others) and original()

        return has_any_global_hook

    def current(self) -> int | None:
        """Number of the innermost module call in the calling thread; None outside of modules.

        Call it for each created node, with the log's lock held. A module call is recorded with its
        first node; one that creates no node, as under ``no_grad``, is not recorded.
        """
        running = self._thread_states.modules()
        if running and running[-1].number is not None:
            return running[-1].number
        number = None
        for call in running:
            number = call.number = call.number or self._put(call, number)
        return number

    def _put(self, call: OpenModule, parent: int | None) -> int:
        number = self._log.next("module")
        path, class_name = printable_text(call.path), printable_text(call.class_name)
        self._log.put(ModuleCall(id=number, path=path, class_name=class_name, parent=parent))
        return number

    @within_error_boundary
    def _before(self, module: torch.nn.Module, args: Any) -> None:
        with self._log.lock:
            self._names.exclude_passed_parameters(args)
            running = self._thread_states.current().modules
            opened = self._begun(module, running[-1] if running else None)
            self._names.note_parameters(module)
            opened.inputs, opened.target = names_in_call_of(module, args)
            running.append(opened)

    def _begun(self, module: torch.nn.Module, parent: OpenModule | None) -> OpenModule:
        reference = weakref.ref(module)
        own_name = class_name(type(module))
        path, prefix = own_name, ""
        known = self._places.get(id(module))
        if parent is not None:
            place = self._place_below(parent, module)
            if place is None:
                self._names.add_root_module(module, inside=True)
            path, prefix = place or (own_name, f"{own_name}.")
            self._places[id(module)] = (reference, path, prefix)
        elif known is not None and known[0]() is module:
            # Parts of a model that ``checkpoint`` runs again in backward keep their paths.
            _, path, prefix = known
        else:
            path = self._names.add_root_module(module) or own_name
        return OpenModule(reference, path, prefix, own_name)

    def _place_below(self, outer: OpenModule, module: torch.nn.Module) -> tuple[str, str] | None:
        """Path and prefix of a module inside the one that runs; None if it is not part of it."""
        parent = outer.module()
        if parent is module:
            return outer.path, outer.prefix
        if parent is None:
            return None
        key = id(parent), id(module)
        name = self._paths_below.get(key)
        # To go through all parts takes long. One keeps its path as long as that leads to it.
        if name is None or _part_at(parent, name) is not module:
            paths = {id(part): name for name, part in reversed([*_parts(parent)])}
            name = paths.get(id(module))
            if name is None:
                return None
            if len(self._paths_below) > _MOST_PATHS:
                self._paths_below.clear()
            self._paths_below.update({(key[0], part): name for part, name in paths.items()})
        path = outer.prefix + name
        return path, f"{path}."

    def _name_result(self, step: ForwardStep, name: str) -> None:
        """Name what a module's last step returned by the variable of the module's result."""
        if not step.assigned and step.number == self._log.highest("step"):
            self._log.put(replace(step, assigned=(name,)))

    @within_error_boundary
    def _after(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        with self._log.lock:
            state = self._thread_states.current()
            running, last = state.modules, state.last_result
            # A module that raised without calling our hook is removed together with its caller.
            for position in range(len(running) - 1, -1, -1):
                if running[position].module() is module:
                    name = running[position].target
                    if name and last is not None and last[0]() is output:
                        self._name_result(last[1], name)
                    del running[position:]
                    return


def _part_at(module: torch.nn.Module, path: str) -> torch.nn.Module | None:
    """The part of a module that has a path; None if there is none."""
    part: torch.nn.Module | None = module
    for name in path.split("."):
        part = registered(part, "_modules").get(name) if part is not None else None
    return part


def _parts(module: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """All modules below one, its children first."""
    yield from module.named_children()
    yield from module.named_modules()
