"""Renders SVG to PNG and PDF in a child process, so that the caller needs no Qt."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic
from typing import IO

from gradviz.catalogue.messages import say
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.host.crash_location import last_line
from gradviz.host.process import environment

RENDER_COMMAND = (sys.executable, "-P", "-m", "gradviz.viewer.svg_picture")
TIMEOUT_S = 120.0
_MORE_TIME_S = 10.0
"""Additional time for each document after the first, in seconds."""

_WAIT_S = 0.1

_MOST_AT_ONCE = 200
"""Number of files in one command line, whose length is limited."""


class PictureError(Exception):
    """Rendering failed; the message is one sentence for people."""


def write_png(svg: str, path: Path) -> None:
    """Render an SVG to a PNG file, with 2 pixels for each unit.

    Args:
        svg: The document.
        path: The file; an existing one is replaced.

    Raises:
        PictureError: If it could not be rendered or written, with the reason.
    """
    write_pngs([svg], [path], scale=2)


def write_pngs(
    svgs: Iterable[str],
    paths: Sequence[Path],
    scale: float,
    *,
    transparent: bool = False,
    name: Path | None = None,
    waiting: Callable[[], object] = lambda: None,
) -> None:
    """Render documents to PNG files, one for each path; see `write_png`.

    Args:
        svgs: The documents.
        paths: The files.
        scale: Pixels for each unit of the document, fewer if it is very large.
        transparent: Whether what a document does not paint is transparent and not white.
        name: The file that an error names if the paths are temporary ones.
        waiting: Called ten times a second meanwhile; if it raises, rendering ends.
    """
    documents = iter(svgs)
    kind = "transparent" if transparent else "opaque"
    for start in range(0, len(paths), _MOST_AT_ONCE):
        some = paths[start : start + _MOST_AT_ONCE]
        # The documents of the next files stay in the iterator.
        _render((next(documents) for _ in some), (kind, str(scale)), some, name, waiting)


def write_pdf(svgs: Iterable[str], path: Path, title: str) -> None:
    """Render documents to one PDF, a page each, with 96 units to the inch and embedded fonts.

    Args:
        svgs: The documents.
        path: The file; an existing one is replaced.
        title: Title for readers that show one.

    Raises:
        PictureError: If it could not be rendered or written, with the reason.
    """
    _render(svgs, ("pdf", title), [path])


def _render(
    svgs: Iterable[str],
    options: tuple[str, str],
    paths: Sequence[Path],
    name: Path | None = None,
    waiting: Callable[[], object] = lambda: None,
) -> None:
    if missing := missing_packages("view"):
        raise PictureError(missing)
    path = paths[0]
    if not path.absolute().parent.is_dir():
        raise PictureError(say("picture.no_folder", path=path))
    with tempfile.TemporaryFile() as documents:
        count = 0
        for svg in svgs:
            # XML cannot contain this character.
            documents.write(svg.encode() + b"\0")
            count += 1
        documents.seek(0)
        seconds = TIMEOUT_S + _MORE_TIME_S * (count - 1)
        command = [*RENDER_COMMAND, *options, *(str(each.absolute()) for each in paths)]
        code, errors = _run_renderer(command, documents, seconds, waiting)
    if code != 0:
        reason_text = last_line(errors.decode(errors="replace"))
        raise PictureError(say("picture.failed", path=name or path, reason=reason_text))


def _run_renderer(
    command: Sequence[str], documents: IO[bytes], seconds: float, waiting: Callable[[], object]
) -> tuple[int, bytes]:
    """Run the renderer; return its exit code, and what it wrote to its standard error."""
    until = monotonic() + seconds
    child = subprocess.Popen(
        command,
        stdin=documents,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), "QT_QPA_PLATFORM": "offscreen"},
    )
    with child:
        try:
            while True:
                try:
                    _, errors = child.communicate(timeout=_WAIT_S)
                    return child.returncode, errors
                except subprocess.TimeoutExpired:
                    waiting()
                if monotonic() > until:
                    raise PictureError(say("picture.timed_out", seconds=seconds))
        except BaseException:
            child.kill()
            raise
