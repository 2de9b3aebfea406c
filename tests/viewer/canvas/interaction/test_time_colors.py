"""Cards colored by the time of their nodes."""

from __future__ import annotations

import pytest

from gradviz.drawing.appearance.palette import PaletteRole, PaletteTheme, color, contrast
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.display.cards import HOTTEST, kind_role
from gradviz.viewer.canvas.interaction.hover_controller import card_facts_of
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import linear_reader


def heats(driver: GraphDriver) -> dict[str, float]:
    nodes = driver.scene.picture.nodes
    return {nodes[at].title: heat for at, heat in driver.scene.nodes.heats.items()}


def test_cards_have_the_color_of_their_times_only_while_it_is_wanted(driver: GraphDriver) -> None:
    assert heats(driver) == {}
    driver.actions.color_by_time.trigger()
    # Each step takes 1 µs: forward and backward of a node, but only backward of AccumulateGrad.
    assert heats(driver) == {
        "LinearFunctionBackward": 1.0,
        "SumBackward0": 1.0,
        "AccumulateGrad": pytest.approx(0.9, abs=0.001),
    }
    text = "time while recording, up to 2.00 µs"
    assert text in driver.panel.surroundings.texts
    driver.state.show(linear_reader())
    driver.wait()
    assert len(heats(driver)) == 3
    driver.actions.color_by_time.trigger()
    assert heats(driver) == {}
    assert text not in driver.panel.surroundings.texts


def test_a_node_tells_its_time(driver: GraphDriver) -> None:
    nodes = driver.scene.picture.nodes
    card = next(each for each in nodes if each.title == "SumBackward0")
    lines = dict(card_facts_of(driver.state.revealed, card, 5).lines)
    assert lines["time while recording"] == "2.00 µs"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_texts_can_be_read_on_the_strongest_color(theme: PaletteTheme) -> None:
    roles: tuple[PaletteRole, ...] = ("canvas", "forward")
    ground, ink = ([int(color(role, theme)[at : at + 2], 16) for at in (1, 3, 5)] for role in roles)
    mixed = (round(a + (b - a) * HOTTEST) for a, b in zip(ground, ink, strict=True))
    behind = "#" + "".join(f"{each:02x}" for each in mixed)
    kinds: tuple[DrawnKind, ...] = ("builtin", "custom", "accumulate", "error", "folded")
    for kind in kinds:
        assert contrast(color(kind_role(kind, "text"), theme), behind) >= 4.5
