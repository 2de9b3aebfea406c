"""``gradviz record``: a run in a child process that writes its trace."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output, record_program
from gradviz.cli.errors import UsageError, check_folder
from gradviz.cli.limit_options import ending_with_option, limits_of
from gradviz.cli.traces import STANDARD_STREAM, temporary_trace

if TYPE_CHECKING:
    from gradviz.store.reader import TraceReader


def run(arguments: argparse.Namespace) -> int:
    """Record a run; a failed run still leaves its trace, and the exit code is 2.

    An existing trace is replaced when the run has ended; any other existing file is rejected. A
    script or module runs as a program, with an exit code of its own.
    """
    if record_program.is_program(arguments):
        _refuse_limits(arguments)
    else:
        _refuse_program_options(arguments)
    if str(arguments.output) == STANDARD_STREAM:
        if record_program.is_program(arguments):
            raise UsageError(say("command.program.stdout"))
        output.check_binary()
        with temporary_trace() as path:
            try:
                _record(arguments, path, shown=say("command.stdout"))
            finally:
                if path.exists():
                    output.say_file(path)
        return 0
    if arguments.output is not None:
        check_folder(arguments.output)
    if record_program.is_program(arguments):
        return record_program.run(arguments)
    path, count = _record(arguments, arguments.output)
    output.say(say_count("command.recorded", count, path=path))
    return 0


def _refuse_limits(arguments: argparse.Namespace) -> None:
    given = {
        "--time-limit": arguments.time_limit,
        "--memory-limit": arguments.memory_limit,
        "--output-limit": arguments.output_limit,
    }
    for option, value in given.items():
        if value is not None:
            raise UsageError(say("command.program.limit", option=option))


def _refuse_program_options(arguments: argparse.Namespace) -> None:
    from gradviz.model.settings.recording_scope import WHOLE_RUN

    asked = record_program.scope_of(arguments)
    options = {
        "--passes": asked.passes != WHOLE_RUN.passes,
        "--until": asked.until != WHOLE_RUN.until,
        "--only": asked.only != WHOLE_RUN.only,
        "--no-values": not asked.values,
        "--no-source": not asked.source,
    }
    for option, is_given in options.items():
        if is_given:
            raise UsageError(say("command.program.option", option=option))


def _record(
    arguments: argparse.Namespace, wanted: Path | None, shown: str = ""
) -> tuple[Path, int]:
    """Record a scene or an entry of a file.

    Args:
        arguments: What to record, and how.
        wanted: The trace; None for a new one in the working directory.
        shown: Its name in an error; empty for its path.

    Returns:
        The trace and the number of steps.

    Raises:
        UsageError: If the run failed; what was recorded is in the trace.
    """
    from gradviz.cli.subject import find_offer, with_run_options
    from gradviz.host.pool import run_blocking
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.output import choose_output, finish_output

    offer = with_run_options(find_offer(arguments.target), arguments)
    stem = offer.subject.scene or offer.subject.name
    path, aside = choose_output(wanted, stem)
    request = RunRequest(
        offer=offer,
        trace=str(aside.absolute()),
        level=arguments.level,
        budget_bytes=arguments.budget,
    )
    stopped = False
    try:
        limits = limits_of(arguments)
        ending = run_blocking(request, limits=limits, meanwhile=_import_reader)
    except KeyboardInterrupt:
        stopped = True
    finally:
        written = finish_output(aside, path)
    if stopped:
        raise KeyboardInterrupt(say("command.stopped.part", path=shown or path) if written else "")
    if not written:
        raise UsageError(ending.sentence or say("command.not_recorded", path=shown or path))
    with _import_reader()(path, repair=True) as reader:
        count = len(reader.trace().steps)
    if ending.kind != "finished":
        raise UsageError(
            say("command.recorded_part", reason=ending_with_option(ending), path=shown or path)
        )
    return path, count


def _import_reader() -> Callable[..., TraceReader]:
    """Import what opens the trace; takes a while, so do it while the child imports torch."""
    from gradviz.store.reader import open_trace

    return open_trace
