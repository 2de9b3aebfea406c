"""Eager execution of compiled code while it is recorded."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

import torch

from gradviz.recorder.patching.signals import calls_user_code


class ForceEager:
    """Switch that makes ``torch.compile`` run code eagerly, so that user methods are called.

    Importing dynamo takes seconds. It is therefore only used if it is already imported, or when
    ``torch.compile`` is called.
    """

    def __init__(self) -> None:
        self._stance: Any = None

    def install(self) -> None:
        """Force eager execution now, if dynamo is imported and code may be compiled already."""
        if self._stance is None and "torch._dynamo" in sys.modules:
            self._stance = torch.compiler.set_stance("force_eager")

    def compile(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap ``torch.compile`` so that eager execution is forced before it compiles."""

        @functools.wraps(original)
        @calls_user_code
        def compile_eagerly(*args: Any, **kwargs: Any) -> Any:
            importlib.import_module("torch._dynamo")
            self.install()
            return original(*args, **kwargs)

        return compile_eagerly

    def remove(self) -> None:
        """Restore the previous stance."""
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None
