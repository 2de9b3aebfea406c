"""``gradviz check``: compares numerical with analytical Jacobians."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli import output
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.jacobian import JacobianReport
    from gradviz.store.reader import TraceReader

_EXIT_CODES = {"match": 0, "mismatch": 1, "error": 2, "incomplete": 2}


def run(arguments: argparse.Namespace) -> int:
    """Checks in a child process; exits with 0 for a match, 1 for a mismatch, 2 for an error."""
    from gradviz.cli.subject import find_offer
    from gradviz.host.blocking import run_blocking
    from gradviz.host.limits import Limits
    from gradviz.protocol.messages import Check
    from gradviz.store.reader import open_trace

    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        path = Path(folder) / "check.gradviz"
        offer = find_offer(arguments.scene, arguments.target, arguments.device)
        tolerances = {name: getattr(arguments, name) for name in ("eps", "atol", "rtol")}
        request = Check(offer=offer, trace=str(path), **tolerances)
        # No time limit: whoever waits at a terminal can press Ctrl+C.
        ending = run_blocking(request, limits=Limits(time_s=None))
        if not path.exists():
            raise UsageError(ending.sentence)
        with open_trace(path) as reader:
            reports = reader.trace().reports
            if not reports:
                raise UsageError(ending.sentence or "the check ended without a report")
            # Whoever reads only the first lines still gets the exit code.
            with contextlib.suppress(BrokenPipeError):
                _print(reader, reports[-1], as_json=arguments.json)
    if ending.kind != "finished":
        raise UsageError(ending.sentence)
    return _EXIT_CODES[reports[-1].verdict]


def _print(reader: TraceReader, report: JacobianReport, *, as_json: bool) -> None:
    from gradviz.export.check_json import check_document
    from gradviz.export.check_text import check_text

    if as_json:
        output.say_json(check_document(reader.trace(), report, reader.value))
        return
    for line in check_text(reader.trace(), report, reader.value):
        output.say(line)
