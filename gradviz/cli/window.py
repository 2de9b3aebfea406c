"""``gradviz [FILE ...]``: opens the window, or does its job offscreen where there is no display."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Opens the window with the gallery, or one for each Python file and trace."""
    paths: list[Path] = arguments.files
    for path in paths:
        _look_at(path)
    return open_window(paths)


def _look_at(path: Path) -> None:
    """A file that cannot be shown is refused before a window opens."""
    if not path.is_file():
        raise UsageError(f"there is neither a file nor a command {path}")
    if path.suffix == ".gradviz":
        from gradviz.store.header import read_header

        read_header(path)
    elif path.suffix != ".py":
        raise UsageError(f"{path} is neither a Python file (.py) nor a trace (.gradviz)")


def open_window(paths: Sequence[Path]) -> int:
    """Starts the window; without a display it writes pictures of it and says where they are."""
    from gradviz import preflight

    found = preflight.check()
    if found.missing:
        raise UsageError(found.remedy)
    if not found.has_display:
        return _tour(paths)
    from gradviz.viewer.app import run_app

    return run_app(list(paths))


def _tour(paths: Sequence[Path]) -> int:
    import os
    import tempfile

    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gradviz.viewer.tour import write_tour

    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    output.say("There is no display, so the window is drawn into files:")
    for picture in write_tour(folder, list(paths)):
        output.say(str(picture))
    return 0
