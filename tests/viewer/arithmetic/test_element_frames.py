"""Frames are in the cells of their elements, in the color of their term."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.viewer.arithmetic.element_frames import paint_plane_frames, term_role
from gradviz.viewer.theme.theme import LIGHT

SIDE = 40


def framed_cells(shape: tuple[int, ...], *marks: ElementMark) -> dict[tuple[int, int], set[int]]:
    """The terms whose color each cell has; 0 for the color of a result or a single factor."""
    rows, columns = (1, 1, *shape)[-2:]
    image = QImage(columns * SIDE, rows * SIDE, QImage.Format.Format_RGB32)
    image.fill(QColor("gray"))
    painter = QPainter(image)
    paint_plane_frames(painter, QRectF(image.rect()), shape, marks, LIGHT)
    painter.end()
    found: dict[tuple[int, int], set[int]] = {}
    for row in range(rows):
        for column in range(columns):
            # Away from the border, which neighbors share.
            cell = image.copy(column * SIDE + 1, row * SIDE + 1, SIDE - 2, SIDE - 2)
            inks = {
                cell.pixelColor(x, y).name()
                for x in range(cell.width())
                for y in range(cell.height())
            }
            terms = {term for term in range(4) if LIGHT.color(term_role(term)).name() in inks}
            if terms:
                found[row, column] = terms
    return found


def test_each_element_is_framed_in_the_color_of_its_term(qapp: QApplication) -> None:
    marks = (
        ElementMark(tensor=1, element=(0, 1), result=True),
        ElementMark(tensor=1, element=(1, 0), term=1),
        ElementMark(tensor=1, element=(1, 2), term=2),
    )
    assert framed_cells((2, 3), *marks) == {(0, 1): {0}, (1, 0): {1}, (1, 2): {2}}


def test_only_elements_of_the_first_plane_are_framed(qapp: QApplication) -> None:
    first = ElementMark(tensor=1, element=(0, 1, 1), term=3)
    other = ElementMark(tensor=1, element=(1, 0, 0), term=1)
    assert framed_cells((2, 2, 2), first, other) == {(1, 1): {3}}
    assert framed_cells((3,), ElementMark(tensor=1, element=(2,), term=1)) == {(0, 2): {1}}
    assert framed_cells((), ElementMark(tensor=1, element=(), result=True)) == {(0, 0): {0}}
