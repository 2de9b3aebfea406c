"""A child process renders an SVG unchanged."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QBuffer, QIODevice
from PySide6.QtGui import QColor, QGuiApplication, QImage

from gradviz.host.svg_rendering import PictureError, write_png, write_pngs
from gradviz.viewer.svg_picture import render_image, render_pdf

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20">'
    '<rect width="20" height="20" fill="#ff0000"/></svg>'
)


def colors(image: QImage) -> tuple[str, str]:
    return image.pixelColor(10, 10).name(), image.pixelColor(70, 10).name()


def test_a_picture_has_two_pixels_for_a_unit(qapp: QGuiApplication) -> None:
    image = render_image(SVG.encode())
    assert (image.width(), image.height()) == (40 * 2, 20 * 2)
    assert colors(image) == ("#ff0000", QColor("white").name())


def test_a_transparent_picture_has_no_background(qapp: QGuiApplication) -> None:
    image = render_image(SVG.encode(), 1.5, transparent=True)
    assert (image.width(), image.height()) == (40 * 1.5, 20 * 1.5)
    assert [image.pixelColor(x, 10).alpha() for x in (10, 50)] == [255, 0]


def test_a_pdf_has_a_page_for_each_document_and_their_fonts(qapp: QGuiApplication) -> None:
    text = '<text x="2" y="12" font-family="Inter" font-size="8" font-weight="600">a</text></svg>'
    wider = SVG.replace('width="40"', 'width="80"', 1).replace("</svg>", text)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    render_pdf(iter([SVG.encode(), wider.encode()]), buffer, "A run")
    data = buffer.data().data()
    # An inch has 96 pixels or 72 points.
    boxes = re.findall(rb"/MediaBox \[([^\]]*)\]", data)
    assert [[float(each) for each in box.split()[2:]] for box in boxes] == [[30, 15], [60, 15]]
    assert (data.count(b"/FontFile2"), b"Inter-SemiBold" in data) == (1, True)


def test_a_link_in_a_pdf_is_where_its_text_is(qapp: QGuiApplication) -> None:
    link = (
        '<a href="https://example.org/?a=1&amp;b=2"><g id="link"><g transform="translate(4 8)">'
        '<text y="8" font-family="Inter" font-size="8">link</text></g></g></a></svg>'
    )
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    documents = [SVG, SVG.replace("</svg>", link), SVG]
    render_pdf((each.encode() for each in documents), buffer, "A run")
    data = buffer.data().data()
    assert re.findall(rb"/URI \(([^)]*)\)", data) == [b"https://example.org/?a=1&b=2"]
    ((left, bottom, right, top),) = (
        map(float, each.split()) for each in re.findall(rb"/Rect \[([^\]]*)\]", data)
    )
    # The page is 30 x 15 points, and the text begins 3 points from the left.
    assert 2.5 < left < 3.5 < 10 < right < 20
    assert 0 < bottom < 4 < 6 < top < 10


def test_what_is_no_svg_is_refused(qapp: QGuiApplication) -> None:
    with pytest.raises(ValueError, match="not a valid SVG"):
        render_image(b"<svg")


def test_a_child_writes_the_files(tmp_path: Path) -> None:
    paths = [tmp_path / "first.png", tmp_path / "second.png"]
    write_pngs([SVG, SVG.replace("ff0000", "00ff00")], paths, 2)
    pictures = [colors(QImage(str(path))) for path in paths]
    assert pictures == [("#ff0000", "#ffffff"), ("#00ff00", "#ffffff")]
    with pytest.raises(PictureError, match="could not be written"):
        write_png(SVG, tmp_path / "none" / "picture.png")
