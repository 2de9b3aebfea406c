"""Packages that only some parts of gradviz need, and what to say where one is missing."""

from __future__ import annotations

import shutil
from importlib.util import find_spec
from typing import Literal

from gradviz.catalogue.installation import install_command
from gradviz.catalogue.messages import say, say_list

Extra = Literal["record", "draw", "view", "film", "slides"]
"""An extra, as in ``pip install "gradviz-desktop[view]"``; pyproject.toml lists its packages."""

_WINDOW = ("PySide6", "pyqtgraph")

PACKAGES: dict[Extra, tuple[str, ...]] = {
    "record": ("torch",),
    "draw": ("pygraphviz",),
    # Without an engine the window shows all but the graph, and says so in its place.
    "view": _WINDOW,
    "film": (*_WINDOW, "PIL", "imageio_ffmpeg"),
    "slides": ("pptx",),
}
"""Names of the modules without which a part of gradviz does not work."""


def missing_packages(*extras: Extra) -> str:
    """Say what is missing for parts of gradviz and how to install it, without importing anything.

    Args:
        extras: ``record`` to run code, ``draw`` for graphs, ``view`` for the window, ``film`` for
            films, ``slides`` for PowerPoint.

    Returns:
        One sentence for people and a command, for the first part that lacks something; empty if
        nothing is missing.
    """
    return next(filter(None, map(_missing, extras)), "")


def _missing(extra: Extra) -> str:
    if extra == "draw" and shutil.which("dot") is not None:
        return ""
    missing = [name for name in PACKAGES[extra] if find_spec(name) is None]
    if not missing:
        return ""
    return say(f"packages.{extra}", names=say_list(missing), command=install_command(extra))
