"""``gradviz record``: runs something in a child process and writes its trace."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Records; a run that failed still leaves its trace, and exits with 2.

    A trace that is there already is replaced when the run has ended; any other file is refused.
    """
    from gradviz.cli.subject import find_offer
    from gradviz.host.blocking import run_blocking
    from gradviz.host.limits import Limits
    from gradviz.protocol.messages import Run
    from gradviz.store.reader import open_trace

    path = arguments.output
    aside = _place(path)
    offer = find_offer(arguments.scene, arguments.target, arguments.device)
    try:
        # No time limit: whoever waits at a terminal can press Ctrl+C.
        request = Run(offer=offer, trace=str(aside.absolute()), level=arguments.level)
        ending = run_blocking(request, limits=Limits(time_s=None))
    finally:
        written = _finish(aside, path)
    if not written:
        raise UsageError(ending.sentence or f"nothing was written to {path}")
    with open_trace(path) as reader:
        count = len(reader.trace().steps)
    if ending.kind != "finished":
        raise UsageError(f"{ending.sentence} What was recorded until then is in {path}.")
    output.say(f"{path}: {count} {'step' if count == 1 else 'steps'}")
    return 0


def _place(path: Path) -> Path:
    """Where the run writes to: the output itself, or a new file beside the trace it replaces."""
    from gradviz.store.header import read_header

    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {path.absolute().parent}")
    if not path.exists():
        return path
    read_header(path)
    return path.with_name(f"{path.name}.{os.getpid()}.part")


def _finish(aside: Path, path: Path) -> bool:
    """Makes what was written one file with the asked name; whether anything was."""
    from gradviz.store.header import remove_logs
    from gradviz.store.seal import seal

    if not aside.exists():
        return False
    seal(aside)
    if aside != path:
        remove_logs(path)
        aside.replace(path)
    return True
