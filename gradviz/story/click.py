"""What a story shows after one click."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """What is shown after a click.

    Attributes:
        topic: The muted line.
        headline: The question, the answer, or what the stop is about.
        text: The lines of the picture; see `gradviz.story.picture`.
        note: A text below the picture; usually empty.
        is_asked: Whether the answer is still hidden.
        is_recorded: Whether the headline is a sentence about a step, each of which has another
            length: all are smaller.
    """

    topic: str
    headline: str
    text: str
    note: str = ""
    is_asked: bool = False
    is_recorded: bool = False
