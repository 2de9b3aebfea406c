"""Contrast of the painted graph, and signs that need no color."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from gradviz.drawing.appearance.palette import LEAST_SIGN, LEAST_TEXT, PaletteRole, contrast, faded
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnKind, DrawnNode, EdgeKind
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.drawing.display.cards import card_body, highlight_shapes, kind_role, progress_mark
from gradviz.drawing.display.edges import CUT, LINK, STROKES
from gradviz.drawing.display.outlines import mark_place
from gradviz.viewer.canvas.layers.edge_layer import EdgeLayer
from gradviz.viewer.canvas.layers.layer import LayerContext
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.canvas.layout.graph_picture import GraphCurve, GraphPicture
from gradviz.viewer.tensor_view.cell_painter import rect_of
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.pixels import grey, pixels_of_image

KINDS: tuple[DrawnKind, ...] = get_args(DrawnKind)
GROUNDS: tuple[PaletteRole, ...] = ("canvas", "frame_fill", "frame_inner")
THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)


def card_colors(theme: Theme, kind: DrawnKind, *, dimmed: bool = False) -> list[str]:
    """Fill, border and text of a kind."""
    painter = PartPainter(theme, dimmed=dimmed)
    return [painter.color(kind_role(kind, part)).name() for part in ("fill", "border", "text")]


@THEMES
@pytest.mark.parametrize("dimmed", [False, True])
def test_texts_and_borders_of_all_cards(theme: Theme, dimmed: bool) -> None:
    for kind in KINDS:
        fill, border, text = card_colors(theme, kind, dimmed=dimmed)
        assert contrast(text, fill) >= LEAST_TEXT, kind
        for ground in GROUNDS:
            assert contrast(border, theme.color(ground).name()) >= LEAST_SIGN, kind


@THEMES
def test_dimmed_cards_stand_back(theme: Theme) -> None:
    ground = theme.color("canvas").name()
    for kind in KINDS:
        _, border, text = card_colors(theme, kind)
        _, pale_border, pale_text = card_colors(theme, kind, dimmed=True)
        assert contrast(pale_text, ground) < contrast(text, ground), kind
        assert contrast(pale_border, ground) <= contrast(border, ground), kind


@THEMES
@pytest.mark.parametrize("dimmed", [False, True])
def test_badges_and_labels(theme: Theme, dimmed: bool) -> None:
    paint = PartPainter(theme, dimmed=dimmed)
    for kind in KINDS:
        # A badge is a spot of the text's color.
        fill, text = (paint.color(kind_role(kind, part)).name() for part in ("fill", "text"))
        assert contrast(fill, text) >= LEAST_TEXT
    assert contrast(paint.color("edge_label").name(), paint.color("edge_label_fill").name()) >= (
        LEAST_TEXT
    )


def test_fading_stops_at_the_least_contrast() -> None:
    assert faded("#000000", "#ffffff", 4.5) == "#757575"
    assert faded("#cccccc", "#ffffff", 4.5) == "#cccccc"


FINE = 4
"""Pixels to a unit of the scene: a thin line covers some wholly."""


def picture(theme: Theme) -> tuple[QImage, QPainter]:
    image = QImage(120 * FINE, 60 * FINE, QImage.Format.Format_RGB32)
    image.fill(theme.color("canvas"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(FINE, FINE)
    return image, painter


def line_of(theme: Theme, state: int, *, dimmed: bool = False) -> QImage:
    image, painter = picture(theme)
    kinds: dict[int, EdgeKind] = {LINK: "saved", CUT: "cut"}
    edge = DrawnEdge(id="e", kind=kinds.get(state, "gradient"), source="a", target="b")
    points = np.linspace((5.0, 30.0), (115.0, 30.0), 4)
    graph = GraphPicture(
        nodes=tuple(DrawnNode(id=each, kind="builtin", nodes=(1,), title="") for each in "ab"),
        faces=(),
        boxes=np.array([[-35.0, 15.0, 40.0, 30.0], [115.0, 15.0, 40.0, 30.0]]),
        curves=(GraphCurve(source=0, target=1, edge=edge, points=points),),
    )
    layer = EdgeLayer(
        LayerContext(picture=graph, theme=theme, paint_tensor=lambda *_: None, update=lambda: None)
    )
    layer.set_states([state])
    layer.set_dimmed([dimmed])
    layer.paint(painter, QRectF(0, 0, 120, 60))
    painter.end()
    return image


@THEMES
@pytest.mark.parametrize("dimmed", [False, True])
@pytest.mark.parametrize("state", STROKES)
def test_lines_are_seen(theme: Theme, state: int, dimmed: bool) -> None:
    image, ground = line_of(theme, state, dimmed=dimmed), theme.color("canvas").name()
    middle = 30 * FINE
    seen = (contrast(image.pixelColor(x, middle).name(), ground) for x in range(80, 240))
    assert max(seen) >= LEAST_SIGN


def ink_of(image: QImage) -> np.ndarray:
    """The contrast of each grayscale pixel to the background, 0 to 1."""
    light = grey(pixels_of_image(image))
    return np.abs(light - light[0, 0]) / 255


@THEMES
def test_lines_differ_without_color(theme: Theme) -> None:
    inks = {state: ink_of(line_of(theme, state)) > 0.08 for state in STROKES}
    widths = {state: int(ink[:, 80:240].sum(axis=0).max()) for state, ink in inks.items()}
    assert widths[NOW] > widths[DONE] > widths[TO_COME]
    middle = {state: ink[30 * FINE, 80:320] for state, ink in inks.items()}
    covered = {state: float(ink.mean()) for state, ink in middle.items()}
    assert covered[NOW] == covered[DONE] == 1.0
    assert covered[UNTOUCHED] < covered[TO_COME] < 1.0
    heads = {state: int(ink[:, 400:464].any(axis=1).sum()) for state, ink in inks.items()}
    assert heads[NOW] > heads[DONE] > heads[TO_COME] > heads[LINK]


def card_of(theme: Theme, state: int) -> QImage:
    image, painter = picture(theme)
    box = QRectF(20, 15, 80, 30)
    rect = rect_of(box)
    halo = highlight_shapes("now", "rounded", rect) if state == NOW else ()
    mark = progress_mark(mark_place("rounded", rect), state)
    PartPainter(theme).paint(painter, (*halo, *card_body("builtin", rect, state), *mark))
    painter.end()
    return image


@THEMES
def test_states_of_cards_differ_without_color(theme: Theme) -> None:
    inks = {state: ink_of(card_of(theme, state)) for state in (UNTOUCHED, TO_COME, DONE, NOW)}
    for first in inks:
        for second in inks:
            if first < second:
                apart = np.abs(inks[first] - inks[second]) > 0.1
                assert apart.sum() > 40 * FINE, (first, second)
    # The halo of what happens now reaches beyond everything else.
    above = slice(0, 9 * FINE)
    assert inks[NOW][above].max() > 0.02
    assert inks[DONE][above].max() == 0


def test_a_selected_card_lights_its_lines_and_neighbours(driver: GraphDriver) -> None:
    nodes = driver.scene.picture.nodes
    at = {node.title: card for card, node in enumerate(nodes)}
    driver.state.select(nodes[at["SumBackward0"]].nodes[0])
    image = driver.panel.view.grab().toImage()

    def text_color(title: str) -> str:
        """The color farthest from the fill in a card."""
        rect = driver.panel.view.card_rect(at[title]).toAlignedRect().adjusted(14, 6, -14, -6)
        fill = image.pixelColor(rect.topLeft()).name()
        found = {
            image.pixelColor(x, y).name()
            for x in range(rect.left(), rect.right())
            for y in range(rect.top(), rect.bottom())
        }
        return max(found, key=lambda each: contrast(each, fill))

    canvas = LIGHT.color("canvas").name()
    lit, pale = text_color("LinearFunctionBackward"), text_color("saved tensors")
    assert contrast(lit, canvas) > contrast(pale, canvas) + 2
    full = card_colors(LIGHT, "custom")[2]
    assert contrast(lit, canvas) == pytest.approx(contrast(full, canvas), rel=0.15)
    driver.state.select(None)
    image = driver.panel.view.grab().toImage()
    assert contrast(text_color("saved tensors"), canvas) > contrast(pale, canvas) + 2


def test_marks_of_hits_are_seen_without_color(driver: GraphDriver) -> None:
    view = driver.panel.view
    before = ink_of(view.grab().toImage())
    custom = next(n for n in driver.scene.picture.nodes if n.kind == "custom").nodes[0]
    driver.state.show_hits(frozenset({custom}))
    after = ink_of(view.grab().toImage())
    assert (np.abs(before - after) > 0.3).sum() > 100
    driver.state.show_hits(frozenset())
    assert (ink_of(view.grab().toImage()) == before).all()


def test_colors_are_those_of_the_palette() -> None:
    image, painter = picture(LIGHT)
    body = card_body("leaf", rect_of(QRectF(10, 10, 100, 40)), DONE)
    PartPainter(LIGHT).paint(painter, body)
    painter.end()
    assert image.pixelColor(240, 120) == LIGHT.color("leaf_fill")
    assert image.pixelColor(40, 120) == LIGHT.color("leaf_border")
    assert image.pixelColor(8, 8) == LIGHT.color("canvas")
