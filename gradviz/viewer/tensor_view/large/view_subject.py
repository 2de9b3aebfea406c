"""The subject of a tensor window: a recorded tensor, or the latest version of a gradient."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.analysis.provenance.tensor_lineage import (
    AppearanceKind,
    TensorAppearance,
    TensorLineage,
)
from gradviz.viewer.tensor_refs import TensorRef


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewSubject:
    """The tensor of a window, described so that it can be found in another step or run.

    Attributes:
        ref: The tensor at the step where it was opened.
        name: Its name where it was recorded; None if unknown.
        kind: Value, gradient or accumulated gradient.
    """

    ref: TensorRef
    name: str | None
    kind: AppearanceKind

    @property
    def can_follow(self) -> bool:
        """Whether another step can have a newer version of the tensor."""
        return self.name is not None and self.kind != "value"

    def now(self, lineage: TensorLineage | None, number: int) -> TensorAppearance | None:
        """The latest version of the tensor at a step; None before the first one."""
        if lineage is None or self.name is None:
            return None
        then = lineage.at(self.ref.tensor, self.ref.step)
        key = then.key if then is not None and then.name == self.name else None
        if key is None:
            key = lineage.named(self.name, self.kind)
        return lineage.latest(key, self.kind, number) if key is not None else None


def view_subject_of(ref: TensorRef, lineage: TensorLineage | None) -> ViewSubject:
    """Find name and kind of a tensor at the step where it was opened."""
    then = lineage.at(ref.tensor, ref.step) if lineage is not None else None
    if then is None:
        return ViewSubject(ref=ref, name=None, kind="value")
    return ViewSubject(ref=ref, name=then.name, kind=then.kind)
