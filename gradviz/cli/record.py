"""``gradviz record``: a run in a child process that writes its trace."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gradviz.catalogue.messages import say, say_count
from gradviz.cli import output
from gradviz.cli.errors import UsageError, check_folder


def run(arguments: argparse.Namespace) -> int:
    """Record a run; a failed run still leaves its trace, and the exit code is 2.

    An existing trace is replaced when the run has ended; any other existing file is rejected.
    """
    from gradviz.cli.subject import find_offer
    from gradviz.host.limits import Limits
    from gradviz.host.pool import run_blocking
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.reader import open_trace

    path = arguments.output
    aside = _place(path)
    offer = find_offer(arguments.scene, arguments.target, arguments.device)
    try:
        # No time limit: a user at the terminal can press Ctrl+C.
        request = RunRequest(offer=offer, trace=str(aside.absolute()), level=arguments.level)
        ending = run_blocking(request, limits=Limits(time_s=None))
    finally:
        written = _finish(aside, path)
    if not written:
        raise UsageError(ending.sentence or say("command.not_recorded", path=path))
    with open_trace(path, repair=True) as reader:
        count = len(reader.trace().steps)
    if ending.kind != "finished":
        raise UsageError(say("command.recorded_part", reason=ending.sentence, path=path))
    output.say(say_count("command.recorded", count, path=path))
    return 0


def _place(path: Path) -> Path:
    """File to record into: the output itself, or a new file beside the trace it replaces."""
    from gradviz.store.header import read_header

    check_folder(path)
    if not path.exists():
        return path
    # Raises an error if the file is not a trace, because nothing else may be replaced.
    read_header(path)
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def _finish(aside: Path, path: Path) -> bool:
    """Turn what was written into one file at the requested path; False if there is none."""
    from gradviz.store.finalize import finalize_trace
    from gradviz.store.header import remove_logs

    if not aside.exists():
        return False
    finalize_trace(aside)
    if aside != path:
        remove_logs(path)
        aside.replace(path)
    return True
