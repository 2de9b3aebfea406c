"""Counting of backward passes while nothing is recorded."""

from __future__ import annotations

from collections.abc import Callable
from os import getpid
from typing import Any

import torch
from torch.autograd import graph as autograd_graph

from gradviz.recorder.backward.pass_count import PassCount, is_in_pass, start_nodes
from gradviz.recorder.patching.patches import AttributePatches
from gradviz.recorder.patching.signals import calls_user_code, ends_recorder_code


class PassCountPatch:
    """Counts the passes that begin while it is installed, and does nothing else."""

    def __init__(self, passes: PassCount, after_pass: Callable[[], None]) -> None:
        """Prepare to count.

        Args:
            passes: The count.
            after_pass: Called when an outermost pass has returned or raised. Must not raise.
        """
        self._passes = passes
        self._after_pass = after_pass
        self._patches = AttributePatches()

    def install(self) -> None:
        """Begin to count."""
        for owner in (autograd_graph, torch.autograd):
            self._patches.replace(owner, "_engine_run_backward", self._counting)

    def remove(self) -> None:
        """Stop counting."""
        self._patches.remove()

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
                self._passes.begin()
            try:
                return original(outputs, *args, **kwargs)
            finally:
                if is_outermost:
                    self._after_pass()

        return _engine_run_backward
