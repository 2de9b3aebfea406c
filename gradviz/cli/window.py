"""``gradviz [FILE ...]``: the window, or images of it if there is no display."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.catalogue.suggestion import did_you_mean
from gradviz.cli import output
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.analysis.position.view_target import ViewTarget


def run(arguments: argparse.Namespace) -> int:
    """Open the window with the gallery, at a scene, or one window per Python file and trace."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.subject import is_scene

    words: list[str] = arguments.files
    if len(words) == 1 and is_scene(words[0]):
        return open_window([], ViewTarget(scene=words[0]))
    paths = [Path(each) for each in words]
    for path in paths:
        _check_file(path, arguments.verbs)
    return open_window(paths)


def _check_file(path: Path, verbs: Iterable[str]) -> None:
    """Reject a file that cannot be shown, before a window opens."""
    if not path.is_file():
        from gradviz.gallery.registry import SCENES

        advice = did_you_mean(str(path), [*verbs, *(each.id for each in SCENES)])
        raise UsageError(f"{say('command.no_verb', path=path)} {advice}".rstrip())
    if path.suffix == ".gradviz":
        from gradviz.store.header import read_header

        read_header(path)
    elif path.suffix not in (".py", ".gradviz-lesson"):
        raise UsageError(say("command.not_opened", path=path))


def open_window(paths: Sequence[Path], target: ViewTarget | None = None) -> int:
    """Start the window; without a display, write images of it and print their paths.

    Args:
        paths: Files to open, one window each.
        target: A view to show instead.
    """
    from gradviz import preflight

    found = preflight.check()
    if found.missing:
        raise UsageError(found.remedy)
    if not found.has_display:
        return _tour(paths, target)
    from gradviz.model.gc_pause import gc_paused

    with gc_paused():
        from gradviz.viewer.app import run_app

    return run_app(list(paths), target)


def _tour(paths: Sequence[Path], target: ViewTarget | None) -> int:
    import os
    import tempfile

    # Set before the application is created, which reads it.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gradviz.viewer.screenshot import write_tour, write_view

    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    output.say(say("command.no_display"))
    pictures = write_tour(folder, paths) if target is None else write_view(folder, target)
    for picture in pictures:
        output.say(str(picture))
    return 0
