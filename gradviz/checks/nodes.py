"""Information about autograd nodes."""

from __future__ import annotations

from typing import Any

from gradviz.recorder.compat import BackwardNode


def custom_name(node: Any) -> str:
    """Class name of the custom Function that created a node; empty for torch's own nodes."""
    cls = getattr(type(node), "_forward_cls", None)
    return cls.__name__ if isinstance(node, BackwardNode) and cls is not None else ""
