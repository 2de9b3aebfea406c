"""Sign-change condition for the pinned element."""

from __future__ import annotations

from gradviz.model.breakpoints.point import WhenSign
from gradviz.viewer.state import ViewerState


def pinned_sign(state: ViewerState) -> WhenSign | None:
    """Return the sign-change condition for the pinned element; None if it has no name."""
    index, element, lineage = state.index, state.element, state.lineage
    if index is None or element is None or lineage is None:
        return None
    seen = lineage.at(element.tensor, state.number) or lineage.first.get(element.tensor)
    gradient = seen is not None and seen.kind != "value"
    for key in lineage.keys.get(element.tensor, frozenset()):
        name = index.node[key[0]].variable_name if key[0] in index.node else ""
        if name:
            return WhenSign(name=name, element=element.index, gradient=gradient)
    if seen is None:
        return None
    return WhenSign(name=seen.name, element=element.index, gradient=False)
