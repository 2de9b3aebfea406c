"""State of a module's call while it is in progress."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import torch


@dataclass(slots=True)
class OpenModule:
    """A module's call in progress.

    Attributes:
        module: The module; dead if it raised past our hook and was freed.
        path: Same as in `ModuleCall`.
        prefix: Prefix of the paths of its submodules.
        class_name: Name of its class.
        number: Its number in the trace, once a node has been created during the call.
    """

    module: weakref.ref[torch.nn.Module]
    path: str
    prefix: str
    class_name: str
    number: int | None = None
