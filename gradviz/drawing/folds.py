"""Groups that the user has opened or closed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """Differences from the initial drawing; groups by their keys.

    Attributes:
        opened: Groups drawn with their contents.
        closed: Groups drawn as one box.
    """

    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    def opening(self, keys: Iterable[str]) -> Folds:
        """Return a copy with these groups opened."""
        keys = frozenset(keys)
        return Folds(opened=self.opened | keys, closed=self.closed - keys)

    def closing(self, keys: Iterable[str]) -> Folds:
        """Return a copy with these groups closed."""
        keys = frozenset(keys)
        return Folds(opened=self.opened - keys, closed=self.closed | keys)
