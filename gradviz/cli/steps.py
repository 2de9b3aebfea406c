"""``gradviz steps``: every step of a trace, as text or JSON."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments
from gradviz.cli.errors import UsageError
from gradviz.cli.traces import named_run, trace_file

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.analysis.position.trace_position import LEVELS

    add.subject()
    add("--level", choices=LEVELS, default="node")
    form = add.parser.add_mutually_exclusive_group()
    add("--format", to=form, choices=("text", "json", "jsonl"))
    add("--find", to=form, choices=("nan", "inf"))
    part = add.parser.add_mutually_exclusive_group()
    add("--steps", to=part)
    add("--pass", to=part)
    add.limits()
    add.each(*TRACE_LIMITS)


def run(arguments: argparse.Namespace) -> int:
    """Print the steps; a trace needs no torch, and may be of a crashed process."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.steps.json_document import steps_json_lines, steps_members
    from gradviz.export.steps.json_text import json_pieces
    from gradviz.export.steps.text import origin_text, steps_text
    from gradviz.store.reader import open_trace

    with (
        named_run(arguments.subject) as named,
        trace_file(named, arguments) as (path, _),
        open_trace(path, repair=True) as reader,
    ):
        index = index_reader(reader)
        if arguments.find is not None:
            for line in origin_text(index, arguments.find):
                output.say(line)
            return 0
        wanted = _wanted(arguments, index)
        if arguments.format == "jsonl":
            for line in steps_json_lines(index, arguments.level, wanted):
                output.say(line)
            return 0
        if arguments.format == "json":
            # Piece by piece, because the document of a large trace needs much memory.
            members = steps_members(index, arguments.level, wanted)
            output.say_pieces(json_pieces(members))
            return 0
        for line in steps_text(index, arguments.level, wanted):
            output.say(line)
    return 0


def _wanted(arguments: argparse.Namespace, index: TraceIndex) -> range | None:
    """The numbers of the steps that were asked for; None for all.

    Raises:
        UsageError: If there is no such step or pass.
    """
    from gradviz.analysis.index.step_queries import steps_of_pass

    total, number = len(index.trace.steps), vars(arguments)["pass"]
    if number is not None:
        found = steps_of_pass(index, number)
        if found is None:
            raise UsageError(say("command.no_pass", number=number))
        return found
    if arguments.steps is None:
        return None
    first, last = arguments.steps
    if first > total:
        raise UsageError(say("export.no_step", number=first, last=total))
    return range(first, min(last or total, total) + 1)
