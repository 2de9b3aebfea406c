"""Packages that only some parts of gradviz need, and what to say where one is missing."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from gradviz.catalogue.installation import install_command
from gradviz.catalogue.messages import say, say_list

Extra = Literal["record", "view", "film", "fonts"]
"""An extra, as in ``pip install "gradviz-desktop[view]"``; pyproject.toml lists its packages."""

PACKAGES: dict[Extra, tuple[str, ...]] = {
    "record": ("torch",),
    "view": ("PySide6", "pyqtgraph", "ziamath"),
    "film": ("PIL", "imageio_ffmpeg"),
    "fonts": ("fontTools",),
}
"""Names with which the packages of each extra are imported."""


def missing_packages(extra: Extra) -> str:
    """Say what is missing for a part of gradviz and how to install it, without importing anything.

    Args:
        extra: ``record`` to run code, ``view`` for the window, ``film`` for films, ``fonts`` to
            embed fonts in an SVG.

    Returns:
        One sentence for people and a command; empty if every package is installed.
    """
    missing = [name for name in PACKAGES[extra] if find_spec(name) is None]
    if not missing:
        return ""
    # Pictures of a film are rendered by the packages of the window.
    extras = "view,film" if extra == "film" else extra
    return say(f"packages.{extra}", names=say_list(missing), command=install_command(extras))
