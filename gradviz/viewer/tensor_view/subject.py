"""What a window of its own shows: one recorded tensor, or whichever is the gradient just now."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.lineage import Appearance, Kind, Lineage
from gradviz.viewer.sights import Sight


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is looked at, in a way that outlives a step and a run.

    Attributes:
        sight: The tensor as it was when somebody asked for it.
        name: What it is called where it was recorded; None where that is unknown.
        kind: Value, gradient or total.
    """

    sight: Sight
    name: str | None
    kind: Kind

    @property
    def can_follow(self) -> bool:
        """Whether there can be another such tensor at another step."""
        return self.name is not None and self.kind != "value"

    def now(self, lineage: Lineage | None, number: int) -> Appearance | None:
        """The newest such tensor as of a step; None where there is none yet."""
        if lineage is None or self.name is None:
            return None
        then = lineage.at(self.sight.tensor, self.sight.step)
        key = then.key if then is not None and then.name == self.name else None
        if key is None:
            key = lineage.named(self.name, self.kind)
        return lineage.latest(key, self.kind, number) if key is not None else None


def subject_of(sight: Sight, lineage: Lineage | None) -> Subject:
    """Finds out what a tensor is."""
    then = lineage.at(sight.tensor, sight.step) if lineage is not None else None
    if then is None:
        return Subject(sight=sight, name=None, kind="value")
    return Subject(sight=sight, name=then.name, kind=then.kind)
