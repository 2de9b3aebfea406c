"""Which ``nn.Module`` runs, by its path from the module that was called first."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.nn.modules import module as torch_module

from gradviz.recorder.activity import Activity
from gradviz.recorder.border import bordered
from gradviz.recorder.log import Log
from gradviz.recorder.names import Names
from gradviz.recorder.plain_text import plain


class Modules:
    """Follows modules through torch's global forward hooks."""

    def __init__(self, log: Log, names: Names, activity: Activity) -> None:
        self._log = log
        self._names = names
        self._activity = activity
        self._running: dict[int, list[weakref.ref[torch.nn.Module]]] = {}
        self._handles: list[Any] = []

    @property
    def border(self) -> Log:
        """Where trouble goes."""
        return self._log

    def install(self) -> None:
        """Begins to follow."""
        self._handles = [
            torch_module.register_module_forward_pre_hook(self._before),
            torch_module.register_module_forward_hook(self._after, always_call=True),
        ]

    def remove(self) -> None:
        """Ends it."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()

    @bordered
    def _before(self, module: torch.nn.Module, args: Any) -> None:
        with self._log.lock:
            running = self._running.setdefault(self._activity.ident(), [])
            paths = self._activity.here().modules
            if running:
                path = self._below(running[-1](), paths[-1], module, len(running) == 1)
            else:
                self._names.add_root(module)
                path = type(module).__name__
            running.append(weakref.ref(module))
            paths.append(plain(path))

    def _below(
        self, parent: torch.nn.Module | None, path: str, module: torch.nn.Module, at_root: bool
    ) -> str:
        if parent is None:
            return type(module).__name__
        names = [name for name, child in parent.named_children() if child is module]
        names = names or [name for name, child in parent.named_modules() if child is module]
        if not names:
            return type(module).__name__
        return names[0] if at_root else f"{path}.{names[0]}"

    @bordered
    def _after(self, module: torch.nn.Module, args: Any, output: Any) -> None:
        with self._log.lock:
            running = self._running.get(self._activity.ident(), [])
            paths = self._activity.here().modules
            # A module that raised without our hook being called is left with its caller.
            for position in range(len(running) - 1, -1, -1):
                if running[position]() is module:
                    del running[position:], paths[position:]
                    return
