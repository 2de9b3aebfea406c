"""A film as MP4: H.264 that every player and browser shows, encoded by FFmpeg in a child."""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from imageio_ffmpeg import get_ffmpeg_exe

from gradviz.export.errors import ExportError
from gradviz.export.film.frames import FilmFrame, FilmTiming

_RATE = 30
"""Frames per second."""

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


def mp4_timing(seconds: float) -> FilmTiming:
    """Steps of a time in seconds at 30 frames per second."""
    return FilmTiming(seconds=seconds, rate=_RATE, fade_ticks=1)


def write_mp4(path: Path, frames: Iterator[FilmFrame], name: Path | None = None) -> None:
    """Write an MP4.

    Args:
        path: The file.
        frames: At least one frame, timed by `mp4_timing`; width and height are even.
        name: The file that an error names if the path is a temporary one.

    Raises:
        ExportError: If FFmpeg is missing, cannot be started or failed, with the reason.
    """
    first = next(frames)
    with tempfile.TemporaryFile() as errors:
        try:
            encoder = _started(path, first.picture.size, errors)
        except OSError as error:
            reason = f"{error.filename}: {error.strerror}"
            raise ExportError("export.encoding", path=name or path, reason=reason) from None
        try:
            _send(encoder, itertools.chain([first], frames))
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
            raise ExportError("export.encoding", path=name or path, reason=reason)


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


def _started(path: Path, size: tuple[int, int], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """An encoder that takes frames from its standard input."""
    program = find_ffmpeg()
    width, height = size
    source = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(_RATE))
    return subprocess.Popen(
        [
            *(program, "-y", "-loglevel", "error", *source, "-i", "pipe:0", "-vf", _FILTERS),
            *(*_H264, *_MP4, str(path.absolute())),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        # Ctrl+C in the terminal interrupts only this process, which then ends FFmpeg.
        start_new_session=os.name == "posix",
    )


def _send(encoder: subprocess.Popen[bytes], frames: Iterable[FilmFrame]) -> None:
    """Write the pixels to an encoder, and end its input."""
    assert encoder.stdin is not None
    for frame in frames:
        pixels = frame.picture.tobytes()
        try:
            for _ in range(frame.ticks):
                encoder.stdin.write(pixels)
        except OSError:
            # FFmpeg has ended and said why. On Windows this is no BrokenPipeError.
            break
    _close(encoder)


def _close(encoder: subprocess.Popen[bytes]) -> None:
    assert encoder.stdin is not None
    # It flushes, which fails if FFmpeg has ended.
    with contextlib.suppress(OSError):
        encoder.stdin.close()
