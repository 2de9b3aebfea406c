"""``gradviz compare``: step-by-step comparison of two runs."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments
from gradviz.cli.errors import UsageError
from gradviz.cli.limit_options import limits_of, refuse_limits
from gradviz.cli.traces import index_of_run, index_of_second, named_run

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
        one, first = stack.enter_context(index_of_run(left, limits))
        dtype, device = arguments.dtype or "", arguments.device or ""
        second = index_of_second(right, first, limits, dtype=dtype, device=device)
        other, note = stack.enter_context(second)
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
