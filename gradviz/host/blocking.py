"""One request run to completion, for the command line."""

from __future__ import annotations

from collections.abc import Sequence

from gradviz.host.ending import Ending
from gradviz.host.job import OnMessage
from gradviz.host.limits import Limits
from gradviz.host.pool import Pool
from gradviz.host.process import WORKER
from gradviz.protocol.messages import Request

_WAIT_S = 0.5


def run_blocking(
    request: Request,
    *,
    limits: Limits | None = None,
    on_message: OnMessage = lambda message: None,
    command: Sequence[str] = WORKER,
) -> Ending:
    """Run one request in one child process and wait for its end.

    Ctrl+C kills the child and arrives as `KeyboardInterrupt`. ``on_message`` is called from another
    thread.
    """
    with Pool(keep_spare=False, command=command) as pool:
        job = pool.start(request, limits=limits, on_message=on_message)
        # Wait in short intervals: Windows delivers no Ctrl+C during a long wait.
        while (ending := job.wait(_WAIT_S)) is None:
            pass
        return ending
