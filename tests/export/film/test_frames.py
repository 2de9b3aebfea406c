"""Each step has its time, and the graph fades from one to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.export.film.pictures import CAPTION, Image, pictures

frames = pytest.importorskip("gradviz.export.film.frames", reason="needs the film extra")
encoder = pytest.importorskip("gradviz.export.film.encoder", reason="needs the film extra")


@pytest.mark.parametrize("seconds", [0.1, 0.25, 1, 1.49, 1.5, 60])
@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_each_step_has_its_time(tmp_path: Path, seconds: float, suffix: str) -> None:
    timing = encoder.film_timing(suffix, seconds)
    shown = list(frames.film_frames(pictures(tmp_path), timing, CAPTION))
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
    shown = list(frames.film_frames(paths, timing, CAPTION))
    whole = [each for each in shown if each.ticks > timing.fade_ticks]
    for each, path in zip(whole, paths, strict=True):
        assert each.picture.tobytes() == Image.open(path).convert("RGB").tobytes()
    fade = [each.picture for each in shown[1:6]]
    reds = [picture.getpixel((20, 20))[0] for picture in fade]
    assert reds == sorted(reds)
    assert 0x10 < reds[0] < reds[-1] < 0xE0
    assert {picture.getpixel((20, 6)) for picture in fade} == {whole[1].picture.getpixel((20, 6))}
    assert {picture.getpixel((45, 20)) for picture in fade} == {(128, 128, 128)}
