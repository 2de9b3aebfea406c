"""Groups of a transformer and a ResNet: opened, folded, searched and stepped through."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import pytest
from msgspec import structs
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.model.finding import Finding
from gradviz.viewer.canvas.layout.animation_clock import LayoutTransition
from gradviz.viewer.widgets.layouts import lay_out
from tests.drawing.graphs import chain, layered, residual_net, with_backward
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import MemoryReader
from tests.viewer.view_requests import requests_of

LEFT = Qt.MouseButton.LeftButton


def show(driver: GraphDriver, index: TraceIndex) -> TraceIndex:
    driver.state.show(MemoryReader(index.trace, ()))
    driver.wait()
    shown = driver.state.index
    assert shown is not None
    return shown


def enlarge(driver: GraphDriver) -> None:
    """Make the panel high enough for all layers."""
    driver.panel.resize(1000, 2400)
    driver.wait()


@pytest.fixture
def transformer(driver: GraphDriver) -> GraphDriver:
    enlarge(driver)
    show(driver, with_backward(layered(20)))
    return driver


def test_the_bar_above_a_graph_does_not_lead_to_another_layout(driver: GraphDriver) -> None:
    # The legend takes space from the graph, which is then laid out again.
    driver.state.preferences.legend = False
    index = show(driver, with_backward(layered(20)))
    bar = driver.panel.crumbs
    assert bar.isVisible()
    driver.state.show(None)
    assert not bar.isVisible()
    counts: list[int] = []
    driver.panel.arranger.began.connect(counts.append)
    show(driver, index)
    assert bar.isVisible()
    assert len(counts) == 1
    # Until it is laid out, the next graph has no bar.
    show(driver, with_backward(layered(24)))
    assert bar.isVisible()
    assert len(counts) == 2
    driver.panel.resize(640, 640)
    driver.wait()
    assert len(counts) == 3


def test_a_message_above_a_graph_does_not_lead_to_another_layout(driver: GraphDriver) -> None:
    parent, message = QWidget(), QWidget()
    driver.qtbot.addWidget(parent)
    message.setFixedHeight(37)
    lay_out(QVBoxLayout(parent), message, (driver.panel, 1), gap=0)
    driver.panel.place_below_messages(driver.panel)
    parent.resize(900, 640)
    parent.show()
    driver.wait()
    counts: list[int] = []
    driver.panel.arranger.began.connect(counts.append)
    for shown in (False, True):
        with driver.qtbot.waitSignal(driver.panel.view.resized):
            message.setVisible(shown)
        driver.wait()
    assert counts == []
    # A long one leaves so little that the graph would no longer be readable.
    message.setFixedHeight(200)
    driver.qtbot.waitUntil(lambda: len(counts) == 1)
    driver.wait()
    driver.panel.setParent(None)


def titles(driver: GraphDriver) -> list[str]:
    return [node.title for node in driver.scene.picture.nodes if node.group]


def frames(driver: GraphDriver) -> list[str]:
    return [frame.drawn.title for frame in driver.scene.picture.frames]


def card(driver: GraphDriver, title: str) -> int:
    nodes = driver.scene.picture.nodes
    return next(at for at, node in enumerate(nodes) if node.title == title)


def place_of(driver: GraphDriver, title: str) -> QPoint:
    driver.panel.view.centre_card(card(driver, title))
    return driver.panel.view.card_rect(card(driver, title)).center().toPoint()


def double_click(driver: GraphDriver, place: QPoint) -> None:
    viewport = driver.panel.view.viewport()
    driver.qtbot.mouseClick(viewport, LEFT, pos=place)
    driver.qtbot.mouseDClick(viewport, LEFT, pos=place)
    driver.wait()


def frame(driver: GraphDriver, title: str) -> QRectF:
    """The position of a frame in the viewport."""
    (found,) = [each for each in driver.scene.picture.frames if each.drawn.title == title]
    return QRectF(driver.panel.view.mapFromScene(QRectF(*found.box)).boundingRect())


def sign(driver: GraphDriver, title: str) -> QPoint:
    (found,) = [each for each in driver.scene.picture.frames if each.drawn.title == title]
    return driver.panel.view.mapFromScene(found.sign.center())


def crumbs(driver: GraphDriver) -> list[str]:
    return [button.text() for button in driver.panel.crumbs.buttons]


def test_layers_are_folded_at_first_and_the_model_is_open(transformer: GraphDriver) -> None:
    assert frames(transformer) == ["Net", "layers.0–19", "head"]
    assert titles(transformer) == [f"layers.{n}" for n in range(20)]
    assert transformer.panel.strip.facts.text().startswith("127 nodes · 120 in closed groups")


def test_a_space_that_is_too_small_for_all_layers_shows_them_as_one_box(
    driver: GraphDriver,
) -> None:
    show(driver, with_backward(layered(20)))
    view = driver.panel.view
    assert view.is_fitted
    assert view.scale_factor >= 1.0
    assert frames(driver) == ["Net", "head"]
    (layers,) = [node for node in driver.scene.picture.nodes if node.group]
    assert layers.title == "layers.0–19"
    # A larger window shows more, and a smaller one what it did before.
    enlarge(driver)
    assert "layers.0–19" in frames(driver)
    driver.panel.resize(900, 640)
    driver.wait()
    assert titles(driver) == ["layers.0–19"]


def test_a_closed_group_says_where_in_it_the_step_is(driver: GraphDriver) -> None:
    index = show(driver, with_backward(layered(20)))
    node = [n for n in index.node if index.node[n].name == "AddmmBackward0"][13]
    driver.state.go_to(index.visits[node][0])
    layers = card(driver, "layers.0–19")
    assert driver.scene.place.marks == {layers: "13.linear"}
    driver.state.go_to(index.passes[0].first)
    assert driver.scene.place.marks == {}


def test_opening_a_group_leaves_the_others_as_they_are(driver: GraphDriver) -> None:
    show(driver, with_backward(layered(20)))
    before = frames(driver)
    double_click(driver, place_of(driver, "layers.0–19"))
    assert [each for each in frames(driver) if each != "layers.0–19"] == before
    assert titles(driver) == [f"layers.{n}" for n in range(20)]
    driver.actions.fold_all.trigger()
    driver.wait()
    assert frames(driver) == before


def test_a_double_click_opens_a_group_and_one_on_its_title_closes_it(
    transformer: GraphDriver,
) -> None:
    double_click(transformer, place_of(transformer, "layers.3"))
    assert "layers.3" in frames(transformer)
    assert titles(transformer).count("layers.3") == 0
    assert "layers.3.linear" in titles(transformer)
    bar = frame(transformer, "layers.3").topRight() + QPointF(-12, 8)
    double_click(transformer, bar.toPoint())
    assert "layers.3" in titles(transformer)


def test_one_click_on_the_sign_of_a_frame_closes_it(transformer: GraphDriver) -> None:
    double_click(transformer, place_of(transformer, "layers.3"))
    driver, viewport = transformer, transformer.panel.view.viewport()
    driver.qtbot.mouseMove(viewport, sign(driver, "layers.3"))
    driver.qtbot.mouseClick(viewport, LEFT, pos=sign(driver, "layers.3"))
    driver.wait()
    assert "layers.3" in titles(driver)
    assert driver.state.selection is not None


def test_what_opens_stays_where_it_was_and_the_rest_gets_out_of_its_way(
    transformer: GraphDriver,
) -> None:
    place = place_of(transformer, "layers.7")
    scale = transformer.panel.view.scale_factor
    double_click(transformer, place)
    opened = frame(transformer, "layers.7")
    assert transformer.panel.view.scale_factor == scale
    assert opened.contains(place)
    transformer.state.close_group(next(iter(transformer.state.folds.opened)))
    transformer.wait()
    closed = transformer.panel.view.card_rect(card(transformer, "layers.7"))
    assert opened.contains(closed.center())


def test_enter_opens_the_selected_group_and_commands_close_and_open_it(
    transformer: GraphDriver,
) -> None:
    driver, view = transformer, transformer.panel.view
    driver.qtbot.mouseClick(view.viewport(), LEFT, pos=place_of(driver, "layers.5"))
    driver.qtbot.keyClick(view, Qt.Key.Key_Return)
    driver.wait()
    assert "layers.5" in frames(driver)
    driver.actions.close_group.trigger()
    driver.wait()
    assert "layers.5" in titles(driver)
    driver.actions.open_group.trigger()
    driver.wait()
    assert "layers.5" in frames(driver)


def test_what_holds_the_step_opens_level_by_level(transformer: GraphDriver) -> None:
    index = transformer.state.index
    assert index is not None
    node = next(n for n in index.node if index.node[n].name == "TBackward0")
    transformer.state.go_to(index.visits[node][0])
    seen = []
    while transformer.actions.open_group.isEnabled():
        transformer.actions.open_group.trigger()
        transformer.wait()
        seen.append(frames(transformer)[-1])
    assert seen == ["layers.0", "layers.0.linear"]
    now = transformer.scene.cards_now
    assert [transformer.scene.picture.nodes[at].title for at in now] == ["TBackward0"]
    while transformer.actions.close_group.isEnabled():
        transformer.actions.close_group.trigger()
        transformer.wait()
    assert (frames(transformer), titles(transformer)) == ([], ["Net"])


def test_commands_are_there_only_where_they_do_something(driver: GraphDriver) -> None:
    assert not driver.actions.open_group.isEnabled()
    assert not driver.actions.close_group.isEnabled()
    assert not driver.actions.fold_all.isEnabled()
    assert driver.panel.crumbs.isHidden()
    show(driver, layered(20))
    driver.state.select(5)
    assert driver.actions.open_group.isEnabled()
    assert driver.actions.close_group.isEnabled()
    assert not driver.panel.crumbs.isHidden()


def test_stepping_shows_the_group_as_now_and_counts_but_does_not_open_it(
    transformer: GraphDriver,
) -> None:
    index = transformer.state.index
    assert index is not None
    seen: dict[str, list[str]] = {}
    for number in range(1, transformer.state.count + 1):
        transformer.state.go_to(number)
        now = transformer.scene.cards_now
        names = [transformer.scene.picture.nodes[at].title for at in now]
        steps = index.trace.steps[number - 1]
        if getattr(steps, "node", None) is not None:
            assert len(names) == 1
            seen.setdefault(names[0], []).append(
                transformer.scene.group_progresses.marks.get(now[0], "")
            )
    assert len(frames(transformer)) == 3
    made = [f"{done} of 6 created" for done in (2, 4, 5, 6)]
    executed = [f"{done} of 6 done" for done in range(6)]
    assert seen["layers.4"] == made + executed


def test_a_requested_node_is_revealed_selected_and_visible(transformer: GraphDriver) -> None:
    index = transformer.state.index
    assert index is not None
    node = [n for n in index.node if index.node[n].name == "AddmmBackward0"][13]
    requests_of(transformer.state).show_node(node)
    transformer.wait()
    assert frames(transformer)[-2:] == ["layers.13", "layers.13.linear"]
    assert transformer.state.selection == node
    box = transformer.panel.stage.box_of(node)
    assert box is not None
    view = transformer.panel.view
    assert view.viewport().rect().toRectF().contains(view.card_rect(box))


def test_a_node_requested_before_the_layout_is_found_too(driver: GraphDriver) -> None:
    index = layered(20)
    driver.state.show(MemoryReader(index.trace, ()))
    requests_of(driver.state).show_node(10)
    driver.wait()
    assert frames(driver)[-2:] == ["layers.1", "layers.1.linear"]


def test_crumbs_lead_in_and_out(transformer: GraphDriver) -> None:
    requests_of(transformer.state).show_node(10)
    transformer.wait()
    assert crumbs(transformer) == ["Graph", "Net", "layers.0–19", "layers.1", "linear"]
    shown = tuple(transformer.panel.crumbs.buttons)
    press(transformer, "layers.0–19")
    assert "layers.1" in titles(transformer)
    assert crumbs(transformer) == ["Graph", "Net", "layers.0–19", "layers.1"]
    # Creating buttons at each step is slow.
    assert tuple(transformer.panel.crumbs.buttons) == shown[:4]
    press(transformer, "layers.1")
    assert "layers.1" in frames(transformer)


def press(driver: GraphDriver, name: str) -> None:
    button = driver.panel.crumbs.buttons[crumbs(driver).index(name)]
    assert button.focusPolicy() == Qt.FocusPolicy.StrongFocus
    assert button.accessibleName()
    driver.qtbot.keyClick(button, Qt.Key.Key_Space)
    driver.wait()


def test_breadcrumbs_fit_in_a_narrow_panel(transformer: GraphDriver) -> None:
    requests_of(transformer.state).show_node(10)
    transformer.wait()
    crumbs = transformer.panel.crumbs
    whole = sum(button.sizeHint().width() for button in crumbs.buttons)
    crumbs.resize(round(0.8 * whole), crumbs.height())
    crumbs.layout().activate()
    shown = [button for button in crumbs.buttons if not button.isHidden()]
    assert shown[0] is crumbs.buttons[0]
    assert shown[-1] is crumbs.buttons[-1]
    assert 2 < len(shown) < len(crumbs.buttons)
    assert all(button.geometry().right() <= crumbs.width() for button in shown)


def test_all_groups_close_at_once(transformer: GraphDriver) -> None:
    transformer.state.open_groups(["m5", "m8"])
    transformer.state.close_group("m2")
    transformer.wait()
    transformer.actions.fold_all.trigger()
    transformer.wait()
    assert transformer.state.folds == FoldState()
    assert frames(transformer) == ["Net", "layers.0–19", "head"]


def test_boxes_move_and_come_to_rest(transformer: GraphDriver) -> None:
    moves: list[Callable[[float], None]] = []
    transformer.panel.motion.clock.play = lambda move, ms=0: moves.append(move)
    transformer.state.open_groups(["m5"])
    transformer.wait()
    (move,) = moves
    move(0.0)
    scene = transformer.scene
    assert scene.nodes.opacity == 0.0
    assert isinstance(scene.transition, LayoutTransition)
    move(1.0)
    assert {item.opacity for item in scene.items_by_height} == {1.0}
    assert scene.transition is None


def test_a_group_that_contains_a_problem_shows_it(driver: GraphDriver) -> None:
    index = layered(40)
    many = [
        Finding(id=n, code="x", severity="warning", message="m", step=None, node=node)
        for n, node in enumerate(list(index.node)[40::6], 1)
    ]
    shown = show(driver, with_findings(index, many))
    marked = {at for at, word in driver.scene.node_problems.marks.items() if word == "warning"}
    nodes = driver.scene.picture.nodes
    wanted = {finding.node for finding in many}
    assert marked == {at for at, node in enumerate(nodes) if not wanted.isdisjoint(node.nodes)}
    assert any(nodes[at].group for at in marked)
    assert shown.trace.findings


def with_findings(index: TraceIndex, findings: list[Finding]) -> TraceIndex:
    return index_trace(structs.replace(index.trace, findings=tuple(findings)))


def test_a_residual_net_is_opened_block_by_block(driver: GraphDriver) -> None:
    enlarge(driver)
    show(driver, with_backward(residual_net(12)))
    assert titles(driver) == [str(number) for number in range(4, 16)]
    assert "4–15" in frames(driver)
    double_click(driver, place_of(driver, "8"))
    assert [title for title in titles(driver) if title.startswith("8.")] == [
        "8.shortcut.0",
        "8.shortcut.1",
        *(f"8.convolutions.{n}.{m}" for n in range(3) for m in range(2)),
    ]
    driver.state.last_step()
    assert driver.scene.group_progresses.marks[card(driver, "9")] == "19 of 19 done"


def test_a_group_that_cannot_be_opened_leaves_the_picture_as_it_was(driver: GraphDriver) -> None:
    index = show(driver, chain(10_001))
    before = [node.id for node in driver.scene.picture.nodes]
    hierarchy = driver.panel.arranger.hierarchy
    assert hierarchy is not None
    driver.state.open_groups(hierarchy.groups_by_key)
    driver.wait()
    assert "at most 1,500 can be drawn" in driver.panel.notice.text
    driver.qtbot.mouseClick(driver.panel.notice.button, LEFT)
    driver.wait()
    assert [node.id for node in driver.scene.picture.nodes] == before
    assert driver.panel.view.isVisible()
    assert driver.state.folds == FoldState()
    assert driver.state.index is index


def test_opening_can_be_cancelled(
    transformer: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, panel = titles(transformer), transformer.panel
    begun: list[int] = []
    panel.arranger.began.connect(begun.append)

    def slow(*_: object, cancelled: Callable[[], bool]) -> list[GraphLayout]:
        while not cancelled():
            time.sleep(0.01)
        raise LayoutError("cancelled")

    monkeypatch.setattr("gradviz.viewer.canvas.layout.graph_arranger.lay_out_all", slow)
    transformer.state.open_groups(["m5"])
    transformer.qtbot.waitUntil(lambda: panel.notice.isVisible())
    assert "Laying out" in panel.notice.text
    transformer.qtbot.mouseClick(panel.notice.button, LEFT)
    transformer.wait()
    assert begun
    assert titles(transformer) == before
    assert transformer.state.folds == FoldState()
    assert panel.view.isVisible()


def test_a_folded_group_is_selected_by_where_the_run_comes_into_it(
    transformer: GraphDriver,
) -> None:
    index = transformer.state.index
    assert index is not None
    group = transformer.scene.picture.nodes[card(transformer, "layers.4")]
    transformer.panel.view.card_clicked.emit(card(transformer, "layers.4"))
    first = transformer.state.selection
    assert first is not None
    assert index.node[first].name == "TBackward0"
    transformer.state.go_to(index.passes[0].first)
    transformer.panel.view.card_clicked.emit(card(transformer, "layers.4"))
    last = transformer.state.selection
    assert last is not None
    assert index.node[last].name == "AddBackward0"
    middle = group.nodes[2]
    transformer.state.go_to(index.visits[middle][0])
    transformer.panel.view.card_clicked.emit(card(transformer, "layers.4"))
    assert transformer.state.selection == middle


def test_a_selected_group_is_described_with_all_that_is_seen_of_it(driver: GraphDriver) -> None:
    index = with_backward(layered(40))
    finding = Finding(id=1, code="x", severity="warning", message="m", step=None, node=100)
    show(driver, with_findings(index, [finding]))
    driver.state.close_group(next(g.key for g in hierarchy_of(index).around(100)[:1]))
    driver.wait()
    driver.state.select(100)
    assert driver.panel.view.accessibleDescription() == ("Net, 2 of 246 created, warning")


def test_tab_leads_from_the_crumbs_to_the_graph(transformer: GraphDriver) -> None:
    requests_of(transformer.state).show_node(10)
    transformer.wait()
    buttons, view = transformer.panel.crumbs.buttons, transformer.panel.view
    for button, follower in itertools.pairwise([*buttons, view]):
        assert next_stop(button) is follower


def next_stop(widget: QWidget) -> QWidget:
    found = widget.nextInFocusChain()
    while not found.focusPolicy() & Qt.FocusPolicy.TabFocus or found.isHidden():
        found = found.nextInFocusChain()
    return found


def test_the_focus_does_not_get_lost_when_crumbs_change(transformer: GraphDriver) -> None:
    requests_of(transformer.state).show_node(10)
    transformer.wait()
    transformer.panel.activateWindow()
    transformer.panel.crumbs.buttons[2].setFocus()
    transformer.state.select(None)
    assert transformer.panel.crumbs.buttons[-1].hasFocus()
    press(transformer, "Net")
    assert transformer.panel.view.hasFocus()
