"""Requirements and encoding of a film of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.optional_packages import missing_packages
from gradviz.export.errors import ExportError

if TYPE_CHECKING:
    # Needs Pillow.
    from gradviz.export.film.frames import FilmFrame, FilmTiming
    from gradviz.export.graph.svg_figure import FigureFrame

FILM_SIZE = (1280, 720)
"""Width and height unless others are asked for; MP4 needs even ones."""

FILM_SECONDS = 1.5
"""Time of a step unless another one is asked for."""

PictureRenderer = Callable[[Iterable[str], Sequence[Path]], None]
"""Renders SVGs to PNG files at a scale of 1."""


def missing_for_film(suffix: str) -> str:
    """Say in one sentence what is missing for a film of that suffix; empty if nothing is."""
    if missing := missing_packages("film", "draw"):
        return missing
    if suffix == ".mp4":
        from gradviz.export.film.mp4 import find_ffmpeg

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
    pause: Callable[[], object] = lambda: None,
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
        pause: Called between frames while the colors of a GIF are chosen.

    Raises:
        ExportError: If FFmpeg is missing or failed.
        OSError: If the file cannot be written.
    """
    from gradviz.export.film.frames import film_frames

    caption = round(frame.caption_height)
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        pictures = [Path(folder) / f"{at}.png" for at in range(len(frame.tops))]
        render(svgs, pictures)

        def frames(timing: FilmTiming, call: Callable[[int], object]) -> Iterator[FilmFrame]:
            for each in film_frames(pictures, timing, caption):
                call(each.at)
                yield each

        if name.suffix.lower() == ".gif":
            from gradviz.export.film.gif import film_palette, gif_timing, write_gif

            timing = gif_timing(seconds)
            palette = film_palette(frames(timing, lambda _: pause()))
            write_gif(path, frames(timing, on_frame), palette)
        else:
            from gradviz.export.film.mp4 import mp4_timing, write_mp4

            write_mp4(path, frames(mp4_timing(seconds), on_frame), name)
