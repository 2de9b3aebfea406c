"""``gradviz screenshot``: the real window, rendered offscreen, as a PNG."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_output, check_window
from gradviz.cli.limit_options import (
    add_limit_options,
    add_trace_limit_options,
    limits_of,
    refuse_limits,
)
from gradviz.cli.output_options import add_output_option
from gradviz.cli.traces import from_standard_input
from gradviz.cli.view import add_view_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    from gradviz.host.limits import TIME_S

    add_view_options(parser, "last", tab="graph", theme="light", size=(1280, 800))
    parser.add_argument(
        "--with", dest="compare_with", metavar="ID", help=say("help.screenshot.with")
    )
    add_output_option(parser, say("help.screenshot.output"), required=True)
    add_limit_options(parser, time_s=TIME_S)
    add_trace_limit_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the scene or open the trace, go to the step and write the image."""
    if arguments.output.suffix.lower() != ".png":
        raise UsageError(say("command.suffix", path=arguments.output, suffix=".png"))
    check_output(arguments.output)
    # Set before the application is created, which reads it.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    check_window()
    from gradviz.cli.subject import scene_or_trace
    from gradviz.host.interruption import DeferredSignals

    with DeferredSignals():
        from gradviz.viewer.screenshot import ScreenshotError, take_screenshot

    compared = _compared_run(arguments)
    try:
        with from_standard_input(arguments.subject) as word:
            source = scene_or_trace(word)
            if isinstance(source, Path) and not isinstance(compared, str):
                refuse_limits(arguments.subject, arguments)
            take_screenshot(
                source,
                step=arguments.step,
                tab=arguments.tab,
                compare_with=compared,
                theme=arguments.theme,
                size=arguments.size,
                out=arguments.output,
                limits=limits_of(arguments),
            )
    except ScreenshotError as error:
        raise UsageError(str(error)) from None
    output.say(str(arguments.output))
    return 0


def _compared_run(arguments: argparse.Namespace) -> str | Path | None:
    """Interpret ``--with``, if it is given."""
    from gradviz.cli.subject import scene_or_trace

    named = arguments.compare_with
    if named is None:
        return None
    if arguments.tab != "compare":
        raise UsageError(say("command.with"))
    return scene_or_trace(named)
