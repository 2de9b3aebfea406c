"""Errors of the graph layout."""

from __future__ import annotations

from typing import Literal

from gradviz.model.messages import say

Reason = Literal["no_engine", "not_found", "timed_out", "cancelled", "crashed", "unreadable"]


class LayoutError(Exception):
    """Layout failed; the message is one sentence for people.

    Attributes:
        reason: Stable identifier for programs.
    """

    def __init__(self, reason: Reason, /, **values: object) -> None:
        super().__init__(say(f"layout.{reason}", **values))
        self.reason: Reason = reason
