"""``gradviz compare``: step-by-step comparison of two runs."""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.model.inputs import Offer

_EXIT_CODES = {"equal": 0, "rounding": 0, "differ": 1}


def run(arguments: argparse.Namespace) -> int:
    """Compare two runs; exit code 0 if equal up to rounding, 1 if not, 2 for an error."""
    from gradviz.analysis.compare.run_comparison import compare_runs
    from gradviz.export.compare.json_document import compare_document
    from gradviz.export.compare.text import compare_text

    left, right = [_side(text) for text in (arguments.left, arguments.right)]
    right, note = _adapted(left, right, arguments)
    with (
        tempfile.TemporaryDirectory(prefix="gradviz-") as folder,
        _index(left, Path(folder) / "left.gradviz") as one,
        _index(right, Path(folder) / "right.gradviz") as other,
    ):
        found = compare_runs(one, other)
        # A reader that closes the pipe early, like `head`, must not change the exit code.
        with contextlib.suppress(BrokenPipeError):
            if arguments.json:
                output.say_json(compare_document(found))
            else:
                for line in [note, *compare_text(found)]:
                    if line:
                        output.say(line)
        return _EXIT_CODES[found.outcome]


def _side(text: str) -> Path | Offer:
    """Interpret one side: the path of a trace, or code to run."""
    from gradviz.cli.subject import find_offer, is_scene

    path = Path(text)
    if path.suffix == ".gradviz" or (path.is_file() and not is_scene(text)):
        return path
    return find_offer(text)


def _adapted(
    left: Path | Offer, right: Path | Offer, arguments: argparse.Namespace
) -> tuple[Path | Offer, str]:
    """Give the right side the left side's inputs, and the requested dtype and device."""
    from gradviz.analysis.compare.shared_inputs import with_input_dtype, with_inputs_of

    if isinstance(right, Path):
        if arguments.dtype or arguments.device:
            raise UsageError(say("command.trace_side", path=right))
        return right, ""
    note = ""
    if not isinstance(left, Path):
        adapted = with_inputs_of(right, left)
        right, note = adapted.offer, adapted.note
    if arguments.dtype:
        right = with_input_dtype(right, arguments.dtype)
    if arguments.device:
        right = replace(right, device=arguments.device)
    return right, note


@contextlib.contextmanager
def _index(side: Path | Offer, path: Path) -> Iterator[TraceIndex]:
    """Open one side; if it is not a trace, record it first."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.store.reader import open_trace

    if isinstance(side, Path):
        path = side
    else:
        _record(side, path)
    with open_trace(path, repair=True) as reader:
        yield index_reader(reader)


def _record(offer: Offer, path: Path) -> None:
    """Record a run in a child process; an exception in the code is recorded as a step."""
    from gradviz.host.limits import Limits
    from gradviz.host.pool import run_blocking
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.reader import open_trace
    from gradviz.text.titles import offer_title

    # No time limit: a user at the terminal can press Ctrl+C.
    ending = run_blocking(RunRequest(offer=offer, trace=str(path)), limits=Limits(time_s=None))
    if ending.kind not in ("finished", "failed") or not path.exists():
        raise UsageError(ending.sentence or say("command.no_trace", title=offer_title(offer)))
    with open_trace(path, repair=True) as reader:
        recorded = len(reader.trace().steps)
    if ending.kind == "failed" and not recorded:
        raise UsageError(ending.sentence)
