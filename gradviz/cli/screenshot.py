"""``gradviz screenshot``: the real window, rendered offscreen, as a PNG."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments
from gradviz.cli.errors import UsageError, check_output, check_window
from gradviz.cli.limit_options import limits_of, refuse_limits
from gradviz.cli.traces import second_run
from gradviz.cli.view import shown_run


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.host.limits import TIME_S

    add.view("last", tab="graph", theme="light", size=(1280, 800))
    add("--with", dest="compare_with", metavar="RUN")
    add.output(required=True)
    add.limits(time_s=TIME_S)
    add.each(*TRACE_LIMITS)


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
