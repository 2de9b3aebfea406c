"""An exported SVG looks the same in every program, whatever fonts it has."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace
from PIL import Image
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QFont, QFontMetricsF, QGuiApplication, QPainterPath
from PySide6.QtSvg import QSvgRenderer

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.appearance.font_metrics import text_outline
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.drawing.appearance.text_styles import FONTS, TextStyle
from gradviz.export.check.svg import check_svg
from gradviz.export.graph.svg import graph_svg
from gradviz.export.graph.svg_document import svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_text_line
from gradviz.export.graph.svg_text import with_outlined_text
from gradviz.viewer.svg_picture import render_image
from gradviz.viewer.theme.theme import load_fonts
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.export.check_reports import REPORT, TENSORS, report_of
from tests.sweeps import paired

SAME = 0.006
"""Mean difference of the pixels at edges, from 0 to 1; text in another font makes 0.01 or more."""


def rsvg(svg: str, folder: Path) -> bytes:
    if shutil.which("rsvg-convert") is None:
        pytest.skip("needs rsvg-convert")
    return subprocess.run(
        ["rsvg-convert"], input=svg.encode(), capture_output=True, check=True
    ).stdout


def cairo(svg: str, folder: Path) -> bytes:
    # Without the system's library, the import raises an OSError.
    cairosvg = pytest.importorskip("cairosvg", reason="needs CairoSVG")
    found: bytes = cairosvg.svg2png(svg.encode())
    return found


def chromium(svg: str, folder: Path) -> bytes:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs chromium")
    path = folder / "a.svg"
    path.write_text(svg, encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.goto(path.as_uri())
        width, height = (page.locator("svg").get_attribute(each) for each in ("width", "height"))
        page.set_viewport_size({"width": int(width), "height": int(height)})
        found: bytes = page.screenshot()
        browser.close()
    return found


def qt(svg: str) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    render_image(svg.encode(), 1).save(buffer, "png")
    return bytes(buffer.data().data())


def pixels(png: bytes) -> np.ndarray:
    """``[rows, columns, 3]`` values from 0 to 1."""
    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGB")) / 255


def graph() -> str:
    values = {record.id: value for record, value in LINEAR_TENSORS}
    return graph_svg(index_trace(linear_trace(), values.get), 6)


def heatmaps() -> str:
    """Maps with numbers in their cells, and maps that are images."""
    large = np.arange(900.0).reshape(30, 30) - 450
    report, matrices = report_of(("x", (30,), (30,), large, large + np.diag(np.arange(30) == 3)))
    block = replace(report.blocks[0], numerical=3, analytical=4)
    values = {record.id: value for record, value in TENSORS}
    values |= {number + 2: value for number in (1, 2) if (value := matrices.values(number))}
    whole = replace(REPORT, blocks=(*REPORT.blocks, block))
    return check_svg(whole, values.get, theme_paint("dark"))


def mixed() -> str:
    """Text of each weight, script, anchor, size and direction."""
    lines = [("Wave 12.5 of grad_output", "line"), ("Minimum ∂x → 梯度", "title"), ("梯度", "line")]
    drawn = "".join(
        svg_text_line(text, 20, 30 * at, style, "#1a1e29", size=17)
        for at, (text, style) in enumerate(lines, 1)
    )
    turned = svg_text_line("up", 0, 0, "mark", "#aa0000", centred=True)
    drawn += svg_element("g", turned, transform="translate(300 60) rotate(-90)")
    drawn += svg_element(
        "g",
        svg_element("text", "inherited", x=290, y=130),
        font_size=20,
        font_weight=600,
        text_anchor="end",
        font_family="Inter",
    )
    rim = svg_text_line(
        "rim", 200, 30, "label", "#ffffff", more={"stroke": "#00aa00", "stroke_width": 3}
    )
    return svg_document(drawn + rim, 320, 150, "#ffffff")


@pytest.mark.parametrize(
    ("figure", "program"), paired([graph, heatmaps, mixed], [rsvg, cairo, chromium])
)
def test_a_program_shows_what_the_window_shows(
    figure: Callable[[], str],
    program: Callable[[str, Path], bytes],
    tmp_path: Path,
    qapp: QGuiApplication,
) -> None:
    svg = figure()
    expected = pixels(qt(with_outlined_text(svg)))
    shown = pixels(program(with_outlined_text(svg), tmp_path))
    assert np.abs(shown - expected).mean() < SAME


def test_imagemagick_draws_no_rim_around_what_is_filled() -> None:
    if shutil.which("convert") is None:
        pytest.skip("needs ImageMagick")
    pale = svg_element("rect", x=5, y=5, width=20, height=10, rx=3, fill="#fdf3fa")
    svg = svg_document(pale, 30, 20, "#ffffff")
    command = ["convert", "msvg:-", "png:-"]
    png = subprocess.run(command, input=svg.encode(), capture_output=True, check=True).stdout
    assert pixels(png).min() > 0.9


@pytest.mark.parametrize("style", ["line", "title"])
def test_outlines_are_those_of_the_fonts(style: TextStyle, qapp: QGuiApplication) -> None:
    load_fonts()
    for text in "Wag%&∂梯→":
        font = QFont("Noto Sans SC" if text == "梯" else "Inter", weight=FONTS[style].weight)
        font.setPixelSize(1000)
        font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
        drawn = QPainterPath()
        drawn.addText(0, 0, font, text)
        data, width = text_outline(text, FONTS[style].weight) or ("", 0)
        path = svg_element("path", id="a", d=data)
        renderer = QSvgRenderer(svg_document(path, 1000, 1000, "none").encode())
        found, bounds = renderer.boundsOnElement("a"), drawn.boundingRect()
        assert found.getRect() == pytest.approx(bounds.getRect(), abs=2), text
        assert width == pytest.approx(QFontMetricsF(font).horizontalAdvance(text), abs=1)


def test_text_that_the_fonts_lack_stays_text() -> None:
    lines = "".join(svg_text_line(text, 9, 9, "line", "#000000") for text in ("fox", "🦊", "", " "))
    svg = with_outlined_text(svg_document(lines, 30, 20, "none"))
    kinds = [each.tag.rpartition("}")[2] for each in ElementTree.fromstring(svg)]
    assert kinds == ["rect", "path", "text", "path", "path"]
