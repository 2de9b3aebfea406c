"""Interface that receives events from the user's code, on every version of Python."""

from __future__ import annotations

from types import FrameType
from typing import Literal, Protocol

Exit = Literal["returned", "yielded", "raised"]
"""How a frame was left."""


class LineListener(Protocol):
    """Receiver of events from the user's frames, called in the thread that runs them.

    Its methods must not raise, except in strict mode.

    Attributes:
        others: Files already known to be of no interest.
    """

    others: set[str]

    def wants(self, frame: FrameType) -> bool:
        """Whether the listener needs events from a frame that was entered."""

    def enters(self, frame: FrameType, *, again: bool) -> None:
        """Receive that a frame begins to run.

        Args:
            frame: The frame.
            again: Whether it is a generator that continues where it stopped.
        """

    def runs(self, frame: FrameType, line: int, offset: int) -> None:
        """Receive that a line of a frame is about to run.

        Args:
            frame: The frame.
            line: Line number.
            offset: Bytecode offset of its first instruction.
        """

    def raises(self, frame: FrameType) -> None:
        """Receive that an exception was raised in a frame, or reached it from a call."""

    def leaves(self, frame: FrameType, how: Exit, value: object) -> None:
        """Receive that a frame stops running; ``value`` is what it returned or yielded."""
