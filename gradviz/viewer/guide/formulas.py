"""Formulas as pictures: the one module that stands before ziamath. Needs no window, any thread."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gradviz.gallery.guide.page import Formula

_SIZE = 24.0
"""Units of an outline that one em has."""

_NO_DESCENT = 0.06
"""In em: of letters that stand on the baseline, with the margin of an outline."""

_BOX = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An outline of a formula that fits any size and colour.

    Attributes:
        svg: The picture.
        width: In em.
        ascent: How far it reaches above the baseline, in em.
        descent: And below.
    """

    svg: bytes
    width: float
    ascent: float
    descent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ink:
    """What formulas are drawn with.

    Attributes:
        em: Device-independent pixels of one em.
        colour: Of the lines, like ``#1a1e29``.
        ratio: Device pixels of a device-independent one.
        axis: How far the middle of a picture lies above the baseline of its line, in
            device-independent pixels: there Qt puts it.
    """

    em: float
    colour: str
    ratio: float
    axis: float


@dataclass(frozen=True, kw_only=True, eq=False)
class Picture:
    """A drawn formula.

    Attributes:
        image: With its device pixel ratio.
        width: In device-independent pixels.
        height: Likewise.
        centred: Whether its middle lies at the axis of its line, else its lower edge is the
            baseline.
    """

    image: QImage
    width: float
    height: float
    centred: bool


@lru_cache(maxsize=1024)
def shape_of(latex: str, *, display: bool) -> Shape:
    """The outline of a formula.

    Args:
        latex: What is between the dollar signs.
        display: Whether it stands alone, with room for large signs.
    """
    from ziamath.config import config
    from ziamath.zmath import Latex

    # Qt's renderer of SVG does not draw what is defined once and used in several places.
    config.svg2 = False
    svg = Latex(latex, size=_SIZE, inline=not display).svg()
    box = _BOX.search(svg)
    assert box is not None
    _, top, width, height = map(float, box.groups())
    return Shape(
        svg=svg.encode(),
        width=width / _SIZE,
        ascent=-top / _SIZE,
        descent=(height + top) / _SIZE,
    )


def drawn(shape: Shape, ink: Ink) -> Picture:
    """Draws an outline, with so much room around it that its baseline is where Qt wants it."""
    ascent, descent = shape.ascent * ink.em, shape.descent * ink.em
    # What hardly reaches below the baseline stands on it: the line gets no higher for it.
    centred = shape.descent > _NO_DESCENT
    reach = max(ascent - ink.axis, descent + ink.axis)
    # Whole pixels: scaled by a hair, a picture would lose some of its rows.
    across = max(1, ceil(shape.width * ink.em * ink.ratio))
    down = max(1, ceil((2 * reach if centred else ascent) * ink.ratio))
    width, height = across / ink.ratio, down / ink.ratio
    baseline = height / 2 + ink.axis if centred else height
    image = QImage(across, down, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ink.ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    place = QRectF(0, baseline - ascent, shape.width * ink.em, ascent + descent)
    QSvgRenderer(QByteArray(shape.svg)).render(painter, place)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(QRectF(0, 0, width + 1, height + 1), QColor(ink.colour))
    painter.end()
    return Picture(image=image, width=width, height=height, centred=centred)


def pictures_of(
    formulas: Iterable[tuple[Formula, bool]], ink: Ink
) -> Mapping[tuple[str, bool], Picture]:
    """Draws formulas, by LaTeX and whether they stand alone."""
    return {
        (formula.latex, display): drawn(shape_of(formula.latex, display=display), ink)
        for formula, display in formulas
    }
