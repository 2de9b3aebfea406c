"""``gradviz scenes``: list of the gallery's scenes."""

from __future__ import annotations

import argparse
import textwrap

from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add("--format")


def run(arguments: argparse.Namespace) -> int:
    """Print id, title and summary of each scene, by group."""
    from gradviz.gallery.registry import GROUPS, SCENES

    if arguments.format == "json":
        scenes = [
            {
                "id": each.id,
                "title": each.title,
                "group": group.title,
                "summary": each.summary,
                "beside": list(each.compare_with),
            }
            for group in GROUPS
            for each in group.scenes
        ]
        output.say_json({"schema": 1, "scenes": scenes})
        return 0
    width = max(len(each.id) for each in SCENES)
    for group in GROUPS:
        output.say(group.display_title)
        for each in group.scenes:
            output.say(f"  {each.id:<{width}}  {each.display_title}")
            for line in textwrap.wrap(each.display_summary, width=76 - width):
                output.say(f"  {'':<{width}}  {line}")
    return 0
