"""Films encoded by FFmpeg in a child: GIF, and H.264 that every player and browser shows."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from imageio_ffmpeg import get_ffmpeg_exe
from PIL import Image

from gradviz.export.errors import ExportError

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


_QUALITY = 18
"""Constant rate factor of x264: 0 is lossless, 18 looks like it, 23 is its default."""

# Players take the colors of a large picture for those of BT.709; FFmpeg would write BT.601.
_FILTERS = (
    "scale=in_range=full:out_range=tv:out_color_matrix=bt709,format=yuv420p,"
    "setparams=color_primaries=bt709:color_trc=bt709"
)
_H264 = ("-c:v", "libx264", "-profile:v", "high", "-crf", str(_QUALITY), "-tune", "animation")
# The table of contents comes first, so that a browser can play what it has.
_MP4 = ("-movflags", "+faststart", "-f", "mp4")


_PALETTE = ("-f", "image2pipe", "-c:v", "png", "-i", "pipe:0", "-vf", "palettegen")
# A frame like the one before is left out, and that one lasts longer.
_GIF_FILTERS = "mpdecimate=hi=0:lo=0:frac=0,paletteuse=dither=none:diff_mode=rectangle"
_GIF = ("-lavfi", _GIF_FILTERS, "-fps_mode", "vfr", "-loop", "0", "-f", "gif")

_TIMINGS = {
    # A GIF counts in hundredths of a second, and viewers slow down frames of one.
    ".gif": FilmTiming(seconds=1, rate=50, fade_ticks=3),
    ".mp4": FilmTiming(seconds=1, rate=30, fade_ticks=1),
}


def film_timing(suffix: str, seconds: float) -> FilmTiming:
    """Steps of a time in seconds, for ``.gif`` or ``.mp4``."""
    return replace(_TIMINGS[suffix.lower()], seconds=seconds)


def encode_film(
    path: Path,
    pictures: Sequence[Path],
    caption_height: int,
    seconds: float,
    name: Path,
    on_frame: Callable[[int], object] = lambda _: None,
) -> None:
    """Write a GIF, which repeats for ever, or an MP4.

    Args:
        path: The file.
        pictures: Image files of one size, one for each step; of even width and height for an MP4.
        caption_height: Pixels at the top that do not fade.
        seconds: Time of each step.
        name: The file that the user named, whose suffix decides the format.
        on_frame: Called for each frame that is about to be encoded, with the position of its step.

    Raises:
        ExportError: If FFmpeg is missing, cannot be started or failed, with the reason.
    """
    suffix, timing = name.suffix.lower(), film_timing(name.suffix, seconds)
    frames = film_frames(pictures, timing, caption_height)
    first = next(frames)

    def pixels() -> Iterator[bytes]:
        for frame in itertools.chain([first], frames):
            on_frame(frame.at)
            yield from itertools.repeat(frame.picture.tobytes(), frame.ticks)

    width, height = first.picture.size
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    source += ["-r", str(timing.rate), "-i", "pipe:0"]
    if suffix == ".mp4":
        _run(name, [*source, "-vf", _FILTERS, *_H264, *_MP4, str(path.absolute())], pixels())
        return
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        colors = f"{folder}/colors.png"
        _run(name, [*_PALETTE, colors], (each.read_bytes() for each in pictures))
        # Nothing follows the last frame that would end it.
        *_, last = film_frames(pictures[-2:], timing, caption_height)
        delay = ("-final_delay", str(last.ticks * 100 // timing.rate))
        _run(name, [*source, "-i", colors, *_GIF, *delay, str(path.absolute())], pixels())


def _run(name: Path, arguments: Sequence[str], sent: Iterable[bytes]) -> None:
    """Run FFmpeg with some bytes as its input."""
    with tempfile.TemporaryFile() as errors:
        try:
            encoder = _started(arguments, errors)
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}"
            raise ExportError("export.encoding", path=name, reason=reason) from None
        try:
            _send(encoder, sent)
            encoder.wait()
        finally:
            # It has ended unless this process was interrupted.
            encoder.kill()
            encoder.wait()
            _close(encoder)
        if encoder.returncode != 0:
            errors.seek(0)
            lines = errors.read().decode(errors="replace").strip().splitlines()
            reason = lines[-1].strip() if lines else str(encoder.returncode)
            raise ExportError("export.encoding", path=name, reason=reason)


def find_ffmpeg() -> str:
    """The path of FFmpeg's program.

    Raises:
        ExportError: If it is missing.
    """
    try:
        program: str = get_ffmpeg_exe()
    except RuntimeError:
        raise ExportError("export.no_ffmpeg") from None
    return program


def _started(arguments: Sequence[str], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """An encoder that takes frames from its standard input."""
    return subprocess.Popen(
        [find_ffmpeg(), "-y", "-loglevel", "error", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        # Ctrl+C in the terminal interrupts only this process, which then ends FFmpeg.
        start_new_session=os.name == "posix",
    )


def _send(encoder: subprocess.Popen[bytes], sent: Iterable[bytes]) -> None:
    """Write to an encoder, and end its input."""
    assert encoder.stdin is not None
    for each in sent:
        try:
            encoder.stdin.write(each)
        except OSError:
            # FFmpeg has ended and said why. On Windows this is no BrokenPipeError.
            break
    _close(encoder)


def _close(encoder: subprocess.Popen[bytes]) -> None:
    assert encoder.stdin is not None
    # It flushes, which fails if FFmpeg has ended.
    with contextlib.suppress(OSError):
        encoder.stdin.close()
