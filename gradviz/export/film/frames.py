"""The frames of a film: a picture of each step, with a short cross-fade of the graph in between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

FADE_S, FADE_SHARE = 0.3, 1 / 3
"""Time of a cross-fade in seconds, and its largest share of a step's time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmTiming:
    """How long frames are shown.

    Attributes:
        seconds: Time of each step, which includes the cross-fade from the step before.
        rate: Ticks per second; each frame lasts a whole number of ticks.
        fade_ticks: Ticks of each frame of a cross-fade.
    """

    seconds: float
    rate: int
    fade_ticks: int

    def step_ticks(self, at: int) -> int:
        """Ticks of a step, counted from 0; rounding does not accumulate."""
        return round((at + 1) * self.seconds * self.rate) - round(at * self.seconds * self.rate)

    @property
    def fade_frames(self) -> int:
        """Number of frames between two pictures."""
        fade_s = min(FADE_S, self.seconds * FADE_SHARE)
        return int(fade_s * self.rate / self.fade_ticks + 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmFrame:
    """One picture of a film.

    Attributes:
        picture: The picture, as RGB.
        ticks: How long it is shown.
        at: Position of its step in the film, from 0.
    """

    picture: Image.Image
    ticks: int
    at: int


def film_frames(
    pictures: Sequence[Path], timing: FilmTiming, caption_height: int
) -> Iterator[FilmFrame]:
    """Read the pictures one by one and fade from each to the next.

    Args:
        pictures: Image files of one size, one for each step.
        timing: How long they are shown.
        caption_height: Pixels at the top that change at once: of two texts in one place, none can
            be read.
    """
    before: Image.Image | None = None
    for at, path in enumerate(pictures):
        picture, ticks = _read(path), timing.step_ticks(at)
        if before is not None:
            box = (0, caption_height, *picture.size)
            is_same = before.crop(box).tobytes() == picture.crop(box).tobytes()
            count = 0 if is_same else timing.fade_frames
            for number in range(1, count + 1):
                blend = Image.blend(before, picture, number / (count + 1))
                blend.paste(picture.crop((0, 0, picture.width, caption_height)))
                yield FilmFrame(picture=blend, ticks=timing.fade_ticks, at=at)
            ticks -= count * timing.fade_ticks
        yield FilmFrame(picture=picture, ticks=ticks, at=at)
        before = picture


def _read(path: Path) -> Image.Image:
    """The pixels of an image file, as RGB."""
    with Image.open(path) as image:
        return image.convert("RGB")
