"""``gradviz completion``: a script with which a shell completes the command line."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = get_args(Shell)

_WITH_SCENES = ("target", "targets", "subject", "left", "right", "files", "with", "compare_with")
"""Names of arguments that take the id of a scene as well as a file."""


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add.parser.epilog = say("help.completion.use")
    add("shell", choices=SHELLS)


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

    for verb, action in _arguments(parser):
        complete = _completion_of(verb, action.dest)
        if complete is not None:
            vars(action)["complete"] = complete
        elif action.type is Path or (verb, action.dest) == ("doctor", "targets"):
            vars(action)["complete"] = shtab.FILE
    return str(shtab.complete(parser, shell))


def _arguments(
    parser: argparse.ArgumentParser, verb: str = ""
) -> Iterable[tuple[str, argparse.Action]]:
    """Yield each argument of the command line with its verb."""
    for action in vars(parser)["_actions"]:
        yield verb, action
        if isinstance(action.choices, dict):
            for name, each in action.choices.items():
                yield from _arguments(each, name)


def _completion_of(verb: str, argument: str) -> dict[str, Any] | None:
    """How each shell completes an argument that takes the name of something that gradviz has."""
    from gradviz.catalogue.rules import DOCTOR_RULES
    from gradviz.gallery.guide.contents import PAGES
    from gradviz.gallery.registry import SCENES
    from gradviz.lesson.shipped import LESSONS

    scenes = [scene.id for scene in SCENES]
    match verb, argument:
        case "guide", "page":
            return _names("pages", PAGES, files=False)
        case "lesson", "lesson":
            return _names("lessons", LESSONS)
        case "export", "subject":
            return _names("exports", [*scenes, *LESSONS])
        case "doctor", "select" | "ignore":
            return _lists("rules", [rule.id for rule in DOCTOR_RULES])
        case "doctor", _:
            return None
    return _names("scenes", scenes) if argument in _WITH_SCENES else None


def _names(kind: str, names: Iterable[str], *, files: bool = True) -> dict[str, Any]:
    """How each shell completes names, and files besides, in the form that shtab takes."""
    words, function = " ".join(names), f"_gradviz_{kind}"
    bash, zsh, fish = (
        (
            '; compgen -f -- "$1"',
            ' "files:file:_files"',
            " (__fish_complete_path (commandline -ct))",
        )
        if files
        else ("", "", "")
    )
    return {
        "bash": function,
        "zsh": function,
        "fish": f"{words}{fish}",
        "preamble": {
            "bash": f'{function}() {{ compgen -W "{words}" -- "$1"{bash}; }}',
            "zsh": f'{function}() {{ _alternative "{kind}:{kind}:({words})"{zsh} }}',
        },
    }


def _lists(kind: str, names: Iterable[str]) -> dict[str, Any]:
    """How each shell completes a list of names separated by commas."""
    words, function = " ".join(names), f"_gradviz_{kind}"
    return {
        "bash": function,
        "zsh": function,
        "fish": f"(__fish_append , {words})",
        "preamble": {
            # Before the last comma, and behind it.
            "bash": (
                f'{function}() {{ compgen -P "${{1%"${{1##*,}}"}}" -W "{words}" -- "${{1##*,}}"; }}'
            ),
            "zsh": f"{function}() {{ _values -s , {kind} {words} }}",
        },
    }
