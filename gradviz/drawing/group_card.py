"""Cards of folded groups and frames of open ones."""

from __future__ import annotations

from gradviz.drawing.drawn import DrawnFrame, DrawnNode
from gradviz.drawing.group import Group
from gradviz.drawing.group_names import GroupNames
from gradviz.drawing.places import Box
from gradviz.model.index import Index
from gradviz.model.messages import say


def folded_card(
    index: Index, names: GroupNames, box: Box, *, link: int | None = None, outputs: int = 0
) -> DrawnNode:
    """Build the card of a folded group, with its exact number of nodes.

    Args:
        index: The trace.
        names: Names of the trace's groups.
        box: The group.
        link: Mark of a group that is drawn in several places.
        outputs: Number of its outputs that have no card.
    """
    group = box.group
    assert group is not None
    lines = [*names.lines(group), *filter(None, (names.counts(group),))]
    if outputs:
        key = "drawing.more_output" if outputs == 1 else "drawing.more_outputs"
        lines.append(say(key, count=f"{outputs:,}"))
    return DrawnNode(
        id=f"g{group.key}",
        kind="folded",
        nodes=box.nodes,
        title=names.title(group),
        lines=tuple(lines),
        link=link,
        second_order=all(index.node[node].made_by is not None for node in box.nodes),
        group=group.key,
        tally=len(box.nodes),
        inside=names.inside(group),
    )


def frame_of(names: GroupNames, group: Group, parent: str) -> DrawnFrame:
    """Build the frame around an open group."""
    return DrawnFrame(
        id=f"f{group.key}",
        group=group.key,
        parent=parent,
        title=names.title(group),
        line=next(iter(names.lines(group)), ""),
    )
