"""``gradviz [FILE ...]``: the window, or images of it if there is no display."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Open the window with the gallery, or one window per Python file and trace."""
    paths: list[Path] = arguments.files
    for path in paths:
        _check_file(path)
    return open_window(paths)


def _check_file(path: Path) -> None:
    """Reject a file that cannot be shown, before a window opens."""
    if not path.is_file():
        raise UsageError(f"{path} is neither a file nor a command")
    if path.suffix == ".gradviz":
        from gradviz.store.header import read_header

        read_header(path)
    elif path.suffix != ".py":
        raise UsageError(f"{path} is neither a Python file (.py) nor a trace (.gradviz)")


def open_window(paths: Sequence[Path]) -> int:
    """Start the window; without a display, write images of it and print their paths."""
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
    from gradviz.viewer.screenshot import write_tour

    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    output.say("There is no display, so the window is rendered to image files:")
    for picture in write_tour(folder, list(paths)):
        output.say(str(picture))
    return 0
