"""The options that limit what a run may use."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.host.job_ending import JobEnding
    from gradviz.host.limits import Limits

_OPTIONS = {"time": "--time-limit", "memory": "--memory-limit", "trace": "--max-size"}
"""The option for each limit that can end a run."""
LIMIT_NAMES = ("time_limit", "memory_limit", "max_size", "output_limit")
"""Where the parsed arguments hold limits; None for what was not given."""


def add_limit_options(parser: argparse.ArgumentParser, *, time_s: float | None = None) -> None:
    """Add ``--time-limit`` and ``--memory-limit``.

    Args:
        parser: Receives the options.
        time_s: The default time limit in seconds; None for no limit, because a user at the terminal
            can press Ctrl+C.
    """
    from gradviz.host.limits import MEMORY_PERCENT

    text = say("help.time_limit") if time_s is None else say("help.time_limit.some", count=time_s)
    parser.add_argument("--time-limit", type=_seconds, metavar="TIME", help=text)
    parser.set_defaults(default_time_s=time_s)
    parser.add_argument(
        "--memory-limit",
        type=size_in_bytes,
        metavar="SIZE",
        help=say("help.memory_limit", percent=MEMORY_PERCENT),
    )


def add_trace_limit_options(parser: argparse.ArgumentParser, *, max_size: str = "") -> None:
    """Add ``--max-size`` and ``--output-limit``.

    Args:
        parser: Receives the options.
        max_size: The help of ``--max-size``; empty for that of a run in a child process.
    """
    parser.add_argument(
        "--max-size", type=size_in_bytes, metavar="SIZE", help=max_size or say("help.max_size")
    )
    parser.add_argument(
        "--output-limit", type=size_in_bytes, metavar="SIZE", help=say("help.output_limit")
    )


def limits_of(arguments: argparse.Namespace) -> Limits:
    """The limits of a run that a verb with limit options starts."""
    from gradviz.host.limits import Limits

    given = {
        "time_s": arguments.time_limit,
        "memory_bytes": arguments.memory_limit,
        "trace_bytes": getattr(arguments, "max_size", None),
        "output_characters": getattr(arguments, "output_limit", None),
    }
    changes = {name: value for name, value in given.items() if value is not None}
    return replace(Limits(time_s=arguments.default_time_s), **changes)


def refuse_limits(path: object, arguments: argparse.Namespace) -> None:
    """Raise an error if limits are given for a trace, which is only read.

    Raises:
        UsageError: If any is given, the default one included.
    """
    if any(getattr(arguments, name, None) is not None for name in LIMIT_NAMES):
        raise UsageError(say("command.only_read", path=path))


def ending_with_option(ending: JobEnding) -> str:
    """The sentence of an ending; if a limit was reached, with the option that changes it."""
    if ending.limit is None:
        return ending.sentence
    return say("ending.limit.option", sentence=ending.sentence, option=_OPTIONS[ending.limit])


def size_in_bytes(text: str) -> int:
    """Parse a size such as ``64M`` or ``2G``.

    Raises:
        argparse.ArgumentTypeError: If it is not a size.
    """
    from gradviz.model.settings.byte_size import parse_size

    try:
        return parse_size(text)
    except ValueError:
        raise argparse.ArgumentTypeError(say("argument.bytes", text=text)) from None


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+\.?\d*|\.\d+)([smh]?)", text)
    seconds = 0.0 if match is None else float(match[1]) * _UNITS_S[match[2]]
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(say("argument.seconds", text=text))
    return seconds


_UNITS_S = {"": 1, "s": 1, "m": 60, "h": 3600}
