"""``gradviz export walk.gif`` and ``walk.mp4``: the pictures of the PNG export as a film."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from gradviz.cli import output
from gradviz.cli.main import main
from tests.builders import linear_trace, write_trace

Captured = pytest.CaptureFixture[str]
Image = pytest.importorskip("PIL.Image", reason="needs the packages of the film extra")
imageio_ffmpeg = pytest.importorskip(
    "imageio_ffmpeg", reason="needs the packages of the film extra"
)


@pytest.fixture
def trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(write_trace(tmp_path / "run.gradviz", linear_trace()))


def rgb(path: str) -> np.ndarray:
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB")).astype(int)


def test_a_gif_shows_the_pictures_of_the_png_export(trace: str, capsys: Captured) -> None:
    assert main(["export", trace, "-o", "walk.gif", "--steps", "2:4", "--size", "400x300"]) == 0
    assert capsys.readouterr().out == "walk.gif: 3 steps, 4.5 s\n"
    assert main(["export", trace, "-o", "a.png", "--steps", "2:4", "--size", "400x300"]) == 0
    with Image.open("walk.gif") as film:
        assert (film.size, film.n_frames) == ((400, 300), 3 + 2 * 5)
        for number, step in ((0, 2), (6, 3), (12, 4)):
            film.seek(number)
            difference = np.abs(np.asarray(film.convert("RGB")) - rgb(f"a-{step}.png"))
            assert difference.mean() < 0.3
            assert difference.max() < 64


@pytest.mark.sweep
def test_an_mp4_shows_the_pictures_of_the_png_export(trace: str, capsys: Captured) -> None:
    look = ("--theme", "dark", "--size", "400x300")
    assert main(["export", trace, "-o", "walk.mp4", "--seconds", "0.5", *look]) == 0
    assert capsys.readouterr().out == "walk.mp4: 8 steps, 4 s\n"
    assert main(["export", trace, "-o", "a.png", "--steps", "all", *look]) == 0
    film = subprocess.run(
        [
            *(imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", "walk.mp4"),
            *("-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"),
        ],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
    ).stdout
    frames = np.frombuffer(film, np.uint8).reshape(-1, 300, 400, 3).astype(int)
    assert len(frames) == 8 * 15
    for step in range(1, 9):
        assert np.abs(frames[15 * step - 1] - rgb(f"a-{step}.png")).mean() < 4


@pytest.mark.sweep
def test_a_film_is_as_large_as_most_screens(trace: str) -> None:
    assert main(["export", trace, "-o", "walk.gif", "--steps", "2:2"]) == 0
    assert rgb("walk.gif").shape == (720, 1280, 3)


@pytest.mark.parametrize("name", ["walk.gif", "walk.mp4"])
def test_an_interruption_leaves_the_old_file_and_no_other(
    trace: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    (tmp_path / name).write_text("old")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    told = []

    def interrupted(text: str) -> None:
        told.append(text)
        if text == "Encoding steps: 2 of 3":
            raise KeyboardInterrupt

    monkeypatch.setattr(output, "say_progress", interrupted)
    assert main(["export", trace, "-o", name, "--steps", "2:4", "--size", "200x200"]) == 130
    assert capsys.readouterr().err == "gradviz: stopped.\n"
    assert told[:3] == [f"Drawing figures: {done} of 3" for done in (1, 2, 3)]
    assert {each.name for each in tmp_path.iterdir()} == {"run.gradviz", name, "temporary"}
    assert (tmp_path / name).read_text() == "old"
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="a program is made as a script here")
@pytest.mark.parametrize(
    ("part", "problem"),
    [
        ("renderer", "walk.mp4 could not be rendered: Broken."),
        ("encoder", "walk.mp4 could not be encoded: Broken."),
    ],
)
def test_a_failure_names_the_film(
    trace: str,
    part: str,
    problem: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Captured,
) -> None:
    broken = (sys.executable, "-c", "raise SystemExit('Broken')")
    if part == "renderer":
        monkeypatch.setattr("gradviz.host.svg_rendering.RENDER_COMMAND", broken)
    else:
        program = tmp_path / "ffmpeg"
        program.write_text("#!/bin/sh\necho Broken >&2\nexit 1\n")
        program.chmod(0o755)
        monkeypatch.setenv("IMAGEIO_FFMPEG_EXE", str(program))
    progress: list[str] = []
    monkeypatch.setattr(output, "say_progress", progress.append)
    assert main(["export", trace, "-o", "walk.mp4", "--steps", "2:3", "--size", "200x200"]) == 2
    assert capsys.readouterr().err == f"gradviz: {problem}\n"
    assert progress[-1] == ""


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["a.mp4", "--size", "401x300"], "a.mp4 needs an even width and height, such as 402x300."),
        (["a.gif", "--steps", "7:9"], "There is no step 9; this trace has steps 1 to 8."),
    ],
)
def test_a_film_that_cannot_be_made(
    trace: str, words: list[str], problem: str, capsys: Captured
) -> None:
    assert main(["export", trace, "-o", *words]) == 2
    assert capsys.readouterr().err == f"gradviz: {problem}\n"
