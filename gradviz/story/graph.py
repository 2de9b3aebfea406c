"""The graph of a run at a moment, with no more than what exists then."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property

from gradviz.analysis.index.step_queries import made_step
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.messages import say, say_count
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import BRIEF_DETAILS, DrawnGraph, DrawnNode, TooLarge
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import DONE, NOW, UNTOUCHED, GraphState
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts, hidden_graph_parts
from gradviz.drawing.display.cards import problem_mark
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.display.outlines import STACK
from gradviz.drawing.display.parts import FramePart, TensorCells, ValuePlane
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import LayoutStyle
from gradviz.drawing.graphviz.layout_engine import LayoutError, lay_out_all
from gradviz.story.blocks import Block, column, text_block
from gradviz.story.claims import Claim, claims_of, with_claim
from gradviz.story.frame import LEAST_TEXT, Drawn, at

_LARGEST = 2.4
"""Scale of a graph that has more room than it needs."""

_ROOM = 1150.0, 480.0
"""Width and height that a graph usually has on a slide, without its edge."""

_MOST_WHOLE = 6
"""Boxes of a graph whose texts can be read; of a larger one, those around the step are shown.

By their number: their sizes would tell something of values that are still hidden.
"""

_MOST_ARRANGED = 40
"""Boxes of a graph of which several arrangements are tried."""

_NOTED = replace(BRIEF_DETAILS[1], elements=True, frames=False)
_DETAILS = (_NOTED, replace(_NOTED, notes=False))
_STYLES = tuple(
    LayoutStyle(tight=True, horizontal=horizontal, saved_below=below)
    for below in (False, True)
    for horizontal in (False, True)
)

_MOST_ROWS = 2
"""Rows of a matrix in a graph; cells of more are too flat to be read, and make all texts small."""

_CLAIM, _NOTE_GAP = 24.0, 6.0
"""Size of a sentence about what is wrong, and the gap above a line below a graph."""

_EDGE = 8.0
"""Around the boxes, for marks and halos."""


class StoryGraph(GraphDisplay):
    """The graph of a run, or some of its boxes, laid out once for all moments.

    Attributes:
        claims: What is said to be wrong with its boxes, by id.
    """

    def __init__(
        self,
        index: TraceIndex,
        graph: DrawnGraph,
        claims: dict[str, Claim],
        faces: GraphGeometry,
        layout: GraphLayout,
    ) -> None:
        """Draw the elements of small tensors too."""
        super().__init__(index, graph, faces, layout)
        self.claims = claims

    @cached_property
    def made(self) -> dict[str, int]:
        """The step from which on each box exists, by id."""
        made = {node.id: self._made(node) for node in self.graph.nodes}
        links = {node.id for node in self.graph.nodes if node.kind == "link"}
        # A further use of a node exists with what uses it.
        uses = {each.target: made[each.source] for each in self.graph.edges if each.target in links}
        return made | uses

    def _made(self, node: DrawnNode) -> int:
        return min((made_step(self.index, each) for each in node.nodes), default=0)

    def space_of(self, box: str) -> Rect:
        """The area of a box, including the second sheet that is drawn behind a stack of nodes."""
        rect = self.boxes[box]
        behind = STACK if self._faces[box].shape == "stack" else 0.0
        return replace(
            rect, y=rect.y - behind, width=rect.width + behind, height=rect.height + behind
        )

    def part(self, shown: frozenset[str]) -> StoryGraph:
        """Some of its boxes, close together; laid out once for each set of them.

        A box and further uses of its node become one box.

        Raises:
            LayoutError: If the layout failed.
        """
        if shown not in self._parts:
            some = [each for each in self.graph.nodes if each.id in shown]
            homes: dict[int | None, str] = {
                each.link: each.id for each in some if each.kind != "link" and each.link is not None
            }
            boxes = {each.id: homes.get(each.link, each.id) for each in some}
            nodes = tuple([each for each in some if boxes[each.id] == each.id])
            edges = tuple(
                [
                    replace(each, source=boxes[each.source], target=boxes[each.target])
                    for each in self.graph.edges
                    if {each.source, each.target} <= shown
                ]
            )
            graph = replace(self.graph, nodes=nodes, edges=edges)
            self._parts[shown] = _laid_out(self.index, graph, self.claims)
        return self._parts[shown]

    @cached_property
    def _parts(self) -> dict[frozenset[str], StoryGraph]:
        return {}


def story_graph(index: TraceIndex) -> StoryGraph | str:
    """Lay out the graph of a run in the most detail that can be read, or say why there is none."""
    drawings = []
    for detail in _DETAILS:
        graph = drawn_graph(index, detail=detail)
        if isinstance(graph, TooLarge):
            return graph.sentence
        if not graph.nodes:
            return say("export.no_graph")
        drawings.append(_simplified(graph))
    fitting = (each for each in drawings if len(each.nodes) <= _MOST_WHOLE)
    graph = next(fitting, drawings[-1])
    claims = claims_of(index, graph.nodes)
    nodes = tuple([with_claim(each, claims.get(each.id)) for each in graph.nodes])
    try:
        return _laid_out(index, replace(graph, nodes=nodes), claims)
    except LayoutError as error:
        return str(error)


def _simplified(graph: DrawnGraph) -> DrawnGraph:
    """A graph without frames, whose matrices can be read; the others have their own pictures."""

    def is_low(grid: ElementGrid | None) -> bool:
        return grid is not None and grid.rows <= _MOST_ROWS

    nodes = [
        replace(each, frame="", thumbnail=each.thumbnail if is_low(each.thumbnail) else None)
        for each in graph.nodes
    ]
    edges = [
        replace(each, head="", gradients=tuple(filter(is_low, each.gradients)))
        for each in graph.edges
    ]
    # Frames would reach to boxes that are not there yet, and over the sentence of the step.
    return replace(graph, nodes=tuple(nodes), edges=tuple(edges), frames=())


def _laid_out(index: TraceIndex, graph: DrawnGraph, claims: dict[str, Claim]) -> StoryGraph:
    faces = graph_geometry(graph, font_measure())
    # Of a large graph, one arrangement takes long enough.
    styles = _STYLES if len(graph.nodes) <= _MOST_ARRANGED else _STYLES[:1]
    layouts = lay_out_all([(graph, faces, style) for style in styles])
    layout = max(layouts, key=lambda each: min(_ROOM[0] / each.width, _ROOM[1] / each.height))
    return StoryGraph(index, graph, claims, faces, layout)


def graph_block(
    drawing: StoryGraph, number: int, revealed: RevealedTrace, room: tuple[float, float]
) -> Block:
    """Draw the boxes that exist at a step, and the edges between them.

    If the texts of all of them would be too small, only those around the step are drawn.

    Args:
        drawing: The graph.
        number: Number of the step.
        revealed: What may be shown.
        room: Width and height in which the texts should be large enough.
    """
    whole, hidden = drawing, _moment(drawing, number, revealed)[1]
    existing = {each.id for each in whole.graph.nodes} - hidden.absent_ids
    claims = _claims(whole, number, revealed)
    shown = _around(whole, _moment(whole, number, revealed)[0], existing)
    # Those of a small graph keep their places, while others are made around them.
    is_part = shown != existing or len(whole.graph.nodes) > 2 * _MOST_WHOLE
    drawing = whole.part(frozenset(shown)) if is_part else whole
    state, hidden = _moment(drawing, number, revealed)
    marked = {box: claims[box] for box in claims.keys() & shown}
    notes = [*_notes(marked.values(), len(existing) - len(shown))]
    bounds = _bounds(drawing, state, shown & drawing.boxes.keys())
    high = room[1] - sum(each.height + _NOTE_GAP for each in notes)
    scale = min(_LARGEST, room[0] / bounds.width, high / bounds.height)
    drawn: list[Drawn] = []
    for group in drawing.at(state, hidden):
        drawn += _objects(f"graph:{group.name}", group.parts)
    for box, claim in marked.items():
        area = drawing.boxes[box]
        mark = problem_mark(claim.mark, claim.colors, area, font_measure(), brief=True)
        shapes = tuple([each for each in mark.parts if not isinstance(each, TensorCells)])
        drawn.append(Drawn(key=f"graph:claim:{box}", parts=shapes))
    block = Block(
        width=bounds.width * scale,
        height=bounds.height * scale,
        drawn=at((-bounds.x * scale, -bounds.y * scale), drawn, scale),
        middle=bounds.height * scale / 2,
    )
    return column((block, *notes), _NOTE_GAP) if notes else block


def _claims(drawing: StoryGraph, number: int, revealed: RevealedTrace) -> dict[str, Claim]:
    """What may be said to be wrong at a step: nothing that gives an answer away."""
    known = {} if revealed.hides_answer else drawing.claims
    return {box: claim for box, claim in known.items() if claim.since <= number}


def _notes(claims: Iterable[Claim], more: int) -> Iterator[Block]:
    """The lines below a graph: what is wrong, and how many boxes are not shown."""
    inks = {each.sentence: each.colors[0] for each in claims if each.sentence}
    for sentence, ink in inks.items():
        yield text_block(sentence, _CLAIM, key=f"graph:{sentence}", style="label", ink=ink)
    if more:
        note = say_count("story.more_boxes", more)
        yield text_block(note, LEAST_TEXT, key="graph:more", ink="text_muted")


def _moment(
    drawing: StoryGraph, number: int, revealed: RevealedTrace
) -> tuple[GraphState, HiddenGraphParts]:
    """The state of the boxes at a step, and what of them may not be shown."""
    nodes = drawing.graph.nodes
    hidden = hidden_graph_parts(revealed, nodes)
    later = frozenset(at for at, node in enumerate(nodes) if drawing.made[node.id] > number)
    later_ids = {nodes[at].id for at in later}
    unseen = {each.id for each in nodes if each.problem and each.problem_since > number}
    # Those are drawn with the evidence.
    unseen |= drawing.claims.keys()
    hidden = replace(
        hidden,
        absent=hidden.absent | later,
        absent_ids=hidden.absent_ids | later_ids,
        unmarked_ids=hidden.unmarked_ids | unseen | later_ids,
    )
    asked = revealed.hides_answer
    states = graph_states(drawing.index, drawing.graph, (number,), answer_hidden=asked)
    return next(states), hidden


def _around(drawing: StoryGraph, state: GraphState, existing: set[str]) -> set[str]:
    """The boxes that are shown: all, or of many the current ones and those of their pass around."""
    if len(existing) <= _MOST_WHOLE:
        return existing
    boxes = [
        (node, box)
        for node, box in zip(drawing.graph.nodes, state.boxes, strict=True)
        if node.id in existing
    ]
    reached = {
        end
        for each, edge in zip(drawing.graph.edges, state.edges, strict=True)
        if edge in (DONE, NOW)
        for end in (each.source, each.target)
    }
    taking_part = {node.id for node, box in boxes if box != UNTOUCHED or node.id in reached}
    taking_part = taking_part or existing
    now = {node.id for node, box in boxes if box == NOW}
    links = {node.link for node, _ in boxes if node.id in now} - {None}
    # A node that is drawn in several places is current in each, and its pass has reached one.
    found = (now | {node.id for node, _ in boxes if node.link in links}) & taking_part
    if not found:
        # At the end of a pass: all that it has executed, or the Functions that the run is about.
        done = [node for node, box in boxes if box == DONE]
        custom = [each for each in done if each.kind == "custom"]
        latest = [max((node for node, _ in boxes), key=lambda node: drawing.made[node.id])]
        choices = (
            each
            for each in (done, custom)
            if 0 < len({x.link or x.id for x in each}) <= _MOST_WHOLE
        )
        found = {each.id for each in next(choices, latest)}
    start = found
    while found != taking_part:
        touched = [
            each for each in drawing.graph.edges if not found.isdisjoint((each.source, each.target))
        ]
        wider = found.union(*((each.source, each.target) for each in touched)) & taking_part
        # One box alone would say nothing.
        if wider == found or (found != start and len(wider) > _MOST_WHOLE):
            break
        found = wider
    return found


def _bounds(drawing: StoryGraph, state: GraphState, shown: Set[str]) -> Rect:
    """What some boxes and the labels between them cover."""
    labels = {drawing.graph.edges[place].id for place in state.labels}
    rects = [drawing.space_of(each) for each in shown]
    rects += [
        drawing.labels[each.id]
        for each in drawing.graph.edges
        if each.id in labels and {each.source, each.target} <= shown
    ]
    if not rects:
        return Rect(x=0, y=0, width=1, height=1)
    x, y = min(each.x for each in rects), min(each.y for each in rects)
    right, bottom = max(each.right for each in rects), max(each.bottom for each in rects)
    return Rect(x=x, y=y, width=right - x, height=bottom - y).grown(_EDGE)


def _objects(key: str, parts: Sequence[FramePart]) -> Iterator[Drawn]:
    """A group without its tensors, and each of these, which comes out of its large matrix."""
    if kept := tuple(each for each in parts if not isinstance(each, ValuePlane)):
        yield Drawn(key=key, parts=kept)
    for number, part in enumerate(each for each in parts if isinstance(each, ValuePlane)):
        plane = replace(part, rect=replace(part.rect, x=0, y=0))
        x, y, source = part.rect.x, part.rect.y, f"v{part.tensor}:0"
        yield Drawn(key=f"{key}:{number}", parts=(plane,), x=x, y=y, source=source)
