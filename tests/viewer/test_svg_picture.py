"""A child process renders an SVG unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage

from gradviz.host.svg_to_png import PictureError, write_png
from gradviz.viewer.svg_picture import picture_of

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20" viewBox="0 0 40 20">'
    '<rect width="20" height="20" fill="#ff0000"/></svg>'
)


def colors(image: QImage) -> tuple[str, str]:
    return image.pixelColor(10, 10).name(), image.pixelColor(70, 10).name()


def test_a_picture_has_two_pixels_for_a_unit(qapp: QGuiApplication) -> None:
    image = picture_of(SVG.encode())
    assert (image.width(), image.height()) == (40 * 2, 20 * 2)
    assert colors(image) == ("#ff0000", QColor("white").name())


def test_what_is_no_svg_is_refused(qapp: QGuiApplication) -> None:
    with pytest.raises(ValueError, match="not a valid SVG"):
        picture_of(b"<svg")


def test_a_child_writes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    write_png(SVG, path)
    assert colors(QImage(str(path))) == ("#ff0000", "#ffffff")
    with pytest.raises(PictureError, match="could not be written"):
        write_png(SVG, tmp_path / "none" / "picture.png")
