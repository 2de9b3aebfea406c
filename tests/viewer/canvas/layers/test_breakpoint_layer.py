"""Breakpoint marks cover no text and can be told apart without color."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter

from gradviz.drawing.display.marks import BREAKPOINT_OUT, BREAKPOINT_RADIUS, breakpoint_mark
from gradviz.drawing.geometry.rect import Rect
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.canvas.conftest import GraphDriver
from tests.viewer.canvas.visible_texts import texts_of


def test_a_mark_covers_no_text(driver: GraphDriver) -> None:
    scene = driver.scene
    cards = range(len(scene.picture.nodes))
    scene.breakpoints.set_points(dict.fromkeys(cards, True))
    for card in cards:
        mark = scene.breakpoints.rect(card)
        assert mark.intersects(scene.box(card))
        assert scene.breakpoints.boundingRect().contains(mark)
        assert [text.text for text in texts_of(scene) if text.rect.intersects(mark)] == []


def test_one_that_is_switched_off_is_hollow() -> None:
    middles = []
    for enabled in (True, False):
        image = QImage(40, 40, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.white)
        painter = QPainter(image)
        box = Rect(x=20 + BREAKPOINT_OUT, y=0, width=20, height=40)
        mark = breakpoint_mark(box, 3 * BREAKPOINT_RADIUS, enabled=enabled)
        PartPainter(LIGHT).paint(painter, mark.parts)
        painter.end()
        middles.append(image.pixelColor(20, 20))
        assert image.pixelColor(20, 9) == LIGHT.color("breakpoint")
    assert middles == [LIGHT.color("breakpoint"), LIGHT.color("canvas")]
