"""Which groups somebody has opened or closed by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Folds:
    """What differs from the picture that is shown at first; groups by their keys.

    Attributes:
        opened: Drawn with what is in them.
        closed: Drawn as one box.
    """

    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    def opening(self, keys: Iterable[str]) -> Folds:
        """The same with these groups opened."""
        keys = frozenset(keys)
        return Folds(opened=self.opened | keys, closed=self.closed - keys)

    def closing(self, keys: Iterable[str]) -> Folds:
        """The same with these groups closed."""
        keys = frozenset(keys)
        return Folds(opened=self.opened - keys, closed=self.closed | keys)
