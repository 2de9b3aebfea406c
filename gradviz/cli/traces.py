"""The traces that a verb reads: files, standard input, or code that is recorded first."""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.errors import UsageError
from gradviz.cli.limit_options import ending_with_option, limits_of, refuse_limits

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.host.limits import Limits
    from gradviz.model.check_settings import CheckSettings
    from gradviz.model.inputs import Offer
    from gradviz.model.inside import RecordingLevel

_AT_ONCE = 1 << 20
STANDARD_STREAM = "-"
"""Names standard input where a trace is read, and standard output where one is written."""


@contextlib.contextmanager
def named_run(word: str, limits: Limits | None = None) -> Iterator[Path | Offer]:
    """Interpret an argument: the path of a trace, ``-`` for standard input, or code to run.

    Args:
        word: The argument, as in `run_or_trace`.
        limits: What a file may use while it is imported, to learn its inputs; None to leave that to
            the run.

    Raises:
        UsageError: If it is neither, or standard input is no trace.
    """
    from gradviz.cli.subject import run_or_trace, with_inputs

    with from_standard_input(word) as name:
        run = run_or_trace(name)
        yield run if limits is None or isinstance(run, Path) else with_inputs(run, limits)


@contextlib.contextmanager
def trace_file(
    run: Path | Offer,
    arguments: argparse.Namespace,
    *,
    checked: bool = False,
    second: Path | Offer | None = None,
) -> Iterator[tuple[Path, Offer | None]]:
    """Give the file of a trace, and what was run with the inputs of its file; None for a trace.

    Args:
        run: The trace, or what to record.
        arguments: With the ``subject`` that named it, and with the limits of its run.
        checked: Whether the Jacobians of code are checked instead of recording its steps.
        second: What the verb reads besides; if it is code, the limits may be meant for that.

    Raises:
        UsageError: If the code could not be recorded, or limits are given for a trace, which is
            only read.
    """
    if isinstance(run, Path):
        if second is None or isinstance(second, Path):
            refuse_limits(arguments.subject, arguments)
        yield run, None
        return
    with temporary_trace() as path:
        if checked:
            check_offer(run, path, limits_of(arguments))
        else:
            run = record_offer(run, path, limits_of(arguments), "all")
        yield path, run


@contextlib.contextmanager
def from_standard_input(word: str) -> Iterator[str]:
    """Give the path of a temporary file with standard input for ``-``; else the word itself.

    Raises:
        UsageError: If standard input is no trace.
    """
    if word != STANDARD_STREAM:
        yield word
        return
    from gradviz.store.errors import TraceError
    from gradviz.store.header import HEADER_BYTES, read_header, trace_bytes

    with temporary_trace() as path:
        source = sys.stdin.buffer
        # The rest may have no end, and fill the disk.
        part = source.read(HEADER_BYTES)
        left = trace_bytes(part)
        with path.open("wb") as file:
            while part and left > 0:
                left -= file.write(part)
                part = source.read(min(left, _AT_ONCE))
        try:
            read_header(path)
        except TraceError:
            raise UsageError(say("command.no_input")) from None
        yield str(path)


