"""``gradviz steps``: every step of a trace, as text or JSON."""

from __future__ import annotations

import argparse

from gradviz.cli import output


def run(arguments: argparse.Namespace) -> int:
    """Print the steps; works without torch and for traces of crashed processes."""
    from gradviz.export.json_pieces import json_pieces
    from gradviz.export.origin_text import origin_text
    from gradviz.export.steps_json import steps_members
    from gradviz.export.steps_text import steps_text
    from gradviz.store.reader import open_trace

    with open_trace(arguments.trace) as reader:
        index = reader.index()
        if arguments.find is not None:
            for line in origin_text(index, arguments.find):
                output.say(line)
            return 0
        if arguments.json:
            output.say_pieces(json_pieces(steps_members(index, reader.value, arguments.level)))
            return 0
        for line in steps_text(index, arguments.level):
            output.say(line)
    return 0
