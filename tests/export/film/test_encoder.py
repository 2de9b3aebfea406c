"""Films have the pictures and times of their steps, and formats that every player shows."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradviz.export.errors import ExportError
from tests.export.film.pictures import CAPTION, SIZE, Image, pictures
from tests.programs import run_program

encoder = pytest.importorskip("gradviz.export.film.encoder", reason="needs the film extra")


# Takes all frames, and does not end.
ENDLESS = """#!{python}
import os, sys, time
from pathlib import Path
Path("{number}.new").write_text(str(os.getpid()))
Path("{number}.new").rename("{number}")
sys.stdin.buffer.read()
time.sleep(1000)
"""


def encode(path: Path, paths: list[Path], seconds: float = 0.5) -> Path:
    encoder.encode_film(path, paths, CAPTION, seconds, path)
    return path


def decoded(path: Path) -> np.ndarray:
    """The pixels of all frames."""
    program = [encoder.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path)]
    done = subprocess.run(
        [*program, "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3).astype(int)


def test_frames_and_pixels(tmp_path: Path) -> None:
    paths, film = pictures(tmp_path), tmp_path / "a.mp4"
    encode(film, paths)
    pixels = decoded(film)
    assert len(pixels) == 3 * 15
    for at, path in ((0, paths[0]), (14, paths[0]), (29, paths[1]), (44, paths[2])):
        expected = np.asarray(Image.open(path).convert("RGB")).astype(int)
        assert np.abs(pixels[at] - expected).mean() < 4
        # Inside of the fields, where no color is mixed with its neighbor's.
        assert np.abs(pixels[at][20:26, 14:26] - expected[20:26, 14:26]).max() < 8


def test_every_player_shows_it(tmp_path: Path) -> None:
    film = tmp_path / "a.mp4"
    encode(film, pictures(tmp_path))
    told = run_program([encoder.get_ffmpeg_exe(), "-i", str(film)]).stderr
    assert re.search(r"Video: h264 \(High\).* yuv420p\(tv, bt709, progressive\), 64x36", told)
    assert "30 fps" in told
    assert "Duration: 00:00:01.50" in told
    # A browser plays it while it loads: the table of contents comes first.
    data = film.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_what_ffmpeg_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"none.*could not be encoded: .*No such file"):
        encode(tmp_path / "none" / "a.mp4", pictures(tmp_path))


def test_a_system_without_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(encoder, "get_ffmpeg_exe", missing)
    with pytest.raises(ExportError, match="set IMAGEIO_FFMPEG_EXE"):
        encode(tmp_path / "a.mp4", pictures(tmp_path))


def test_an_ffmpeg_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "get_ffmpeg_exe", lambda: str(tmp_path / "none"))
    with pytest.raises(ExportError, match=r"a\.mp4 could not be encoded: .*none: No such file"):
        encode(tmp_path / "a.mp4", pictures(tmp_path))


def test_an_encoder_that_ends_early_on_windows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Pipe:
        """A pipe whose reader has ended, which Windows calls an invalid argument."""

        def write(self, pixels: bytes) -> None:
            raise OSError(errno.EINVAL, "Invalid argument")

        def close(self) -> None:
            raise OSError(errno.EINVAL, "Invalid argument")

    def started(*_arguments: object) -> object:
        return SimpleNamespace(stdin=Pipe(), returncode=1, wait=lambda: 1, kill=lambda: None)

    monkeypatch.setattr(encoder, "_started", started)
    with pytest.raises(ExportError, match=r"a\.mp4 could not be encoded: 1"):
        encode(tmp_path / "a.mp4", pictures(tmp_path))


@pytest.mark.skipif(sys.platform == "win32", reason="a program is made as a script here")
def test_an_interruption_ends_the_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, number = tmp_path / "ffmpeg", tmp_path / "number"
    program.write_text(ENDLESS.format(python=sys.executable, number=str(number)))
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))

    def interrupt(_at: int) -> None:
        # The first frame is sent when the encoder has started.
        while not number.exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    film = tmp_path / "a.mp4"
    with pytest.raises(KeyboardInterrupt):
        encoder.encode_film(film, pictures(tmp_path), CAPTION, 0.5, film, interrupt)
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)


def test_frames_times_and_pixels_of_a_gif(tmp_path: Path) -> None:
    paths = pictures(tmp_path)
    with Image.open(encode(tmp_path / "a.gif", paths, 1.5)) as film:
        assert (film.size, film.n_frames, film.info["loop"]) == (SIZE, 13, 0)
        times = []
        for number in range(film.n_frames):
            film.seek(number)
            times.append(film.info["duration"])
            if number % 6 == 0:
                expected = np.asarray(Image.open(paths[number // 6]).convert("RGB"))
                shown = np.asarray(film.convert("RGB"))
                assert np.abs(shown.astype(int) - expected).max() < 3
    assert times == [1500, *[60] * 5, 1200, *[60] * 5, 1200]


def test_a_picture_that_stays_the_same_is_shown_longer(tmp_path: Path) -> None:
    first, second, _ = pictures(tmp_path)
    with Image.open(encode(tmp_path / "a.gif", [first, first, second], 1.5)) as film:
        assert (film.n_frames, film.info["duration"]) == (7, 3000)


def test_a_gif_stores_only_changed_pixels(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    first, second = tmp_path / "0.png", tmp_path / "1.png"
    Image.fromarray(noise).save(first)
    noise[100:104, 50:60] = 0
    Image.fromarray(noise).save(second)
    one = encode(tmp_path / "1.gif", [first]).stat().st_size
    assert encode(tmp_path / "2.gif", [first, second]).stat().st_size - one < one / 10


def test_a_gif_has_the_color_of_a_large_field_and_is_near_to_the_others(tmp_path: Path) -> None:
    # A field of one color, and more colors than a palette can have.
    field = np.full((300, 256, 3), (251, 252, 254), dtype=np.uint8)
    ramp = np.arange(256, dtype=np.uint8)
    field[:, :, 2][200:] = 90
    field[200:, :, 0], field[200:, :, 1] = ramp[None], np.linspace(0, 255, 100)[:, None]
    Image.fromarray(field).save(tmp_path / "0.png")
    with Image.open(encode(tmp_path / "a.gif", [tmp_path / "0.png"])) as film:
        seen = np.asarray(film.convert("RGB")).astype(int)
    assert (seen[:200] == (251, 252, 254)).all()
    assert np.abs(seen - field)[200:].mean() < 8


@pytest.mark.parametrize("seconds", [0.1, 0.25, 1, 1.49, 1.5, 60])
@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_each_step_has_its_time(tmp_path: Path, seconds: float, suffix: str) -> None:
    timing = encoder.film_timing(suffix, seconds)
    shown = list(encoder.film_frames(pictures(tmp_path), timing, CAPTION))
    assert len(shown) == 3 + 2 * timing.fade_frames
    ends = [sum(each.ticks for each in shown if each.at <= at) for at in range(3)]
    assert ends == [round((at + 1) * seconds * timing.rate) for at in range(3)]
    assert all(each.ticks > 0 for each in shown)
    # At least two thirds of its time, a step stands still.
    fade = timing.fade_frames * timing.fade_ticks
    assert fade <= min(0.3, seconds / 3) * timing.rate + 1e-9


def test_the_graph_fades_and_the_caption_does_not(tmp_path: Path) -> None:
    paths = pictures(tmp_path)
    timing = encoder.film_timing(".gif", 1.5)
    shown = list(encoder.film_frames(paths, timing, CAPTION))
    whole = [each for each in shown if each.ticks > timing.fade_ticks]
    for each, path in zip(whole, paths, strict=True):
        assert each.picture.tobytes() == Image.open(path).convert("RGB").tobytes()
    fade = [each.picture for each in shown[1:6]]
    reds = [picture.getpixel((20, 20))[0] for picture in fade]
    assert reds == sorted(reds)
    assert 0x10 < reds[0] < reds[-1] < 0xE0
    assert {picture.getpixel((20, 6)) for picture in fade} == {whole[1].picture.getpixel((20, 6))}
    assert {picture.getpixel((45, 20)) for picture in fade} == {(128, 128, 128)}
