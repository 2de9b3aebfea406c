"""What a graph shows from one step to the next."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import hidden_graph_parts
from gradviz.drawing.display.graph_display import DisplayGroup
from gradviz.drawing.display.parts import ValuePlane
from gradviz.export.graph.svg import laid_out_graph
from tests.builders import LINEAR_TENSORS, linear_trace

VALUES = {record.id: value for record, value in LINEAR_TENSORS}
INDEX = index_trace(linear_trace(), VALUES.get)
DRAWING = laid_out_graph(INDEX)
LAST = len(INDEX.trace.steps)


def shown(number: int, revealed: RevealedTrace | None = None) -> list[DisplayGroup]:
    """What is shown at a step."""
    (state,) = graph_states(INDEX, DRAWING.graph, (number,))
    hidden = hidden_graph_parts(revealed or RevealedTrace.of_all(INDEX), DRAWING.graph.nodes)
    return [*DRAWING.at(state, hidden)]


def test_each_part_keeps_its_name_and_what_does_not_change_stays_the_same_object() -> None:
    names = [*DRAWING.names()]
    assert len(set(names)) == len(names)
    before, after = (shown(number) for number in (4, 5))
    for groups in (before, after):
        found = [each.name for each in groups]
        # The current edges are above the others.
        boxes = [name for name in found if name in {node.id for node in DRAWING.graph.nodes}]
        assert len(set(found)) == len(found)
        assert set(found) <= set(names)
        assert boxes == [name for name in names if name in boxes]
    kept = {each.name: each for each in before}
    looks = {
        each.name: (each.parts == kept[each.name].parts, each is kept[each.name])
        for each in after
        if each.name in kept
    }
    assert {same for same, _ in looks.values()} == {True, False}
    assert all(same == is_kept for same, is_kept in looks.values())


def test_hidden_elements_are_left_out_and_do_not_set_the_color_scale() -> None:
    def cells(groups: list[DisplayGroup]) -> dict[int | None, float | None]:
        parts = (part for each in groups for part in each.parts)
        return {part.tensor: part.limit for part in parts if isinstance(part, ValuePlane)}

    asked = RevealedTrace.before_answer(INDEX, 5)
    everything, others = cells(shown(LAST)), cells(shown(LAST, asked))
    assert None not in everything.values()
    assert set(others.values()) == {None}
    hidden = everything.keys() & asked.hidden_tensors
    assert hidden
    assert others.keys() == everything.keys() - hidden
