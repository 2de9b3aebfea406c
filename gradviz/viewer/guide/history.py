"""Where a reader has been, as in a browser."""

from __future__ import annotations


class History:
    """Names of pages, and which of them is shown."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._at = -1

    def visit(self, name: str) -> None:
        """Another page is shown; what lay ahead is forgotten."""
        if self._at < 0 or self._names[self._at] != name:
            self._names[self._at + 1 :] = [name]
            self._at += 1

    def turn(self, by: int) -> str | None:
        """Goes back (-1) or on (1); None where there is nothing."""
        if not self.can_turn(by):
            return None
        self._at += by
        return self._names[self._at]

    def can_turn(self, by: int) -> bool:
        """Whether there is something in that direction."""
        return 0 <= self._at + by < len(self._names)
