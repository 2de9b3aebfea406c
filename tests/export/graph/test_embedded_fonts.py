"""An SVG with embedded fonts looks the same without the fonts of this system."""

from __future__ import annotations

import base64
import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.appearance.font_metrics import font_measure, read_font
from gradviz.export.graph.svg import graph_svg
from gradviz.export.graph.svg_document import svg_document
from gradviz.export.graph.svg_elements import svg_element, svg_text_line
from gradviz.resource import resource_path
from tests.builders import LINEAR_TENSORS, linear_trace

ttlib = pytest.importorskip("fontTools.ttLib", reason="needs the fonts extra")
SVG = "{http://www.w3.org/2000/svg}"
FACE = re.compile(
    r"@font-face\{font-family:Inter;font-weight:(\d+);unicode-range:([U+0-9A-F,]+);"
    r"src:url\(data:font/woff;base64,([A-Za-z0-9+/=]+)\)format\('woff'\)\}\n"
)
HOSTILE = "</style><script>1</script>\x1b"


def embedded(*lines: tuple[str, str]) -> str:
    """A figure with lines of text in styles."""
    from gradviz.export.graph.svg_text import with_embedded_fonts

    inside = "".join(
        svg_text_line(text, 0, 20 * at, style, "#000000")  # type: ignore[arg-type]
        for at, (text, style) in enumerate(lines, 1)
    )
    return with_embedded_fonts(svg_document(inside, 300, 200, "none"))


def fonts_of(svg: str) -> Iterator[tuple[str, str, bytes]]:
    """Weight, characters and data of the embedded fonts."""
    (style,) = ElementTree.fromstring(svg).iter(f"{SVG}style")
    assert FACE.sub("", style.text or "") == ""
    for weight, ranges, data in FACE.findall(style.text or ""):
        characters = "".join(chr(int(each[2:], 16)) for each in ranges.split(","))
        yield weight, characters, base64.b64decode(data, validate=True)


def test_each_font_has_the_characters_in_use_and_no_others() -> None:
    svg = embedded(("Wave 梯度", "line"), ("∂x🦊", "title"))
    found = {(weight, characters) for weight, characters, _ in fonts_of(svg)}
    assert found == {("400", " Waev"), ("400", "度梯"), ("600", "x∂")}
    for weight, characters, data in fonts_of(svg):
        with ttlib.TTFont(io.BytesIO(data)) as font:
            assert set(font.getBestCmap()) == {ord(each) for each in characters}
            own = "NotoSansSC-Regular.otf" if "度" in characters else None
            file = own or ("Inter-Regular.otf" if weight == "400" else "Inter-SemiBold.otf")
            advances = read_font(resource_path(f"fonts/{file}")).advances
            for code, glyph in font.getBestCmap().items():
                width = font["hmtx"][glyph][0] / font["head"].unitsPerEm
                assert width == advances[code]
            notice = font["name"].getDebugName(0)
            assert "Inter Project" in notice or "Adobe" in notice
            assert "Open Font License" in font["name"].getDebugName(13)


def test_a_figure_grows_little_and_is_the_same_each_time() -> None:
    from gradviz.export.graph.svg_text import _subset, with_embedded_fonts

    values = {record.id: value for record, value in LINEAR_TENSORS}
    plain = graph_svg(index_trace(linear_trace(), values.get))
    svg = with_embedded_fonts(plain)
    assert len(svg) - len(plain) < 40_000
    assert re.sub("<style>.*</style>", "", svg, flags=re.DOTALL).replace("\n\n", "\n") == plain
    _subset.cache_clear()
    assert with_embedded_fonts(plain) == svg


def test_hostile_text_stays_text_and_a_figure_without_text_has_no_fonts() -> None:
    svg = embedded((HOSTILE, "line"))
    ((_, characters, _),) = fonts_of(svg)
    root = ElementTree.fromstring(svg)
    shown = "".join(each.text or "" for each in root.iter(f"{SVG}text"))
    assert set(characters) == set(shown)
    assert f"{SVG}script" not in {each.tag for each in root.iter()}
    assert "<style" not in embedded()


def test_a_text_inherits_the_weight_of_its_group() -> None:
    from gradviz.export.graph.svg_text import with_embedded_fonts

    group = svg_element("g", svg_element("text", "ab"), font_weight=600)
    svg = with_embedded_fonts(svg_document(group, 9, 9, "none"))
    assert [(weight, text) for weight, text, _ in fonts_of(svg)] == [("600", "ab")]


def test_chromium_draws_with_the_embedded_fonts(tmp_path: Path) -> None:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs chromium")
    lines = [("Wave 12.5 of grad_output", "line"), ("Minimum ∂x", "title"), ("梯度", "line")]
    path = tmp_path / "a.svg"
    path.write_text(embedded(*lines), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.goto(path.as_uri())
        page.evaluate("document.fonts.ready")
        states = page.evaluate("[...document.fonts].map(face => face.status)")
        # The widths that the font gives, without the given one and kerning.
        widths = page.evaluate(
            "[...document.querySelectorAll('text')].map(text => {"
            " text.removeAttribute('textLength'); text.style.fontKerning = 'none';"
            " text.style.fontFeatureSettings = '\"calt\" 0'; return text.getComputedTextLength() })"
        )
        browser.close()
    assert states == ["loaded"] * 3
    measured = [font_measure()(text, style)[0] for text, style in lines]  # type: ignore[arg-type]
    assert widths == pytest.approx(measured, rel=2e-3)
