"""What is told of the user's code while it runs, whichever way Python is asked for it."""

from __future__ import annotations

from types import FrameType
from typing import Literal, Protocol

Exit = Literal["returned", "yielded", "raised"]
"""How a frame was left."""


class Watcher(Protocol):
    """Is told what frames of the user do, in the thread in which they do it.

    It must not raise, except where the recording is strict.

    Attributes:
        others: Files of which it is known that it wants nothing.
    """

    others: set[str]

    def wants(self, frame: FrameType) -> bool:
        """Whether it wants to be told of a frame that was entered."""

    def enters(self, frame: FrameType, *, again: bool) -> None:
        """A frame begins to run.

        Args:
            frame: Which one.
            again: Whether it is a generator that goes on where it had stopped.
        """

    def runs(self, frame: FrameType, line: int, offset: int) -> None:
        """A line of a frame is about to run.

        Args:
            frame: Which one.
            line: Its number.
            offset: Of its first instruction, in the bytecode.
        """

    def raises(self, frame: FrameType) -> None:
        """An exception has arisen in a frame, or has come to it from a call."""

    def leaves(self, frame: FrameType, how: Exit, value: object) -> None:
        """A frame stops to run; ``value`` is what it returned or yielded."""
