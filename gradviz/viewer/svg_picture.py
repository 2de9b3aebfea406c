"""Renders SVG documents to PNG files or to a PDF in its own process.

    python -m gradviz.viewer.svg_picture opaque|transparent SCALE OUT.png ...
    python -m gradviz.viewer.svg_picture pdf TITLE OUT.pdf

The documents are read from standard input, each followed by a NUL. It needs its own process because
there can be only one Qt application in a process, and the caller may be a notebook.
"""

from __future__ import annotations

import html
import os
import re
import sys
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from PySide6.QtCore import (
    QByteArray,
    QIODevice,
    QMarginsF,
    QPointF,
    QRectF,
    QSaveFile,
    QSizeF,
    Qt,
)
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QImageWriter,
    QPageSize,
    QPainter,
    QPdfWriter,
    QTextCharFormat,
    QTextLayout,
)
from PySide6.QtSvg import QSvgRenderer

from gradviz.drawing.appearance.text_styles import FAMILIES
from gradviz.viewer.theme.theme import load_fonts

_FAMILIES = FAMILIES.encode()
_LINK = re.compile(rb'<a href="([^"]*)"')
_MOST_PIXELS = 16_000
"""Longest side of the image."""

_POINTS = 72 / 96
"""Points for each unit of an SVG, of which CSS defines 96 as an inch."""


def render_image(svg: bytes, scale: float = 2, *, transparent: bool = False) -> QImage:
    """Render an SVG.

    Requires a running application.

    Args:
        svg: The document.
        scale: Pixels for each unit of it, fewer if it is very large.
        transparent: Whether what it does not paint is transparent and not white.

    Raises:
        ValueError: If it is not a valid SVG.
    """
    renderer = _renderer(svg)
    size = renderer.defaultSize()
    fitting = min(scale, _MOST_PIXELS / max(size.width(), size.height(), 1))
    formats = QImage.Format
    image = QImage(size * fitting, formats.Format_ARGB32 if transparent else formats.Format_RGB32)
    image.fill(Qt.GlobalColor.transparent if transparent else Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    return image


def render_pdf(svgs: Iterator[bytes], device: QIODevice, title: str) -> None:
    """Write a PDF with a page for each SVG, as large as the SVG.

    Requires a running application.

    Raises:
        ValueError: If one is not a valid SVG.
    """
    writer = QPdfWriter(device)
    writer.setTitle(title)
    writer.setCreator("gradviz")
    writer.setPageMargins(QMarginsF())
    painter = QPainter()
    for svg in svgs:
        renderer = _renderer(svg)
        size = QSizeF(renderer.defaultSize()) * _POINTS
        match = QPageSize.SizeMatchPolicy.ExactMatch
        # The page that is set before `begin` or `newPage` is the next one.
        writer.setPageSize(QPageSize(size, QPageSize.Unit.Point, "", match))
        if painter.isActive():
            writer.newPage()
        else:
            painter.begin(writer)
        page = QRectF(0, 0, writer.width(), writer.height())
        renderer.render(painter, page)
        if (link := _LINK.search(svg)) is not None:
            scale = page.width() / renderer.viewBoxF().width()
            painter.scale(scale, scale)
            _add_link(painter, renderer.boundsOnElement("link"), html.unescape(link[1].decode()))
            painter.resetTransform()
    painter.end()


def _add_link(painter: QPainter, area: QRectF, address: str) -> None:
    """Make an area of a PDF lead to an address: Qt does so for texts, of which none is visible."""
    link = QTextCharFormat()
    link.setAnchor(True)
    link.setAnchorHref(address)
    link.setForeground(Qt.GlobalColor.transparent)
    every = QTextLayout.FormatRange()
    every.start, every.length, every.format = 0, 1, link
    layout = QTextLayout("\u00a0", painter.font())
    layout.setFormats([every])
    layout.beginLayout()
    line = layout.createLine()
    layout.endLayout()
    painter.translate(area.topLeft())
    painter.scale(area.width() / line.naturalTextWidth(), area.height() / line.height())
    layout.draw(painter, QPointF())


def _renderer(svg: bytes) -> QSvgRenderer:
    load_fonts()
    # Qt takes the list of font families for a single name, and would fall back to any font.
    renderer = QSvgRenderer(QByteArray(svg.replace(_FAMILIES, b"Inter")))
    if not renderer.isValid():
        raise ValueError("not a valid SVG")
    return renderer


def _documents(stream: BinaryIO) -> Iterator[bytes]:
    """The documents, each of which ends with a NUL."""
    left = b""
    while chunk := stream.read(1 << 20):
        *whole, left = (left + chunk).split(b"\0")
        yield from whole


def main(arguments: Sequence[str]) -> str:
    """Render standard input to files; return why that failed, or an empty text."""
    kind, option, *paths = arguments
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    documents = _documents(sys.stdin.buffer)
    for path in paths:
        # Replaces an existing file only when all is written.
        file = QSaveFile(path)
        if not file.open(QIODevice.OpenModeFlag.WriteOnly):
            return file.errorString()
        if kind == "pdf":
            render_pdf(documents, file, option)
        else:
            image = render_image(next(documents), float(option), transparent=kind == "transparent")
            writer = QImageWriter(file, b"png")
            if not writer.write(image):
                return writer.errorString()
        if not file.commit():
            return file.errorString()
    app.processEvents()
    return ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
