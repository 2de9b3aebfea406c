"""The graph as a draw.io document, whose boxes can be moved and edited."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from gradviz.drawing.appearance.palette import PALETTE, PaletteRole
from gradviz.drawing.content.plain_text import label_text
from gradviz.drawing.display.cards import kind_role
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.geometry.box_geometry import SHAPES, BoxShape
from gradviz.drawing.geometry.rect import Rect

_SHAPES: dict[BoxShape, str] = {
    "chamfered": "shape=mxgraph.basic.octagon2;dx=9",
    "rounded": "rounded=1;arcSize=10",
    "card": "rounded=1",
    "pill": "rounded=1;arcSize=50",
    "stack": "shape=cube;size=4",
    "note": "shape=note;size=11",
    "stub": "rounded=0",
}
_PAGE = "1"


def drawio_document(drawing: GraphDisplay) -> str:
    """Write boxes where the layout has them, and edges that follow them; labels are plain text."""
    root = ElementTree.Element("root")
    _cell(root, id="0")
    _cell(root, id=_PAGE, parent="0")
    graph, layout = drawing.graph, drawing.layout
    frame_colors = _colors("frame_fill", "frame_border", "frame_text")
    for frame, rect in zip(graph.frames, layout.frames, strict=True):
        style = f"rounded=1;arcSize=3;verticalAlign=top;align=left;{frame_colors}"
        title = "\n".join(_texts(frame.title, frame.line))
        _box(root, frame.id, title, style, rect)
    for node in graph.nodes:
        link = "" if node.link is None else f"[{node.link}]"
        label = "\n".join(_texts(node.title, link, *node.lines, node.problem))
        dashed = ";dashed=1" if node.kind in ("link", "cut") else ""
        colors = _colors(*(kind_role(node.kind, part) for part in ("fill", "border", "text")))
        style = f"{_SHAPES[SHAPES[node.kind]]};{colors}{dashed}"
        _box(root, node.id, label, style, drawing.boxes[node.id])
    for edge in graph.edges:
        flows = edge.kind not in ("saved", "made", "cut", "dead_end")
        color = PALETTE["edge_done" if flows else "edge_link"][0]
        end = "endArrow=block" if flows else "endArrow=none;dashed=1"
        cell = _cell(
            root,
            id=edge.id,
            value="".join(_texts(*edge.labels[-1:])),
            style=f"{end};strokeColor={color};fontColor={PALETTE['edge_label'][0]}",
            edge="1",
            parent=_PAGE,
            source=edge.source,
            target=edge.target,
        )
        ElementTree.SubElement(cell, "mxGeometry", {"relative": "1", "as": "geometry"})
    file = ElementTree.Element("mxfile")
    page = ElementTree.SubElement(file, "diagram", name="gradviz")
    ElementTree.SubElement(page, "mxGraphModel").append(root)
    ElementTree.indent(file)
    return ElementTree.tostring(file, "unicode") + "\n"


def _colors(*roles: PaletteRole) -> str:
    fill, border, ink = (PALETTE[role][0] for role in roles)
    return f"fillColor={fill};strokeColor={border};fontColor={ink}"


def _texts(*lines: str) -> Iterator[str]:
    return (label_text(line) for line in lines if line)


def _box(root: ElementTree.Element, name: str, label: str, style: str, rect: Rect) -> None:
    cell = _cell(root, id=name, value=label, style=style, vertex="1", parent=_PAGE)
    place = {key: f"{getattr(rect, key):g}" for key in ("x", "y", "width", "height")}
    ElementTree.SubElement(cell, "mxGeometry", {**place, "as": "geometry"})


def _cell(root: ElementTree.Element, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(root, "mxCell", attributes)
