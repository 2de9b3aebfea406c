"""The options that limit what a run may use."""

from __future__ import annotations

import argparse
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
