"""The moment at which a program has imported torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType


def call_after_torch_import(action: Callable[[], None]) -> None:
    """Call a function once, at the end of the first ``import torch``; now if that has happened."""
    if "torch" in sys.modules:
        action()
    else:
        sys.meta_path.insert(0, _TorchFinder(action))


class _TorchFinder:
    """Finds torch as Python would, with a loader that calls the function after it."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action = action

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of torch; None for any other module."""
        if fullname != "torch":
            return None
        # Not every search is followed by an import, so this finder stays until torch is loaded.
        for finder in [each for each in sys.meta_path if each is not self]:
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                self._follow(spec)
                return spec
        return None

    def _follow(self, spec: ModuleSpec) -> None:
        loader = spec.loader
        load = getattr(loader, "exec_module", None)
        if load is None:
            return

        def exec_module(module: ModuleType) -> None:
            # The loader is part of the module that the program sees.
            vars(loader).pop("exec_module", None)
            # A finder of the program that searches again has made this loader follow twice.
            is_outermost = self in sys.meta_path
            if is_outermost:
                sys.meta_path.remove(self)
            load(module)
            if is_outermost:
                self._action()

        vars(loader)["exec_module"] = exec_module
