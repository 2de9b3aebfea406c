"""What opens an inspector in a test."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.state import ViewerState

Opener = Callable[..., tuple[Inspector, ViewerState]]
"""Takes a reader, the number of a step, a width and a theme."""
