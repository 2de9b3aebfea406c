"""PNG rendering in a child process, so that the caller needs no Qt."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.host.crash_location import last_line
from gradviz.host.process import environment

PNG_COMMAND = (sys.executable, "-P", "-m", "gradviz.viewer.svg_picture")
TIMEOUT_S = 120.0


class PictureError(Exception):
    """Rendering failed; the message is one sentence for people."""


def write_png(svg: str, path: Path, scale: int = 2) -> None:
    """Render an SVG to a PNG file.

    Args:
        svg: The document.
        path: The file; an existing one is replaced.
        scale: Pixels for each unit of the document, fewer if it is very large.

    Raises:
        PictureError: If it could not be rendered or written, with the reason.
    """
    if missing := missing_packages("view"):
        raise PictureError(missing)
    if not path.absolute().parent.is_dir():
        raise PictureError(say("picture.no_folder", path=path))
    try:
        done = subprocess.run(
            [*PNG_COMMAND, str(path.absolute()), str(scale)],
            input=svg.encode(),
            capture_output=True,
            env={**environment(), "QT_QPA_PLATFORM": "offscreen"},
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PictureError(say("picture.timed_out", seconds=TIMEOUT_S)) from None
    if done.returncode != 0:
        reason_text = last_line(done.stderr.decode(errors="replace"))
        raise PictureError(say("picture.failed", path=path, reason=reason_text))
