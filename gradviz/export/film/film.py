"""Requirements and encoding of a film of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.optional_packages import missing_packages
from gradviz.export.errors import ExportError

if TYPE_CHECKING:
    from gradviz.export.graph.svg_figure import FigureFrame

FILM_SIZE = (1280, 720)
"""Width and height unless others are asked for; MP4 needs even ones."""

FILM_SECONDS = 1.5
"""Time of a step unless another one is asked for."""

PictureRenderer = Callable[[Iterable[str], Sequence[Path]], None]
"""Renders SVGs to PNG files at a scale of 1."""


def missing_for_film() -> str:
    """Say in one sentence what is missing for a film; empty if nothing is."""
    if missing := missing_packages("film", "draw"):
        return missing
    from gradviz.export.film.encoder import find_ffmpeg

    try:
        find_ffmpeg()
    except ExportError as error:
        return str(error)
    return ""


def write_film(
    path: Path,
    svgs: Iterable[str],
    frame: FigureFrame,
    render: PictureRenderer,
    on_frame: Callable[[int], None],
    *,
    seconds: float = FILM_SECONDS,
    name: Path,
) -> None:
    """Render a picture of each step, and encode them as GIF or MP4.

    If an argument raises when it is called, no pictures and no process are left.

    Args:
        path: The file, which may be a temporary one.
        svgs: Figures of the steps, in their frame.
        frame: The frame.
        render: Renders them.
        on_frame: Called for each frame that is about to be encoded, with the position of its step,
            from 0.
        seconds: Time of each step.
        name: The file that the user named, whose suffix decides the format.

    Raises:
        ExportError: If FFmpeg is missing or failed.
        OSError: If the file cannot be written.
    """
    from gradviz.export.film.encoder import encode_film

    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        pictures = [Path(folder) / f"{at}.png" for at in range(len(frame.tops))]
        render(svgs, pictures)
        encode_film(path, pictures, round(frame.caption_height), seconds, name, on_frame)
