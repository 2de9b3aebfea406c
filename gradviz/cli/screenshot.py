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
from gradviz.cli.traces import second_run
from gradviz.cli.view import add_view_options, shown_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    from gradviz.host.limits import TIME_S

    add_view_options(parser, "last", tab="graph", theme="light", size=(1280, 800))
    parser.add_argument(
        "--with", dest="compare_with", metavar="RUN", help=say("help.screenshot.with")
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
    from gradviz.host.interruption import DeferredSignals

    with DeferredSignals():
        from gradviz.viewer.screenshot import ScreenshotError, take_screenshot

    limits = limits_of(arguments)
    if arguments.compare_with is not None and arguments.tab != "compare":
        raise UsageError(say("command.with"))
    try:
        with (
            shown_run(arguments.subject, limits) as source,
            second_run(arguments.compare_with, source, limits) as compared,
        ):
            if isinstance(source, Path) and (compared is None or isinstance(compared, Path)):
                refuse_limits(arguments.subject, arguments)
            take_screenshot(
                source,
                step=arguments.step,
                tab=arguments.tab,
                compare_with=compared,
                theme=arguments.theme,
                size=arguments.size,
                out=arguments.output,
                limits=limits,
            )
    except ScreenshotError as error:
        raise UsageError(str(error)) from None
    output.say(str(arguments.output))
    return 0
