"""Draws rendered formulas, in any thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from gradviz.gallery.guide.formulas import RenderedFormula, rendered_formula
from gradviz.gallery.guide.page import InlineFormula

_NO_DESCENT = 0.06
"""Descent in em, due to an outline's margin, of letters without descenders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaStyle:
    """Size and color to draw formulas with.

    Attributes:
        em: Device-independent pixels per em.
        color: Color of the strokes, for example ``#1a1e29``.
        ratio: Device pixel ratio.
        axis: Height above the baseline at which Qt centers an image in its line, in
            device-independent pixels.
    """

    em: float
    color: str
    ratio: float
    axis: float


@dataclass(frozen=True, kw_only=True, eq=False)
class PagePicture:
    """A drawn formula or graph.

    Attributes:
        image: The image, with its device pixel ratio set.
        width: Width in device-independent pixels.
        height: Height in device-independent pixels.
        centred: Whether its center is placed at the line's axis; otherwise its lower edge is placed
            at the baseline.
    """

    image: QImage
    width: float
    height: float
    centred: bool


def draw_formula(shape: RenderedFormula, ink: FormulaStyle) -> PagePicture:
    """Draw an outline, padded so that Qt places its baseline correctly."""
    ascent, descent = shape.ascent * ink.em, shape.descent * ink.em
    # A formula without descenders stands on the baseline, which keeps the line height unchanged.
    centred = shape.descent > _NO_DESCENT
    reach = max(ascent - ink.axis, descent + ink.axis)
    # Use whole device pixels, since rescaling by a fraction would lose rows.
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
    QSvgRenderer(QByteArray(shape.svg.encode())).render(painter, place)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(QRectF(0, 0, width + 1, height + 1), QColor(ink.color))
    painter.end()
    return PagePicture(image=image, width=width, height=height, centred=centred)


def pictures_of(
    formulas: Iterable[tuple[InlineFormula, bool]], ink: FormulaStyle
) -> Mapping[tuple[str, bool], PagePicture]:
    """Draw formulas; the result is keyed by LaTeX and display style."""
    return {
        (formula.latex, display): draw_formula(
            rendered_formula(formula.latex, display=display), ink
        )
        for formula, display in formulas
    }
