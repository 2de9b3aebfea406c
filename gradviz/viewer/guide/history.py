"""Browser-like history of visited pages."""

from __future__ import annotations


class History:
    """Names of the visited pages, and the position among them."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._at = -1

    def visit(self, name: str) -> None:
        """Add a page after the current one, discarding the pages ahead."""
        if self._at < 0 or self._names[self._at] != name:
            self._names[self._at + 1 :] = [name]
            self._at += 1

    def turn(self, by: int) -> str | None:
        """Move back (-1) or forward (1) and return the page; None if there is none."""
        if not self.can_turn(by):
            return None
        self._at += by
        return self._names[self._at]

    def can_turn(self, by: int) -> bool:
        """Return whether there is a page in that direction."""
        return 0 <= self._at + by < len(self._names)
