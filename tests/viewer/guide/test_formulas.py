"""The guide's formulas are rendered as they are now, and drawn aligned with the baseline."""

from __future__ import annotations

import json
import re

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from ziamath.zmath import Latex

from gradviz.catalogue.language import available_languages, load_language
from gradviz.gallery.guide.formulas import FORMULAS, RenderedFormula
from gradviz.resource import resource_path
from gradviz.viewer.guide.formulas import FormulaStyle, PagePicture, draw_formula
from tools.guide.formulas import formulas_json, formulas_of

INK = FormulaStyle(em=24.0, color="#112233", ratio=2.0, axis=4.0)


def rows_with_ink(image: QImage) -> list[int]:
    columns = range(image.width())
    return [
        y for y in range(image.height()) if any(image.pixelColor(x, y).alpha() for x in columns)
    ]


def picture(latex: str) -> PagePicture:
    (rendered,) = json.loads(formulas_json({(latex, False)})).values()
    return draw_formula(RenderedFormula(**rendered["inline"]), INK)


def test_the_formulas_of_all_pages_are_rendered_as_they_are_now() -> None:
    found: set[tuple[str, bool]] = set()
    for language in available_languages():
        load_language(language)
        found |= formulas_of(language)
    load_language("en")
    shipped = json.loads(resource_path(FORMULAS).read_text("utf-8"))
    assert shipped == json.loads(formulas_json(found)), "run make guide"
    for latex in shipped:
        # What it does not know it writes out.
        made = Latex(latex).mathmlstr()
        assert not re.search(r"\\[a-zA-Z]+", made), latex


def test_letters_on_the_baseline_end_with_their_picture(qapp: QApplication) -> None:
    made = picture("X")
    assert not made.centred
    rows = rows_with_ink(made.image)
    assert made.image.height() - rows[-1] <= 3


def test_the_baseline_of_a_picture_with_a_descent_is_where_qt_puts_it(qapp: QApplication) -> None:
    high, low = picture(r"\frac{X}{y}"), picture("X_y")
    for made in (high, low):
        assert made.centred
    # The letter X stands on the baseline, which Qt puts half the picture and the axis down.
    letter = rows_with_ink(picture("X").image)
    rows = rows_with_ink(low.image)
    baseline = (low.height / 2 + INK.axis) * INK.ratio
    assert abs((rows[0] + len(letter)) - baseline) <= 2


def test_a_picture_has_the_color_and_the_pixels_that_were_asked(qapp: QApplication) -> None:
    made = picture("X")
    assert made.image.devicePixelRatio() == 2.0
    assert made.image.width() == pytest.approx(2 * made.width, abs=1)
    inked = [
        made.image.pixelColor(x, y)
        for x in range(made.image.width())
        for y in range(made.image.height())
        if made.image.pixelColor(x, y).alpha() == 255
    ]
    assert {color.name() for color in inked} == {"#112233"}
