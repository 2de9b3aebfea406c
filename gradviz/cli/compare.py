"""``gradviz compare``: step-by-step comparison of two runs, or of two iterations."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments, parsed
from gradviz.cli.errors import UsageError
from gradviz.cli.limit_options import limits_of, refuse_limits
from gradviz.cli.traces import index_of_run, index_of_second, named_run

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex

_EXIT_CODES = {"equal": 0, "rounding": 0, "differ": 1}


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.analysis.compare.shared_inputs import FLOAT_DTYPES

    add.subject("left", metavar="LEFT")
    add.subject("right", metavar="RIGHT", nargs="?")
    add("--iterations", type=_iterations, metavar="M,N")
    add("--dtype", choices=FLOAT_DTYPES)
    add.each("--device", "--format")
    add.limits()
    add.each(*TRACE_LIMITS)


def run(arguments: argparse.Namespace) -> int:
    """Compare two runs; exit code 0 if equal up to rounding, 1 if not, 2 for an error."""
    from gradviz.analysis.compare.run_comparison import compare_runs
    from gradviz.export.compare.json_document import compare_document
    from gradviz.export.compare.text import compare_text
    from gradviz.model.inputs import Offer

    if arguments.right is None and arguments.iterations is None:
        raise UsageError(say("command.compare_what"))
    with contextlib.ExitStack() as stack:
        limits = limits_of(arguments)
        left, right = [
            None if text is None else stack.enter_context(named_run(text))
            for text in (arguments.left, arguments.right)
        ]
        assert left is not None
        if isinstance(left, Path) and not isinstance(right, Offer):
            refuse_limits(arguments.left, arguments)
        if not isinstance(right, Offer) and (arguments.dtype or arguments.device):
            raise UsageError(say("command.trace_side", path=right or left))
        one, first = stack.enter_context(index_of_run(left, limits))
        other, note = one, ""
        if right is not None:
            dtype, device = arguments.dtype or "", arguments.device or ""
            second = index_of_second(right, first, limits, dtype=dtype, device=device)
            other, note = stack.enter_context(second)
        if arguments.iterations is not None:
            numbers = arguments.iterations
            one, other = _iteration(one, numbers[0]), _iteration(other, numbers[1])
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


def _iteration(index: TraceIndex, number: int) -> TraceIndex:
    """Limit a run to one of its iterations.

    Raises:
        UsageError: If the iteration was not recorded.
    """
    from gradviz.analysis.training.iteration_index import index_of_iteration
    from gradviz.analysis.training.iterations import iterations_of, nearest_iteration

    iterations = iterations_of(index)
    if not iterations:
        raise UsageError(say("command.no_iterations"))
    found = nearest_iteration(iterations, number)
    if found.number != number:
        raise UsageError(say("command.no_iteration", number=number, nearest=found.number))
    return index_of_iteration(index, found)


@parsed("iterations")
def _iterations(text: str) -> tuple[int, int]:
    left, right = (int(each) if each.isdecimal() else 0 for each in text.split(","))
    if not left or not right:
        raise ValueError(text)
    return left, right
