"""``gradviz screenshot``: the real window, rendered offscreen, as a PNG."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Run the scene or open the trace, go to the step and write the image."""
    from gradviz import preflight

    if arguments.output.suffix.lower() != ".png":
        raise UsageError(say("command.suffix", path=arguments.output, suffix=".png"))
    # Set before the application is created, which reads it.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    found = preflight.check()
    if found.missing:
        raise UsageError(found.remedy)
    if arguments.trace is not None:
        from gradviz.store.header import read_header

        read_header(arguments.trace)
    from gradviz.gallery.registry import UnknownSceneError, scene
    from gradviz.viewer.screenshot import ScreenshotError, take_screenshot

    try:
        if arguments.scene is not None:
            # An unknown scene is an error at once, before a window is built.
            scene(arguments.scene)
        if isinstance(_compared_run(arguments), str):
            scene(arguments.compare_with)
        take_screenshot(
            arguments.scene if arguments.scene is not None else arguments.trace,
            step=arguments.step,
            tab=arguments.tab,
            compare_with=_compared_run(arguments),
            theme=arguments.theme,
            size=arguments.size,
            out=arguments.output,
        )
    except (UnknownSceneError, ScreenshotError) as error:
        raise UsageError(str(error)) from None
    output.say(str(arguments.output))
    return 0


def _compared_run(arguments: argparse.Namespace) -> str | Path | None:
    """Interpret ``--with``: the id of a scene, or the path of a trace."""
    named = arguments.compare_with
    if named is None:
        return None
    if arguments.tab != "compare":
        raise UsageError(say("command.with"))
    return Path(named) if Path(named).suffix == ".gradviz" else str(named)
