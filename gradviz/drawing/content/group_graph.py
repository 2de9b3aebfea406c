"""The part of a drawing that shows the contents of one open group."""

from __future__ import annotations

from dataclasses import replace

from gradviz.drawing.content.drawn_graph import DrawnGraph


def group_graph(graph: DrawnGraph, key: str) -> DrawnGraph:
    """Cut an open group out of a drawing, with the boxes that its edges lead to.

    Args:
        graph: A drawing in which the group is open.
        key: Key of the group.

    Returns:
        The frame of the group with its contents, and the boxes around it without their frames.
        Those that are folded do not count their progress.
    """
    inside = {f"f{key}"}
    # Outer frames come first, so one pass finds all.
    inside.update(frame.id for frame in graph.frames if frame.parent in inside)
    contents = {node.id for node in graph.nodes if node.frame in inside}
    edges = [each for each in graph.edges if not contents.isdisjoint((each.source, each.target))]
    shown = contents.union(*((each.source, each.target) for each in edges))
    return replace(
        graph,
        nodes=tuple(
            node if node.id in contents else replace(node, frame="", group_progress=0)
            for node in graph.nodes
            if node.id in shown
        ),
        edges=tuple(edge if edge.head in inside else replace(edge, head="") for edge in edges),
        frames=tuple(
            frame if frame.parent in inside else replace(frame, parent="")
            for frame in graph.frames
            if frame.id in inside
        ),
    )
