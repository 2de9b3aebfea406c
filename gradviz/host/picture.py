"""Has a picture painted by a child, since the process that wants it may have no Qt to spare."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from gradviz.host.process import environment
from gradviz.host.where import last_line

PAINTER = (sys.executable, "-P", "-m", "gradviz.viewer.svg_picture")
TIMEOUT_S = 120.0


class PictureError(Exception):
    """No picture was made; the message is one sentence for people."""


def write_png(svg: str, path: Path) -> None:
    """Paints an SVG into a PNG file.

    Args:
        svg: The document.
        path: The file; one that is there is replaced.

    Raises:
        PictureError: If it could not be painted or written; says why.
    """
    try:
        done = subprocess.run(
            [*PAINTER, str(path.absolute())],
            input=svg.encode(),
            capture_output=True,
            env={**environment(), "QT_QPA_PLATFORM": "offscreen"},
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise PictureError(f"Painting took more than {TIMEOUT_S:.0f} s.") from None
    if done.returncode != 0:
        said = last_line(done.stderr.decode(errors="replace"))
        raise PictureError(f"{path} could not be painted: {said}.")
