"""``gradviz completion``: a script with which a shell completes the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

from gradviz.catalogue.messages import say
from gradviz.cli import output

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)

_WITH_SCENES = ("target", "targets", "subject", "left", "right", "files", "compare_with")
"""Names of arguments that take the id of a scene as well as a file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    parser.epilog = say("help.completion.use")
    parser.add_argument("shell", choices=SHELLS, help=say("help.completion.shell"))


def run(arguments: argparse.Namespace) -> int:
    """Print the script of a shell."""
    output.say_lines(completion_script(arguments.shell, arguments.whole.complete()))
    return 0


def completion_script(shell: Shell, parser: argparse.ArgumentParser) -> str:
    """A script that completes the command line of a parser.

    Args:
        shell: The shell that runs the script.
        parser: The parser of the whole command line.
    """
    import shtab

    from gradviz.gallery.registry import SCENES

    scenes_and_files = _scenes_and_files([scene.id for scene in SCENES])
    for action in _arguments(parser):
        if action.dest in _WITH_SCENES:
            vars(action)["complete"] = scenes_and_files
        elif action.type is Path or action.dest == "lesson":
            vars(action)["complete"] = shtab.FILE
    return str(shtab.complete(parser, shell))


def _arguments(parser: argparse.ArgumentParser) -> Iterable[argparse.Action]:
    for action in vars(parser)["_actions"]:
        yield action
        # The verbs.
        if isinstance(action.choices, dict):
            for each in action.choices.values():
                yield from _arguments(each)


def _scenes_and_files(scenes: Iterable[str]) -> dict[str, Any]:
    """How each shell completes ids of scenes and files, in the form that shtab takes."""
    words, function = " ".join(scenes), "_gradviz_scenes_and_files"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{words} (__fish_complete_path (commandline -ct))",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "{words}" -- "$1"; compgen -f -- "$1"; }}',
            "zsh": f'{function}() {{ _alternative "scenes:scene:({words})" "files:file:_files" }}',
        },
    }
