"""A GIF has the film's frames and times, repeats, and stores only what changes."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from tests.export.film.pictures import CAPTION, SIZE, Image, pictures

frames = pytest.importorskip("gradviz.export.film.frames", reason="needs the film extra")
gif = pytest.importorskip("gradviz.export.film.gif", reason="needs the film extra")


def written(folder: Path, paths: list[Path], seconds: float = 1.5) -> Path:
    path, timing = folder / "a.gif", gif.gif_timing(seconds)
    palette = gif.film_palette(frames.film_frames(paths, timing, CAPTION))
    gif.write_gif(path, frames.film_frames(paths, timing, CAPTION), palette)
    return path


def test_frames_times_and_pixels(tmp_path: Path) -> None:
    paths = pictures(tmp_path)
    with Image.open(written(tmp_path, paths)) as film:
        assert (film.size, film.n_frames, film.info["loop"]) == (SIZE, 13, 0)
        times = []
        for number in range(film.n_frames):
            film.seek(number)
            times.append(film.info["duration"])
            if number % 6 == 0:
                expected = Image.open(paths[number // 6]).convert("RGB")
                assert np.array_equal(np.asarray(film.convert("RGB")), np.asarray(expected))
    assert times == [1500, *[60] * 5, 1200, *[60] * 5, 1200]


def test_a_picture_that_stays_the_same_is_shown_longer(tmp_path: Path) -> None:
    paths = [pictures(tmp_path)[0]] * 3
    with Image.open(written(tmp_path, paths)) as film:
        assert (film.n_frames, film.info["duration"]) == (1, 4500)


def test_only_changed_pixels_are_stored(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    first, second = tmp_path / "0.png", tmp_path / "1.png"
    Image.fromarray(noise).save(first)
    noise[100:104, 50:60] = 0
    Image.fromarray(noise).save(second)
    one = len(written(tmp_path, [first]).read_bytes())
    assert len(written(tmp_path, [first, second]).read_bytes()) - one < 1000


def test_the_palette_has_the_frequent_colors_and_is_near_to_the_others(tmp_path: Path) -> None:
    # A field of one color, and more colors than a palette can have.
    field = np.full((300, 256, 3), (251, 252, 254), dtype=np.uint8)
    ramp = np.arange(256, dtype=np.uint8)
    field[:, :, 2][200:] = 90
    field[200:, :, 0], field[200:, :, 1] = ramp[None], np.linspace(0, 255, 100)[:, None]
    picture = Image.fromarray(field)
    palette = gif.film_palette([frames.FilmFrame(picture=picture, ticks=1, at=0)])
    assert len(palette.colors) <= 255
    seen = palette.colors[palette.indices(picture)].astype(int)
    assert (seen[:200] == (251, 252, 254)).all()
    assert np.abs(seen - field).max() < 24


def test_black_and_white_alone(tmp_path: Path) -> None:
    path = tmp_path / "0.png"
    Image.new("RGB", SIZE, "black").save(path)
    data = written(tmp_path, [path]).read_bytes()
    with Image.open(io.BytesIO(data)) as film:
        assert film.convert("RGB").getcolors() == [(SIZE[0] * SIZE[1], (0, 0, 0))]
