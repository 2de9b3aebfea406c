"""How much a drawing shows, so that its text stays readable in little space."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingDetail:
    """What a drawing shows of each record.

    Attributes:
        elements: Whether small tensors are drawn with their elements.
        pairs: Whether an ``AccumulateGrad`` node of a small graph has a box beside its leaf.
        brief: Whether cards have few lines and titles as small as their lines.
        links: Whether a shared leaf of a small graph has a box for each use.
        notes: Whether saved tensors have a box.
        names: Whether a custom node's card says so, or names its saved tensors without a box.
        frames: Whether open groups of a small graph have a frame.
        title_width: Maximum width of a title in points; longer names are wrapped. None for any.
    """

    elements: bool = True
    pairs: bool = True
    brief: bool = False
    links: bool = True
    notes: bool = True
    names: bool = True
    frames: bool = True
    title_width: float | None = None


FULL = DrawingDetail()
"""Everything: what exports show, and the window if there is space."""

_PLAIN = DrawingDetail(elements=False)
_BRIEF = replace(_PLAIN, brief=True)
_MERGED = replace(_BRIEF, pairs=False)
_UNFRAMED = replace(_MERGED, links=False, notes=False, frames=False)
_NARROW = 96.0

BRIEF_DETAILS = (
    _BRIEF,
    _MERGED,
    replace(_MERGED, links=False, title_width=_NARROW),
    replace(_UNFRAMED, title_width=_NARROW),
    replace(_UNFRAMED, title_width=0.88 * _NARROW),
    replace(_UNFRAMED, title_width=_NARROW, names=False),
    replace(_UNFRAMED, title_width=0.85 * _NARROW, names=False),
)
"""Details for an audience: the values are shown beside the graph, and the text is large."""

ALL_DETAILS = (FULL, _PLAIN, replace(_PLAIN, pairs=False), *BRIEF_DETAILS)
"""Every detail, richest first."""
