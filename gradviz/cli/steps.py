"""``gradviz steps``: every step of a trace, as text or JSON."""

from __future__ import annotations

import argparse

from gradviz.cli import output
from gradviz.cli.arguments import TRACE_LIMITS, VerbArguments
from gradviz.cli.traces import named_run, trace_file


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    from gradviz.analysis.position.trace_position import LEVELS

    add.subject()
    add("--level", choices=LEVELS, default="node")
    form = add.parser.add_mutually_exclusive_group()
    add("--format", to=form)
    add("--find", to=form, choices=("nan", "inf"))
    add.limits()
    add.each(*TRACE_LIMITS)


def run(arguments: argparse.Namespace) -> int:
    """Print the steps; a trace needs no torch, and may be of a crashed process."""
    from gradviz.analysis.index.trace_index import index_reader
    from gradviz.export.steps.json_document import steps_members
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
        if arguments.format == "json":
            # Piece by piece, because the document of a large trace needs much memory.
            output.say_pieces(json_pieces(steps_members(index, reader.value, arguments.level)))
            return 0
        for line in steps_text(index, arguments.level):
            output.say(line)
    return 0
