"""What checked code prints: kept the first time, only counted when further calls repeat it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any, Self, TextIO, cast

from gradviz.catalogue.messages import say_count
from gradviz.checks.run.progress import ProgressCallback, ignore_progress
from gradviz.recorder.own_errors import is_torch_or_ours
from gradviz.recorder.sources import current_frame

_MOST_FRAMES = 16
"""Recursive code has no more of its frames looked at."""


class FirstPrints:
    """Finds out which prints only repeat what an earlier evaluation of the same code printed.

    Forward and backward print at places of their own, so that the first call of each is kept.

    Attributes:
        call: Number of the evaluation that runs; increased before each.
    """

    def __init__(self) -> None:
        self.call = 0
        self._first: dict[tuple[object, ...], int] = {}

    def is_first(self, frame: FrameType | None) -> bool:
        """Whether a place in the code prints for the first time or again in the same evaluation."""
        place: list[object] = []
        while frame is not None and len(place) < 2 * _MOST_FRAMES:
            if not is_torch_or_ours(frame.f_code.co_filename):
                place += frame.f_code, frame.f_lineno
            frame = frame.f_back
        return self._first.setdefault(tuple(place), self.call) == self.call


class PrintStream:
    """A text stream that hands on what is written; whatever else it does stays the same."""

    def __init__(
        self, behind: TextIO, prints: FirstPrints, take: Callable[[str, bool], object]
    ) -> None:
        self._behind = behind
        self._prints = prints
        self._take = take

    def write(self, text: str) -> int:
        """Hand on a text."""
        self._take(text, self._prints.is_first(current_frame(1)))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Hand on several texts."""
        is_first = self._prints.is_first(current_frame(1))
        for line in lines:
            self._take(line, is_first)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._behind, name)


@contextmanager
def discarded_output() -> Iterator[None]:
    """Drop what evaluations print that only repeat others, and are not counted either."""
    originals = sys.stdout, sys.stderr

    def drop(text: str, is_first: bool) -> None:
        pass

    sys.stdout, sys.stderr = (
        cast(TextIO, PrintStream(each, FirstPrints(), drop)) for each in originals
    )
    try:
        yield
    finally:
        sys.stdout, sys.stderr = originals


class ShownOnce:
    """``with ShownOnce() as shown``: prints of further calls are only counted, and this is told.

    Give the check ``shown.before_each(progress)``.
    """

    def __init__(self) -> None:
        self._prints = FirstPrints()
        self._lines = 0
        self._originals = (sys.stdout, sys.stderr)

    def before_each(self, progress: ProgressCallback) -> ProgressCallback:
        """A progress callback that starts a new call; what the given one prints is always shown."""
        prints = self._prints

        def tell(done: int, total: int) -> None:
            prints.call += 1
            if progress is not ignore_progress:
                with redirect_stdout(self._originals[0]), redirect_stderr(self._originals[1]):
                    progress(done, total)

        return tell

    def __enter__(self) -> Self:
        self._originals = (sys.stdout, sys.stderr)
        sys.stdout, sys.stderr = map(self._stream, self._originals)
        return self

    def __exit__(self, *exception: object) -> None:
        sys.stdout, sys.stderr = self._originals
        if self._lines:
            sys.stdout.write(say_count("check.more_printed", self._lines) + "\n")

    def _stream(self, behind: TextIO) -> TextIO:
        def take(text: str, is_first: bool) -> None:
            if is_first:
                behind.write(text)
            else:
                self._lines += text.count("\n")

        return cast(TextIO, PrintStream(behind, self._prints, take))
