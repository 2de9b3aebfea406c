"""What a recording tells the one that controls it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradviz.recorder.backward.open_passes import PassCount


class RecordingListener:
    """Controls a recording that may end before the run does; this one lets it go on to the end.

    Attributes:
        passes: Counts the passes of the run.
    """

    def __init__(self) -> None:
        self.passes = PassCount()

    def pass_begins(self, outputs: Sequence[Any]) -> None:
        """Note the tensors at which a pass starts. Call inside `disabled_torch_modes`."""

    def pass_ended(self, outputs: Sequence[Any]) -> None:
        """Note that an outermost backward pass, from these tensors, has returned or raised."""

    def remove_ended(self) -> bool:
        """Remove the hooks of a recording that has ended; False if they are needed."""
        return False
