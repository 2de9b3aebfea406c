"""``gradviz record``: runs something in a child process and writes its trace."""

from __future__ import annotations

import argparse

from gradviz.cli import output
from gradviz.cli.errors import UsageError


def run(arguments: argparse.Namespace) -> int:
    """Records; a run that failed still leaves its trace, and exits with 2."""
    from gradviz.cli.subject import find_offer
    from gradviz.host.blocking import run_blocking
    from gradviz.host.limits import Limits
    from gradviz.protocol.messages import Run
    from gradviz.store.reader import open_trace
    from gradviz.store.seal import seal

    path = arguments.output
    if not path.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {path.absolute().parent}")
    offer = find_offer(arguments.scene, arguments.target, arguments.device)
    # No time limit: whoever waits at a terminal can press Ctrl+C.
    request = Run(offer=offer, trace=str(path.absolute()))
    ending = run_blocking(request, limits=Limits(time_s=None))
    if not path.exists():
        raise UsageError(ending.sentence or f"nothing was written to {path}")
    seal(path)
    with open_trace(path) as reader:
        count = len(reader.trace().steps)
    if ending.kind != "finished":
        raise UsageError(f"{ending.sentence} What was recorded until then is in {path}.")
    output.say(f"{path}: {count} steps")
    return 0
