"""``gradviz record``: a run in a child process that writes its trace."""

from __future__ import annotations

import argparse

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output, record_program
from gradviz.cli.errors import UsageError, check_folder


def run(arguments: argparse.Namespace) -> int:
    """Record a run; a failed run still leaves its trace, and the exit code is 2.

    An existing trace is replaced when the run has ended; any other existing file is rejected. A
    script or module runs as a program, with an exit code of its own.
    """
    if arguments.output is not None:
        check_folder(arguments.output)
    if record_program.is_program(arguments):
        return record_program.run(arguments)
    from gradviz.cli.subject import find_offer
    from gradviz.host.limits import Limits
    from gradviz.host.pool import run_blocking
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.output import choose_output, finish_output
    from gradviz.store.reader import open_trace

    offer = find_offer(arguments.target, arguments.device)
    stem = offer.subject.scene or offer.subject.name
    path, aside = choose_output(arguments.output, stem)
    try:
        # No time limit: a user at the terminal can press Ctrl+C.
        request = RunRequest(
            offer=offer,
            trace=str(aside.absolute()),
            level=arguments.level,
            budget_bytes=arguments.budget,
        )
        ending = run_blocking(request, limits=Limits(time_s=None))
    finally:
        written = finish_output(aside, path)
    if not written:
        raise UsageError(ending.sentence or say("command.not_recorded", path=path))
    with open_trace(path, repair=True) as reader:
        count = len(reader.trace().steps)
    if ending.kind != "finished":
        raise UsageError(say("command.recorded_part", reason=ending.sentence, path=path))
    output.say(say_count("command.recorded", count, path=path))
    return 0
