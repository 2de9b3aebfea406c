"""A film as an animated GIF: one palette, and of each frame only what differs from the one before.

Pillow's own writer keeps all frames of a film in memory; this one keeps two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from gradviz.export.film.frames import FilmFrame, FilmTiming

_COLORS = 255
"""Colors of the palette; one more entry is transparent, for pixels that do not change."""

_EXACT = 80
"""Number of the most frequent colors, which are in the palette as they are."""

_BITS = 6
_CELLS = 1 << 3 * _BITS
"""Colors that agree in these bits of each channel share a cell, and an entry of the palette."""

_Pixels = NDArray[np.uint8]


def gif_timing(seconds: float) -> FilmTiming:
    """Steps of a time in seconds; a GIF counts in hundredths of a second."""
    return FilmTiming(seconds=seconds, rate=100, fade_ticks=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmPalette:
    """The colors of a film.

    Attributes:
        colors: Up to 255 colors, [colors, 3].
        entries: For each cell of colors that the film has the nearest entry.
    """

    colors: _Pixels
    entries: _Pixels

    def indices(self, picture: Image.Image) -> _Pixels:
        """A picture as indices of colors, [rows, columns]."""
        return self.entries[_cells(np.asarray(picture))]


def film_palette(frames: Iterable[FilmFrame]) -> FilmPalette:
    """Choose the colors that suit all frames of a film, the more the longer they are shown."""
    counts, sums = np.zeros(_CELLS), np.zeros((3, _CELLS))
    for frame in frames:
        pixels = np.asarray(frame.picture)
        cells = _cells(pixels).ravel()
        counts += frame.ticks * np.bincount(cells, minlength=_CELLS)
        for channel, total in enumerate(sums):
            values = pixels[..., channel].ravel()
            total += frame.ticks * np.bincount(cells, values, minlength=_CELLS)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    means = np.rint(sums[:, order] / counts[order]).astype(np.uint8).T
    colors = np.concatenate([means[:_EXACT], _reduced(means[_EXACT:], _COLORS - _EXACT)])
    entries = np.zeros(_CELLS, dtype=np.uint8)
    entries[order] = _nearest(means, colors)
    return FilmPalette(colors=colors, entries=entries)


def _cells(pixels: _Pixels) -> NDArray[np.int32]:
    levels = (pixels >> (8 - _BITS)).astype(np.int32)
    return (levels[..., 0] << 2 * _BITS) | (levels[..., 1] << _BITS) | levels[..., 2]


def _reduced(colors: _Pixels, most: int) -> _Pixels:
    """Reduce colors to at most a number of similar ones."""
    if len(colors) <= most:
        return colors
    image = Image.fromarray(colors[None])
    reduced = image.quantize(most, Image.Quantize.MAXCOVERAGE, kmeans=1).getpalette() or []
    return np.array(reduced[: 3 * most], dtype=np.uint8).reshape(-1, 3)


def _nearest(colors: _Pixels, others: _Pixels) -> _Pixels:
    """For each color the index of the nearest of some others."""
    found = np.empty(len(colors), dtype=np.uint8)
    points = others.astype(np.float32)
    half_squares = (points**2).sum(axis=1) / 2
    for start in range(0, len(colors), 1 << 14):
        part = colors[start : start + (1 << 14)].astype(np.float32)
        # |a - b|^2 is least where a * b - |b|^2 / 2 is largest.
        found[start : start + len(part)] = (part @ points.T - half_squares).argmax(axis=1)
    return found


def write_gif(path: Path, frames: Iterable[FilmFrame], palette: FilmPalette) -> None:
    """Write a GIF that repeats for ever.

    Args:
        path: The file.
        frames: Frames of one size, timed by `gif_timing`.
        palette: From `film_palette`.

    Raises:
        OSError: If it cannot be written.
    """
    shown: _Pixels | None = None
    held: _Image | None = None
    with path.open("wb") as file:
        for frame in frames:
            pixels = palette.indices(frame.picture)
            if held is None or shown is None:
                file.writelines(_header(frame.picture.size, palette))
                held = _Image(pixels=pixels, left=0, top=0, ticks=frame.ticks)
            elif (pixels == shown).all():
                held = replace(held, ticks=held.ticks + frame.ticks)
            else:
                file.writelines(_encoded(held))
                held = _changes(pixels, shown, frame.ticks)
            shown = pixels
        file.writelines(_encoded(held) if held is not None else [])
        file.write(b";")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Image:
    """A part of a frame as indices into the palette, and how long it is shown."""

    pixels: _Pixels
    left: int
    top: int
    ticks: int


def _header(size: tuple[int, int], palette: FilmPalette) -> list[bytes]:
    image = Image.new("P", size)
    image.putpalette(palette.colors.tobytes())
    return GifImagePlugin.getheader(image, info={"loop": 0})[0]


def _changes(pixels: _Pixels, shown: _Pixels, ticks: int) -> _Image:
    """The smallest rectangle that holds all changes; other pixels in it are transparent."""
    changed = pixels != shown
    rows, columns = np.flatnonzero(changed.any(axis=1)), np.flatnonzero(changed.any(axis=0))
    part = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return _Image(
        pixels=np.where(changed[part], pixels[part], np.uint8(_COLORS)),
        left=int(columns[0]),
        top=int(rows[0]),
        ticks=ticks,
    )


def _encoded(image: _Image) -> list[bytes]:
    return GifImagePlugin.getdata(
        Image.fromarray(image.pixels),
        (image.left, image.top),
        duration=10 * image.ticks,
        transparency=_COLORS,
        # The next one is drawn over it.
        disposal=1,
    )
