"""Measures the time to paint a frame of a large graph; a separate program because it needs Qt.

The positions are synthetic (a long grid with edges to near and far nodes), because no layout engine
handles graphs of this size.
"""

from __future__ import annotations

import statistics
import sys
import time

import numpy as np

from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnNode
from gradviz.drawing.geometry.box_geometry import box_geometry
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, GraphPicture
from gradviz.viewer.theme.theme import chosen_theme
from gradviz.viewer.window_controller import make_application

WIDTH = 40
SCALES = (0.3, 0.5, 1.0)
FRAMES = 15


def picture_of(count: int) -> GraphPicture:
    """Builds a grid of ``count`` nodes with edges to the next row and some distant nodes."""
    nodes = tuple(
        DrawnNode(id=f"n{at}", kind="builtin", nodes=(at,), title=f"MulBackward{at % 7}")
        for at in range(count)
    )
    faces = tuple(box_geometry(node, measure) for node in nodes)
    places = np.array([(at % WIDTH * 190.0, at // WIDTH * 90.0) for at in range(count)])
    sizes = np.array([(face.width, face.height) for face in faces])
    ends = [(at, at + WIDTH) for at in range(count - WIDTH)]
    ends += [(at, (at * 7 + 3 * WIDTH) % count) for at in range(0, count, 10)]
    curves = tuple(
        GraphCurve(
            source=start,
            target=end,
            edge=DrawnEdge(id=f"e{number}", kind="gradient", source=f"n{start}", target=f"n{end}"),
            points=np.linspace(places[start], places[end], 4) + sizes[start] / 2,
        )
        for number, (start, end) in enumerate(ends)
    )
    return GraphPicture(
        nodes=nodes, faces=faces, boxes=np.hstack([places, sizes]), curves=curves, total=count
    )


def slowest_frames(count: int) -> list[float]:
    """Returns the seconds of each repainted frame at the slowest of several zoom levels."""
    app = make_application([])
    view = GraphView()
    view.resize(1200, 800)
    scene = GraphScene(picture_of(count), chosen_theme("light", app), lambda *_: None)
    view.show_scene(scene)
    view.show()
    app.processEvents()
    view.fit()
    frames = [_frames(view, 0.0)]
    for scale in SCALES:
        view.zoom_to(scale)
        frames.append(_frames(view, 7.0))
    view.show_scene(None)
    return max(frames, key=statistics.median)


def _frames(view: GraphView, pan: float) -> list[float]:
    times = []
    for _ in range(FRAMES):
        view.translate(pan, pan)
        start = time.perf_counter()
        view.viewport().repaint()
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    print(*slowest_frames(int(sys.argv[1])))