@contextlib.contextmanager
def temporary_trace() -> Iterator[Path]:
    """Give the path of a trace that can be written; it is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
        yield Path(folder) / "run.gradviz"


def record_offer(
    offer: Offer,
    path: Path,
    limits: Limits,
    level: RecordingLevel = "nodes",
    *,
    like: Offer | None = None,
    dtype: str = "",
) -> Offer:
    """Record a run in a child process; an exception in the code is recorded as a step.

    Args:
        offer: What to run, with its inputs or of a file that is not yet read.
        path: The trace to write.
        limits: What the run may use.
        level: What to record.
        like: As in `RunRequest`.
        dtype: As in `RunRequest`.

    Returns:
        What was run, with the inputs of its file.

    Raises:
        UsageError: If nothing was recorded.
    """
    from gradviz.cli.subject import do_work
    from gradviz.protocol.messages import RunRequest
    from gradviz.store.reader import open_trace
    from gradviz.store.run_ending import store_outcome
    from gradviz.text.titles import offer_title

    request = RunRequest(offer=offer, trace=str(path), level=level, like=like, dtype=dtype)
    done = do_work(request, limits)
    ending = done.ending
    if ending.kind not in ("finished", "failed") or not path.exists():
        raise UsageError(
            ending_with_option(ending) or say("command.no_trace", title=offer_title(offer))
        )
    if ending.kind == "failed":
        store_outcome(path, ending.outcome)
    with open_trace(path, repair=True) as reader:
        recorded = len(reader.trace().steps)
    if ending.kind == "failed" and not recorded:
        raise UsageError(ending.sentence)
    return done.offers[0]


def check_offer(
    offer: Offer, path: Path, limits: Limits, settings: CheckSettings | None = None
) -> None:
    """Check Jacobians in a child process.

    Args:
        offer: What to check, with its inputs.
        path: The trace that the report is added to.
        limits: What the check may use.
        settings: Step size, tolerances and scope; None for the default ones.

    Raises:
        UsageError: If the check did not finish.
    """
    from gradviz.cli.subject import do_work
    from gradviz.model.check_settings import DEFAULTS
    from gradviz.protocol.messages import CheckRequest

    request = CheckRequest(offer=offer, trace=str(path), settings=settings or DEFAULTS)
    ending = do_work(request, limits).ending
    if ending.kind != "finished":
        raise UsageError(ending_with_option(ending))


@contextlib.contextmanager
def second_run(
    word: str | None, first: Path | Offer, limits: Limits
) -> Iterator[Path | Offer | None]:
    """Interpret the run to compare another one with, and print which inputs it keeps.

    Args:
        word: That run, as in `named_run`; None if there is none.
        first: The trace, or the code whose inputs the code of the second run gets.
        limits: What a file may use while it is imported.
    """
    from gradviz.analysis.compare.shared_inputs import with_inputs_of

    if word is None:
        yield None
        return
    with named_run(word, limits) as run:
        if not isinstance(first, Path) and not isinstance(run, Path):
            adapted = with_inputs_of(run, first)
            run = adapted.offer
            if adapted.note:
                output.print_note(adapted.note)
        yield run


@contextlib.contextmanager
def index_of_run(
    side: Path | Offer,
    limits: Limits,
    level: RecordingLevel = "nodes",
    *,
    like: Offer | None = None,
    dtype: str = "",
) -> Iterator[tuple[TraceIndex, Offer | None]]:
    """Open and index a trace; code is recorded first, as in `record_offer`, and also returned."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.store.reader import open_trace

    with temporary_trace() as path:
        ran = None
        if not isinstance(side, Path):
            ran = record_offer(side, path, limits, level, like=like, dtype=dtype)
        with open_trace(side if isinstance(side, Path) else path, repair=True) as reader:
            yield index_reader(reader), ran


@contextlib.contextmanager
def index_of_second(
    side: Path | Offer,
    first: Offer | None,
    limits: Limits,
    level: RecordingLevel = "nodes",
    *,
    dtype: str = "",
    device: str = "",
) -> Iterator[tuple[TraceIndex, str]]:
    """Open and index the run that another one is compared with; code gets that one's inputs.

    Args:
        side: The trace or code.
        first: What was run before, with its inputs; None for a trace.
        limits: What a run may use.
        level: What to record.
        dtype: What floating inputs are converted to; empty for their own dtype.
        device: Where the inputs are; empty for where those of the first run are.

    Returns:
        The trace, and a sentence on the inputs that it keeps, empty if there are none.
    """
    from msgspec.structs import replace

    from gradviz.analysis.compare.shared_inputs import with_input_dtype, with_inputs_of

    if not isinstance(side, Path):
        # The child does the same to the inputs of a file that it reads: the file runs only once.
        side = side if first is None else with_inputs_of(side, first).offer
        side = with_input_dtype(side, dtype) if dtype else side
        side = replace(side, device=device or side.device)
    with index_of_run(side, limits, level, like=first, dtype=dtype) as (index, own):
        note = "" if first is None or own is None else with_inputs_of(own, first).note
        yield index, note
