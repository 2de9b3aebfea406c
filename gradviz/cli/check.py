"""``gradviz check``: compares numerical with analytical Jacobians."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gradviz.cli import output
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.jacobian import Verdict
    from gradviz.protocol.messages import Check

_EXIT_CODES = {"match": 0, "mismatch": 1, "error": 2, "incomplete": 2}
_ORDERS = {"1": (1,), "2": (2,), "both": (1, 2)}


def run(arguments: argparse.Namespace) -> int:
    """Checks in a child process; exits with 0 for a match, 1 for a mismatch, 2 for an error.

    Of two orders the worse one decides.
    """
    from gradviz.cli.subject import find_offer
    from gradviz.model.check_settings import CheckSettings
    from gradviz.protocol.messages import Check

    offer = find_offer(arguments.scene, arguments.target, arguments.device)
    settings = CheckSettings(eps=arguments.eps, atol=arguments.atol, rtol=arguments.rtol)
    documents: list[dict[str, Any]] | None = [] if arguments.json else None
    verdicts = []
    for order in _ORDERS[arguments.order]:
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            path = Path(folder) / "check.gradviz"
            request = Check(offer=offer, trace=str(path), settings=settings, order=order)
            verdicts.append(_check(request, documents))
    if documents is not None:
        with contextlib.suppress(BrokenPipeError):
            output.say_json(documents if len(documents) > 1 else documents[0])
    return max(_EXIT_CODES[verdict] for verdict in verdicts)


def _check(request: Check, documents: list[dict[str, Any]] | None) -> Verdict:
    """Makes one report; prints it, or adds it to the documents."""
    from gradviz.export.check_json import check_document
    from gradviz.export.check_text import check_text
    from gradviz.host.blocking import run_blocking
    from gradviz.host.limits import Limits
    from gradviz.store.reader import open_trace

    # No time limit: whoever waits at a terminal can press Ctrl+C.
    ending = run_blocking(request, limits=Limits(time_s=None))
    if not Path(request.trace).exists():
        raise UsageError(ending.sentence)
    with open_trace(Path(request.trace)) as reader:
        trace = reader.trace()
        if not trace.reports:
            raise UsageError(ending.sentence or "the check ended without a report")
        report = trace.reports[-1]
        if documents is not None:
            documents.append(check_document(trace, report, reader.value))
        else:
            # Whoever reads only the first lines still gets the exit code.
            with contextlib.suppress(BrokenPipeError):
                for line in check_text(trace, report, reader.value):
                    output.say(line)
    if ending.kind != "finished":
        raise UsageError(ending.sentence)
    return report.verdict
