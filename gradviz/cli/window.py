"""``gradviz [FILE ...]``: the window, or images of it if there is no display."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradviz.catalogue.messages import say
from gradviz.catalogue.suggestion import did_you_mean
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError, check_file, check_window

if TYPE_CHECKING:
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.drawing.appearance.palette import PaletteTheme


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add("files", nargs="*", metavar="FILE|SCENE", help=None)


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
    if path.exists():
        check_file(path)
    else:
        from gradviz.gallery.registry import SCENES

        advice = did_you_mean(str(path), [*verbs, *(each.id for each in SCENES)])
        raise UsageError(f"{say('command.no_verb', path=path)} {advice}".rstrip())
    from gradviz.store.file_kind import kind_of
    from gradviz.store.header import read_header

    kind = kind_of(path)
    if kind == "trace":
        read_header(path)
    elif not kind:
        raise UsageError(say("command.not_opened", path=path))


def open_window(
    paths: Sequence[Path],
    target: ViewTarget | None = None,
    *,
    theme: PaletteTheme | None = None,
    size: tuple[int, int] | None = None,
) -> int:
    """Start the window; without a display, write images of it and print their paths.

    Args:
        paths: Files to open, one window each.
        target: A view to show instead.
        theme: Theme of the view for now; None for the preferred one.
        size: Width and height of its window in pixels; None for those of the last window.
    """
    if not check_window():
        return _write_images(paths, target, {"theme": theme, "size": size})
    from gradviz.host.interruption import DeferredSignals
    from gradviz.model.gc_pause import gc_paused

    with gc_paused(), DeferredSignals():
        from gradviz.viewer.app import run_app

    return run_app(list(paths), target, theme=theme, size=size)


def _write_images(paths: Sequence[Path], target: ViewTarget | None, look: Mapping[str, Any]) -> int:
    import os
    import tempfile

    # Set before the application is created, which reads it.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from gradviz.host.interruption import DeferredSignals

    with DeferredSignals():
        from gradviz.viewer.screenshot import ScreenshotError, write_tour, write_view

    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    output.say(say("command.no_display"))
    try:
        if target is None:
            pictures = write_tour(folder, paths)
        else:
            chosen = {name: value for name, value in look.items() if value is not None}
            pictures = write_view(folder, target, **chosen)
        for picture in pictures:
            output.say(str(picture))
    except ScreenshotError as error:
        raise UsageError(str(error)) from None
    finally:
        # Not if it has an image.
        with contextlib.suppress(OSError):
            folder.rmdir()
    return 0
