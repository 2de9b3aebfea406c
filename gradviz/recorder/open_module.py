"""What the recorder remembers of a module's call while it runs."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import torch


@dataclass(slots=True)
class OpenModule:
    """A call of a module that runs.

    Attributes:
        module: The module; dead where it raised past our hook and was let go.
        path: As in `ModuleCall`.
        prefix: What stands before the names of the modules in it.
        class_name: Name of its class.
        number: Its number in the trace, once a node was made during it.
    """

    module: weakref.ref[torch.nn.Module]
    path: str
    prefix: str
    class_name: str
    number: int | None = None
