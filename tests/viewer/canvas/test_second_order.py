"""The graph of gradients in the window: its frame, cut, tooltips and phases."""

from __future__ import annotations

from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.cards import cuts_with_card
from gradviz.drawing.display.edges import CUT, LINK
from gradviz.viewer.canvas.interaction.graph_legend import legend_entries
from gradviz.viewer.canvas.interaction.hover_controller import card_facts_of
from gradviz.viewer.canvas.layers.edge_layer import drawn_line
from gradviz.viewer.theme.theme import DARK, LIGHT
from gradviz.viewer.timeline.timeline_track import TimelineTrack
from tests.second_order_builder import CUBE_TENSORS, MESSAGE, cube_index, cube_trace
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import MemoryReader


def shown(driver: GraphDriver) -> GraphDriver:
    driver.state.show(MemoryReader(cube_trace(), CUBE_TENSORS))
    driver.wait()
    return driver


def test_a_cut_is_drawn_as_a_cut_at_every_step(driver: GraphDriver) -> None:
    scene = shown(driver).scene
    kinds = [curve.edge.kind for curve in scene.picture.curves]
    for theme in (LIGHT, DARK):
        driver.state.set_theme(theme)
        for number in range(1, driver.state.count + 1):
            driver.state.go_to(number)
            states = {kind: scene.edges.state(at) for at, kind in enumerate(kinds)}
            assert (states["cut"], states["made"]) == (CUT, LINK)


def test_a_cut_appears_with_the_answer(driver: GraphDriver) -> None:
    scene, state = shown(driver).scene, driver.state
    ((cut, _),) = cuts_with_card(cube_index())
    card = next(at for at, drawn in enumerate(scene.picture.nodes) if drawn.kind == "cut")

    def is_drawn() -> bool:
        drawn = scene.edges.seen(scene.sceneRect())
        kinds = {scene.picture.curves[at].edge.kind for at in drawn}
        assert {"gradient", "made"} <= kinds
        is_card = card in scene.nodes.seen(scene.sceneRect())
        assert is_card == ("cut" in kinds)
        return is_card

    assert is_drawn()
    state.go_to(cut.step - 1)
    state.set_quiz_mode()
    state.go_to(cut.step)
    assert state.revealed.hides_answer
    assert not is_drawn()
    state.set_quiz_mode(False)
    assert is_drawn()


def test_the_cut_is_marked_by_a_cross_and_not_by_color_alone(driver: GraphDriver) -> None:
    picture = shown(driver).scene.picture
    points = next(curve.points for curve in picture.curves if curve.edge.kind == "cut")
    crossed, dotted = drawn_line(points, CUT), drawn_line(points, LINK)
    first, second = crossed.dashes[-2:]
    assert (first.center() - second.center()).manhattanLength() < 0.01
    assert first.angleTo(second) in (90.0, 270.0)
    assert crossed.dashes[:-2] != dotted.dashes


def test_the_hover_card_explains_the_cut() -> None:
    index = cube_index()
    ((_, card),) = cuts_with_card(index)
    facts = card_facts_of(RevealedTrace.of_all(index), card, 5)
    assert facts.title == "× cut: gradient for x"
    assert facts.lines == (("in", "CubeBackward"), ("", MESSAGE))


def test_the_legend_explains_it_where_there_is_one(driver: GraphDriver) -> None:
    before = [entry.text for group in legend_entries(driver.scene) for entry in group]
    after = [entry.text for group in legend_entries(shown(driver).scene) for entry in group]
    for text in ("cut: no history", "no gradient can flow", "open group"):
        assert text not in before
        assert text in after


def test_the_timeline_names_the_second_order() -> None:
    track = TimelineTrack(cube_index())
    assert [track.name_of(phase) for phase in track.phases] == [
        "forward",
        "backward 1",
        "2nd order",
    ]
