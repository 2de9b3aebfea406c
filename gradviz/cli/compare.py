"""``gradviz compare``: step-by-step comparison of two runs."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments
from gradviz.cli.errors import UsageError
from gradviz.cli.limit_options import limits_of, refuse_limits
from gradviz.cli.traces import index_of_run, named_run, record_offer, temporary_trace

if TYPE_CHECKING:
    from gradviz.model.inputs import Offer

_EXIT_CODES = {"equal": 0, "rounding": 0, "differ": 1}


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.analysis.compare.shared_inputs import FLOAT_DTYPES

    for name in ("left", "right"):
        add.subject(name, metavar=name.upper())
    add("--dtype", choices=FLOAT_DTYPES)
    add.each("--device", "--format")
    add.limits()
    add.each(*TRACE_LIMITS)


def run(arguments: argparse.Namespace) -> int:
    """Compare two runs; exit code 0 if equal up to rounding, 1 if not, 2 for an error."""
    from gradviz.analysis.compare.run_comparison import compare_runs
    from gradviz.export.compare.json_document import compare_document
    from gradviz.export.compare.text import compare_text

    with contextlib.ExitStack() as stack:
        limits = limits_of(arguments)
        left, right = [
            stack.enter_context(named_run(text)) for text in (arguments.left, arguments.right)
        ]
        if isinstance(left, Path) and isinstance(right, Path):
            refuse_limits(arguments.left, arguments)
        if isinstance(right, Path) and (arguments.dtype or arguments.device):
            raise UsageError(say("command.trace_side", path=right))
        paths, note = [stack.enter_context(temporary_trace()) for _ in range(2)], ""
        # A file runs once, and only then tells its inputs.
        if not isinstance(left, Path):
            left = record_offer(left, paths[0], limits)
        if not isinstance(right, Path):
            note = _record_right(left, right, paths[1], arguments)
        one, other = [
            stack.enter_context(index_of_run(side if isinstance(side, Path) else path, limits))
            for side, path in zip((left, right), paths, strict=True)
        ]
        found = compare_runs(one, other)
        # A reader that closes the pipe early, like `head`, must not change the exit code.
        with contextlib.suppress(BrokenPipeError):
            if arguments.format == "json":
                output.say_json(compare_document(found))
            else:
                for line in [note, *compare_text(found)]:
                    if line:
                        output.say(line)
        return _EXIT_CODES[found.outcome]


def _record_right(
    left: Path | Offer, right: Offer, path: Path, arguments: argparse.Namespace
) -> str:
    """Record it with the left side's inputs, and the requested dtype and device.

    Returns:
        A sentence on the inputs that it keeps; empty if there are none.
    """
    from msgspec.structs import replace

    from gradviz.analysis.compare.shared_inputs import with_input_dtype, with_inputs_of

    like, dtype = None if isinstance(left, Path) else left, arguments.dtype or ""
    # The child does the same to the inputs of a file that it reads.
    if like is not None:
        right = with_inputs_of(right, like).offer
    if dtype:
        right = with_input_dtype(right, dtype)
    if arguments.device:
        right = replace(right, device=arguments.device)
    own = record_offer(right, path, limits_of(arguments), like=like, dtype=dtype)
    return "" if like is None else with_inputs_of(own, like).note
