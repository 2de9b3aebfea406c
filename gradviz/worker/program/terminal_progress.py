"""Progress of a recorded program on a terminal, as whole lines between its own.

Imported only when the program imports torch: these texts need numpy, which a program would find
imported before it has imported it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from gradviz.catalogue.messages import say
from gradviz.text.phrases import size_text
from gradviz.text.sentences.values import count_text

_FIRST_S = 10.0


class TerminalProgress:
    """Prints a line after 10 seconds of recording, then after 20, 40, 80 and so on.

    A line that is overwritten each time would mix with what the program writes past Python's
    streams.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        # The stream that the program was started with, because the recorder replaces it.
        self._stream = sys.stderr
        self._clock = clock
        self._began = clock()
        self._next_s = _FIRST_S

    def pass_ended(self, passes: int, steps: int, size: Callable[[], int]) -> None:
        """Print a line if it is time to; the program must be at the beginning of a line.

        Args:
            passes: Number of passes that have ended.
            steps: Number of recorded steps.
            size: Returns the size of the trace in bytes.
        """
        if self._clock() - self._began < self._next_s:
            return
        self._next_s *= 2
        text = say(
            "command.program.progress",
            passes=count_text("pass", passes),
            steps=count_text("step", steps),
            size=size_text(size()),
        )
        try:
            if self._stream is not None and self._stream.isatty():
                self._stream.write(f"{text}\n")
                self._stream.flush()
        except (OSError, ValueError):
            # The program has closed it.
            self._stream = None
