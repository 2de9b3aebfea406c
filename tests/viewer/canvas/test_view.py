"""Zoom, pan, hit tests and levels of detail, on a graph with given positions."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QInputDevice, QPainter, QPointingDevice, QWheelEvent
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.node_times import Times
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.text_styles import FONTS, TextStyle
from gradviz.drawing.content.drawn_graph import BRIEF_DETAILS, DrawnEdge, DrawnNode
from gradviz.drawing.content.graph_progress import DONE, NOW, UNTOUCHED, GraphState
from gradviz.drawing.geometry.box_geometry import SHAPES, box_geometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.interaction.graph_controller import neighbor_in
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layers.layer import CanvasItem, box_at, touching
from gradviz.viewer.canvas.layout import graph_arranger
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, GraphPicture
from gradviz.viewer.canvas.layout.view_placement import find_center, middle_of
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.traces import linear_reader


def picture_of_grid(columns: int, rows: int) -> GraphPicture:
    nodes, faces, boxes = [], [], []
    for number in range(columns * rows):
        row, column = divmod(number, columns)
        kind = list(SHAPES)[number % len(SHAPES)]
        node = DrawnNode(id=f"n{number}", kind=kind, nodes=(number,), title=f"Node{number}")
        face = box_geometry(node, measure)
        nodes.append(node)
        faces.append(face)
        boxes.append((column * 200.0, row * 100.0, face.width, face.height))
    curves = []
    for number in range(columns, columns * rows):
        ends = np.array([boxes[number][:2], boxes[number - columns][:2]]) + np.array([20.0, 0.0])
        points = np.array([ends[0], ends[0] - (0, 30), ends[1] + (0, 60), ends[1] + (0, 30)])
        edge = DrawnEdge(
            id=f"e{number}", kind="gradient", source=f"n{number}", target=f"n{number - columns}"
        )
        curves.append(GraphCurve(source=number, target=number - columns, edge=edge, points=points))
    return GraphPicture(
        nodes=tuple(nodes), faces=tuple(faces), boxes=np.array(boxes), curves=tuple(curves)
    )


def no_tensor(painter: QPainter, space: QRectF, tensor: int) -> None:
    raise AssertionError("no node of this picture has a thumbnail")


@pytest.fixture
def view(qtbot: QtBot) -> GraphView:
    view = GraphView()
    qtbot.addWidget(view)
    view.resize(800, 600)
    view.show()
    view.scene_kept = GraphScene(picture_of_grid(6, 5), LIGHT, no_tensor)
    view.show_scene(view.scene_kept)
    return view


def test_a_problem_and_an_order_of_derivative_are_both_marked() -> None:
    detail = next(each for each in BRIEF_DETAILS if not each.frames)
    node = DrawnNode(id="n", kind="builtin", nodes=(1,), title="Mul", problem="warning", order=2)
    face = box_geometry(node, measure, detail)
    boxes = np.array([[0.0, 0.0, face.width, face.height]])
    picture = GraphPicture(nodes=(node,), faces=(face,), boxes=boxes, curves=(), detail=detail)
    scene = GraphScene(picture, LIGHT, no_tensor)
    assert (scene.orders.marks, scene.node_problems.marks) == ({0: 2}, {0: "warning"})
    order, problem = scene.orders.rect(0), scene.node_problems.rect(0)
    assert order.right() < problem.left()
    # The progress mark is at the right corner.
    assert problem.right() < face.width - 8


NO_KEYS, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
NO_PHASE, MOVING = Qt.ScrollPhase.NoScrollPhase, Qt.ScrollPhase.ScrollUpdate
TOUCHPAD = QPointingDevice(
    "a touchpad",
    7,
    QInputDevice.DeviceType.TouchPad,
    QPointingDevice.PointerType.Finger,
    QInputDevice.Capability.Scroll | QInputDevice.Capability.PixelScroll,
    2,
    0,
)


def scroll(
    view: GraphView,
    place: QPoint,
    pixels: QPoint,
    angle: QPoint,
    keys: Qt.KeyboardModifier = NO_KEYS,
    phase: Qt.ScrollPhase = NO_PHASE,
    device: QPointingDevice | None = None,
) -> None:
    view.wheelEvent(
        QWheelEvent(
            QPointF(place),
            QPointF(view.mapToGlobal(place)),
            pixels,
            angle,
            Qt.MouseButton.NoButton,
            keys,
            phase,
            False,
            device=device or QPointingDevice.primaryPointingDevice(),
        )
    )


def wheel(view: GraphView, place: QPoint, notches: int) -> None:
    scroll(view, place, QPoint(), QPoint(0, 120 * notches))


@pytest.mark.parametrize("notches", [3, -3, 12])
def test_wheel_zooms_at_the_cursor(view: GraphView, notches: int) -> None:
    place = QPoint(250, 180)
    before = view.mapToScene(place)
    scale = view.scale_factor
    wheel(view, place, notches)
    moved = view.mapToScene(place) - before
    assert view.scale_factor == pytest.approx(min(8.0, scale * 1.2**notches))
    assert moved.manhattanLength() * view.scale_factor < 3


def test_zooming_out_ends_at_half_of_the_fitted_size(view: GraphView) -> None:
    fitted = view.scale_factor
    assert fitted < 1.0
    for _ in range(40):
        wheel(view, QPoint(250, 180), -1)
    assert view.scale_factor == pytest.approx(fitted / 2)
    view.resize(1600, 1200)
    wheel(view, QPoint(250, 180), 1)
    assert view.scale_factor == pytest.approx(fitted / 2 * 1.2)


def test_a_small_graph_is_not_zoomed_out_to_a_dot(view: GraphView) -> None:
    small = GraphScene(picture_of_grid(1, 1), LIGHT, no_tensor)
    view.show_scene(small)
    assert view.scale_factor > 1.0
    wheel(view, QPoint(250, 180), -40)
    assert view.scale_factor == pytest.approx(0.5)
    view.show_scene(view.scene_kept)


@pytest.mark.parametrize(
    ("phase", "device"), [(MOVING, None), (NO_PHASE, TOUCHPAD)], ids=["gesture", "touchpad"]
)
def test_two_fingers_pan_and_zoom_with_ctrl(
    view: GraphView, phase: Qt.ScrollPhase, device: QPointingDevice | None
) -> None:
    place, scale, before = QPoint(250, 180), view.scale_factor, view.mapFromScene(0, 0)
    scroll(view, place, QPoint(31, -17), QPoint(62, -34), phase=phase, device=device)
    moved = view.mapFromScene(0, 0) - before
    assert (moved.x(), moved.y(), view.scale_factor) == (31, -17, scale)
    scroll(view, place, QPoint(0, 30), QPoint(0, 60), CTRL, phase, device)
    assert view.scale_factor == pytest.approx(scale * 1.2**0.5)


def test_a_mouse_wheel_zooms_though_x11_gives_it_pixels_and_pans_to_the_side(
    view: GraphView,
) -> None:
    scale = view.scale_factor
    scroll(view, QPoint(250, 180), QPoint(0, 120), QPoint(0, 120))
    assert view.scale_factor == pytest.approx(scale * 1.2)
    before = view.mapFromScene(0, 0)
    scroll(view, QPoint(250, 180), QPoint(), QPoint(-120, 0))
    moved = view.mapFromScene(0, 0) - before
    assert (moved.x(), moved.y(), view.scale_factor) == (-60, 0, pytest.approx(scale * 1.2))


def test_dragging_pans_and_selects_nothing(view: GraphView, qtbot: QtBot) -> None:
    clicked: list[object] = []
    view.card_clicked.connect(clicked.append)
    before = view.mapFromScene(0, 0)
    port = view.viewport()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=QPoint(300, 300))
    qtbot.mouseMove(port, QPoint(340, 320))
    qtbot.mouseMove(port, QPoint(350, 330))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=QPoint(350, 330))
    moved = view.mapFromScene(0, 0) - before
    assert (moved.x(), moved.y()) == (50, 30)
    assert clicked == []


def test_a_card_in_sight_does_not_jump(view: GraphView) -> None:
    view.zoom_to(1.0)
    view.centre_card(7)
    before = view.mapFromScene(0, 0)
    view.keep_visible(7)
    assert view.mapFromScene(0, 0) == before
    assert view.is_centred(7)
    view.keep_visible(29)
    assert view.viewport().rect().contains(view.card_rect(29).toRect())


def test_a_card_that_is_too_small_is_enlarged(view: GraphView) -> None:
    view.zoom_to(0.3)
    view.enlarge(29)
    assert view.is_readable
    assert view.is_centred(29)
    scale = view.scale_factor
    view.enlarge(0)
    assert view.scale_factor == scale
    assert view.viewport().rect().contains(view.card_rect(0).toRect())


def test_a_graph_fits_a_space_that_shrank_while_it_was_laid_out(
    driver: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resized(width: int) -> object:
        driver.panel.resize(width, 400)
        driver.wait()
        return driver.panel.arranger.arrangement

    usual, narrow = resized(900), resized(300)
    assert usual != narrow
    assert resized(900) == usual
    lay_out = graph_arranger.lay_out_all

    def lay_out_slowly(*arguments: Any, **options: Any) -> list[GraphLayout]:
        time.sleep(0.4)
        return lay_out(*arguments, **options)

    monkeypatch.setattr(graph_arranger, "lay_out_all", lay_out_slowly)
    driver.state.show(linear_reader())
    assert resized(300) == narrow


def test_resizing_keeps_a_fitted_graph_fitted(view: GraphView) -> None:
    view.fit()
    view.resize(400, 700)
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(view.scene_kept.graph_rect().adjusted(2, 2, -2, -2))


def test_a_graph_that_came_before_there_was_space_for_it_is_fitted_later(qtbot: QtBot) -> None:
    view = GraphView()
    qtbot.addWidget(view)
    # As in a tab that has never been shown.
    view.resize(0, 0)
    view.viewport().resize(0, 0)
    scene = GraphScene(picture_of_grid(6, 5), LIGHT, no_tensor)
    view.show_scene(scene)
    view.follow([scene.box(0)], [])
    view.keep_visible(20)
    view.reveal(scene.box(20))
    assert view.is_fitted
    view.resize(800, 600)
    view.show()
    seen = view.mapToScene(view.viewport().rect()).boundingRect()
    assert seen.contains(scene.graph_rect().adjusted(2, 2, -2, -2))


@pytest.mark.parametrize("moved", [False, True])
def test_the_same_graph_again_stays_where_it_was(view: GraphView, moved: bool) -> None:
    if moved:
        view.zoom_to(1.5)
        view.centre_card(20)
    before = view.card_rect(20)
    again = GraphScene(picture_of_grid(6, 5), LIGHT, no_tensor)
    view.show_scene(None)
    view.show_scene(again, keep_place=True)
    way = view.card_rect(20).topLeft() - before.topLeft()
    assert way.manhattanLength() <= 2


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_far_away_each_card_is_a_spot_of_its_color(view: GraphView, theme: Theme) -> None:
    scene = GraphScene(picture_of_grid(6, 5), theme, no_tensor)
    view.show_scene(scene)
    view.zoom_to(0.2)
    view.centre_card(13)
    image = view.grab().toImage()
    names = {"link": "leaf", "error": "failing"}
    for number in (7, 13, 14):
        kind = scene.picture.nodes[number].kind
        place = view.card_rect(number).center().toPoint()
        wanted = theme.color(f"{names.get(kind, kind)}_border").name()
        assert image.pixelColor(place).name() == wanted


def test_the_halo_is_seen_far_from_the_origin(view: GraphView) -> None:
    scene = view.scene_kept
    boxes, edges = [DONE] * 30, [UNTOUCHED] * len(scene.picture.curves)
    boxes[26] = NOW
    state = GraphState(
        boxes=boxes, edges=edges, failing=False, labels={}, gradients={}, group_progresses={}
    )
    scene.show_progress(state)
    view.zoom_to(1.0)
    view.centre_card(26)
    place = view.card_rect(26)
    image = view.grab().toImage()
    halo = image.pixelColor(round(place.left()) - 7, round(place.center().y()))
    assert halo.name() != LIGHT.color("canvas").name()


def test_the_scale_is_the_same_on_a_screen_with_small_pixels() -> None:
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(2.0)
    painter = QPainter(image)
    painter.scale(0.72, 0.72)
    assert CanvasItem.scale_of(painter) == pytest.approx(0.72)
    painter.end()


def test_texts_lie_in_their_boxes() -> None:
    picture = picture_of_grid(6, 5)
    for face, (_, _, width, height) in zip(picture.faces, picture.boxes.tolist(), strict=True):
        for text in face.texts:
            left = text.x - text.width / 2 if text.centred else text.x
            wide, high = measure(text.text, text.style)
            assert left >= 0
            assert left + wide <= width + 0.01
            assert 0 <= text.baseline - 0.8 * high <= height


@pytest.mark.parametrize("style", FONTS)
def test_numbers_need_no_more_space_than_stories_and_exports_leave(style: TextStyle) -> None:
    for text in ("11", "1·1 + 1·11 = 112", "71"):
        assert measure(text, style)[0] <= font_measure()(text, style)[0] + 0.1


def test_boxes_are_found_by_their_place() -> None:
    picture = picture_of_grid(30, 30)
    x, y, width, height = picture.boxes[455].tolist()
    assert touching(picture.boxes, QRectF(x, y, 1, 1)) == [455]
    assert box_at(picture.boxes, x + width / 2, y + height / 2) == 455
    assert box_at(picture.boxes, x - 5, y - 5) is None


def test_arrows_lead_to_neighbours() -> None:
    picture = picture_of_grid(6, 5)
    assert neighbor_in(picture, 13, "up") == 7
    assert neighbor_in(picture, 13, "down") == 19
    assert neighbor_in(picture, 13, "right") == 14
    assert neighbor_in(picture, 12, "left") is None


def test_graph_text_grows_with_larger_type(driver: GraphDriver) -> None:
    def least_pixels() -> float:
        texts = (text for face in driver.scene.picture.faces for text in face.texts)
        return min(FONTS[text.style].size for text in texts) * driver.panel.view.scale_factor

    driver.panel.resize(620, 500)
    driver.wait()
    before = least_pixels()
    driver.state.set_theme(Theme(name="light", scale=1.5))
    driver.wait()
    assert least_pixels() >= 18.0
    assert least_pixels() > 1.3 * before
    driver.state.set_theme(LIGHT)
    driver.wait()
    assert least_pixels() == pytest.approx(before, rel=0.02)


MADE = "_all_made"


def test_the_steps_that_made_all_nodes_are_not_looked_up_in_the_gui_thread(
    driver: GraphDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    look_up = getattr(Times, MADE)

    def recorded(times: Times) -> object:
        threads.append(threading.current_thread())
        return look_up(times)

    monkeypatch.setattr(Times, MADE, recorded)
    driver.state.show(linear_reader())
    driver.wait()
    assert threads
    assert threading.main_thread() not in threads


GRAPH = (0.0, 1000.0)


def test_a_graph_that_fits_is_centered() -> None:
    assert middle_of(1200, GRAPH, (0, 10), (0, 10)) == 500


def test_the_current_node_is_centered_in_a_large_graph() -> None:
    assert middle_of(200, GRAPH, (400, 500), (420, 480)) == 450
    assert middle_of(200, GRAPH, (0, 60), (0, 60)) == 100
    assert middle_of(200, GRAPH, (960, 1000), (960, 1000)) == 900


@pytest.mark.parametrize("card", [(300.0, 380.0), (520.0, 600.0)])
def test_the_card_is_whole_even_where_its_labels_are_not(card: tuple[float, float]) -> None:
    middle = middle_of(200, GRAPH, (300, 600), card)
    assert middle - 100 <= card[0]
    assert card[1] <= middle + 100


WHOLE = QRectF(0, 0, 1000, 1000)
VISIBLE = QRectF(0, 0, 200, 200)


def cell(x: float, y: float) -> QRectF:
    return QRectF(x, y, 40, 40)


def test_the_view_stays_while_all_that_is_needed_is_visible() -> None:
    needed, later = [cell(0, 100), cell(160, 160)], [cell(300, 300)]
    assert find_center(VISIBLE, WHOLE, needed, later, slack=1.0) is None
    # Half a pixel beyond the edge is a rounding error.
    assert find_center(VISIBLE, WHOLE, [cell(160.5, 0)], later, slack=1.0) is None


def test_where_a_gradient_goes_is_visible_too() -> None:
    assert find_center(VISIBLE, WHOLE, [cell(100, 400), cell(260, 400)], [], slack=1.0) == QPointF(
        200, 420
    )


def test_the_current_card_is_whole_if_its_target_is_too_far_away() -> None:
    center = find_center(VISIBLE, WHOLE, [cell(500, 400), cell(900, 400)], [], slack=1.0)
    assert center == QPointF(520, 420)


def test_the_view_moves_ahead_up_to_the_first_step_that_does_not_fit() -> None:
    later = [cell(500, 280), cell(500, 900), cell(400, 400)]
    center = find_center(VISIBLE, WHOLE, [cell(500, 400)], later, slack=1.0)
    assert center == QPointF(520, 360)


def test_only_a_tidy_view_leaves_the_empty_space_beyond_the_graph() -> None:
    beyond = QRectF(500, -80, 200, 200)
    for tidy, center in ((False, None), (True, QPointF(600, 100))):
        assert find_center(beyond, WHOLE, [cell(600, 60)], [], slack=1.0, tidy=tidy) == center
