"""An MP4 that every player shows: H.264, 4:2:0, even sizes, the colors of BT.709."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gradviz.export.errors import ExportError
from tests.export.film.pictures import CAPTION, SIZE, Image, pictures

frames = pytest.importorskip("gradviz.export.film.frames", reason="needs the film extra")
mp4 = pytest.importorskip("gradviz.export.film.mp4", reason="needs the film extra")


# Takes all frames, and does not end.
ENDLESS = """#!{python}
import os, sys, time
from pathlib import Path
Path("{number}.new").write_text(str(os.getpid()))
Path("{number}.new").rename("{number}")
sys.stdin.buffer.read()
time.sleep(1000)
"""


def film_of(paths: list[Path], seconds: float = 0.5) -> Iterator[object]:
    return frames.film_frames(paths, mp4.mp4_timing(seconds), CAPTION)


def decoded(path: Path) -> np.ndarray:
    """The pixels of all frames."""
    program = [mp4.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path)]
    done = subprocess.run(
        [*program, "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    )
    return np.frombuffer(done.stdout, np.uint8).reshape(-1, SIZE[1], SIZE[0], 3).astype(int)


def test_frames_and_pixels(tmp_path: Path) -> None:
    paths, film = pictures(tmp_path), tmp_path / "a.mp4"
    mp4.write_mp4(film, film_of(paths))
    pixels = decoded(film)
    assert len(pixels) == 3 * 15
    for at, path in ((0, paths[0]), (14, paths[0]), (29, paths[1]), (44, paths[2])):
        expected = np.asarray(Image.open(path).convert("RGB")).astype(int)
        assert np.abs(pixels[at] - expected).mean() < 4
        # Inside of the fields, where no color is mixed with its neighbor's.
        assert np.abs(pixels[at][20:26, 14:26] - expected[20:26, 14:26]).max() < 8


def test_every_player_shows_it(tmp_path: Path) -> None:
    film = tmp_path / "a.mp4"
    mp4.write_mp4(film, film_of(pictures(tmp_path)))
    told = subprocess.run(
        [mp4.get_ffmpeg_exe(), "-i", str(film)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    ).stderr
    assert re.search(r"Video: h264 \(High\).* yuv420p\(tv, bt709, progressive\), 64x36", told)
    assert "30 fps" in told
    assert "Duration: 00:00:01.50" in told
    # A browser plays it while it loads: the table of contents comes first.
    data = film.read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


def test_what_ffmpeg_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"none.*could not be encoded: .*No such file"):
        mp4.write_mp4(tmp_path / "none" / "a.mp4", film_of(pictures(tmp_path)))


def test_a_system_without_ffmpeg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(mp4, "get_ffmpeg_exe", missing)
    with pytest.raises(ExportError, match="set IMAGEIO_FFMPEG_EXE"):
        mp4.write_mp4(tmp_path / "a.mp4", film_of(pictures(tmp_path)))


def test_an_ffmpeg_that_cannot_be_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mp4, "get_ffmpeg_exe", lambda: str(tmp_path / "none"))
    with pytest.raises(ExportError, match=r"a\.mp4 could not be encoded: .*none: No such file"):
        mp4.write_mp4(tmp_path / "a.mp4", film_of(pictures(tmp_path)))


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

    monkeypatch.setattr(mp4, "_started", started)
    with pytest.raises(ExportError, match=r"a\.mp4 could not be encoded: 1"):
        mp4.write_mp4(tmp_path / "a.mp4", film_of(pictures(tmp_path)))


@pytest.mark.skipif(sys.platform == "win32", reason="a program is made as a script here")
def test_an_interruption_ends_the_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program, number = tmp_path / "ffmpeg", tmp_path / "number"
    program.write_text(ENDLESS.format(python=sys.executable, number=str(number)))
    program.chmod(0o755)
    monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))

    def interrupted() -> Iterator[object]:
        yield next(film_of(pictures(tmp_path)))
        while not number.exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        mp4.write_mp4(tmp_path / "a.mp4", interrupted())
    with pytest.raises(ProcessLookupError):
        os.kill(int(number.read_text()), 0)
