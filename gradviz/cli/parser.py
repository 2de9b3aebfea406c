"""What the command line understands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, get_args

from gradviz.cli import (
    check,
    compare,
    desktop,
    export,
    guide,
    record,
    scenes,
    screenshot,
    steps,
    version,
    view,
    window,
)
from gradviz.cli.check_options import add_options
from gradviz.cli.errors import UsageError

_VERBS = {
    "scenes": "list the scenes of the gallery",
    "guide": "print the guide's contents, or one of its pages",
    "record": "run something and write its trace",
    "view": "open a trace in the window",
    "steps": "print every step of a trace",
    "check": "compare numerical with analytical Jacobians",
    "compare": "tell what differs between two runs",
    "export": "write the graph of a trace as a figure",
    "screenshot": "write a picture of the window",
    "desktop": "put gradviz into the menu of the desktop, for this user",
}


class Parser(argparse.ArgumentParser):
    """Refuses a wrong argument with one sentence instead of a page."""

    def error(self, message: str) -> NoReturn:
        """Turns argparse's complaint into a `UsageError`."""
        message = message.replace("one of the arguments --scene", "one of --scene ID and")
        raise UsageError(f"{message}. See {self.prog} --help.")

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parses; a first argument that is no verb and no option is a file for the window."""
        words = list(argv)
        if not words or (words[0] not in _VERBS and not words[0].startswith("-")):
            words.insert(0, "window")
        if words[0] == "screenshot":
            words = _options_first(words)
        return self.parse_args(words)


def _options_first(words: Sequence[str]) -> list[str]:
    """The words of a verb whose options all take a value, with the files last.

    Else argparse would take the file before an option for OUT.png, and refuse the one after it.
    """
    verb, *rest = words
    options: list[str] = []
    files: list[str] = []
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            files.append(word)
            continue
        options.append(word)
        if "=" not in word and rest:
            options.append(rest.pop(0))
    return [verb, *options, *files]


def make_parser() -> Parser:
    """The parser of the whole command line. ``run`` of its result is the verb's function."""
    parser = Parser(
        prog="gradviz",
        usage="gradviz [FILE ...] | gradviz VERB ...",
        description="Makes PyTorch's autograd visible. Without a verb the window opens.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="store_const",
        dest="run",
        const=version.run,
        help="print all versions that matter",
    )
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", prog="gradviz")
    _add_window(verbs)
    _add_scenes(verbs)
    _add_guide(verbs)
    _add_record(verbs)
    _add_readers(verbs)
    _add_check(verbs)
    _add_compare(verbs)
    _add_screenshot(verbs)
    _add_desktop(verbs)
    return parser


def _verb(verbs: argparse._SubParsersAction[Parser], name: str) -> Parser:
    text = _VERBS[name]
    description = f"{text[0].upper()}{text[1:]}."
    return verbs.add_parser(name, help=text, description=description, allow_abbrev=False)


def _add_window(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = verbs.add_parser("window", allow_abbrev=False, prog="gradviz")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.set_defaults(run=window.run)


def _add_scenes(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "scenes")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    parser.set_defaults(run=scenes.run)


def _add_guide(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "guide")
    parser.add_argument("page", nargs="?", metavar="PAGE", help="a scene's id, or a chapter's")
    parser.set_defaults(run=guide.run)


def _add_subject(parser: Parser) -> None:
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--scene", metavar="ID", help="a scene of the gallery")
    group.add_argument(
        "target", nargs="?", metavar="FILE.py:NAME", help="a name in a file that has EXAMPLES"
    )
    parser.add_argument("--device", metavar="D", help="like cpu or cuda; cpu unless given")


def _add_record(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.model.inside import RecordingLevel

    parser = _verb(verbs, "record")
    _add_subject(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT")
    parser.add_argument(
        "--level",
        choices=get_args(RecordingLevel),
        default="nodes",
        help="how deep to look: node steps, their ops as well, or source lines as well",
    )
    parser.set_defaults(run=record.run)


def _add_readers(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.model.places import LEVELS

    parser = _verb(verbs, "view")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.set_defaults(run=view.run)
    parser = _verb(verbs, "steps")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="node",
        help="how far to look inside: passes, nodes (unless given), their stages, lines or ops",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as one JSON document")
    form.add_argument(
        "--find", choices=("nan", "inf"), help="tell instead where the first one came from"
    )
    parser.set_defaults(run=steps.run)
    parser = _verb(verbs, "export")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument("output", type=Path, metavar="OUT", help="a .svg or .dot file")
    _add_step(parser)
    parser.set_defaults(run=export.run)


def _add_step(parser: Parser) -> None:
    parser.add_argument(
        "--step",
        type=_step_or_place,
        metavar="N",
        help="a step such as 5, or inside it 5/backward, 5/backward/line3 or 5/backward/op2, as"
        " `gradviz steps --level op` counts them; the last step unless given",
    )


def _add_check(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "check")
    add_options(parser)
    parser.set_defaults(run=check.run)


def _add_compare(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.model.beside.inputs import FLOAT_DTYPES

    parser = _verb(verbs, "compare")
    for name in ("left", "right"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="a trace, a scene of the gallery, or FILE.py:NAME; what is no trace is run",
        )
    text = "all floating inputs of RIGHT in another dtype"
    parser.add_argument("--dtype", choices=FLOAT_DTYPES, help=text)
    parser.add_argument("--device", metavar="D", help="where RIGHT is run; like LEFT unless given")
    parser.add_argument("--json", action="store_true", help="as one JSON document")
    parser.set_defaults(run=compare.run)


def _add_screenshot(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "screenshot")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--scene", metavar="ID", help="a scene of the gallery")
    group.add_argument("trace", nargs="?", type=Path, metavar="TRACE")
    _add_step(parser)
    parser.add_argument("--tab", choices=("graph", "jacobians", "compare"), default="graph")
    text = "for the tab compare: the scene or trace on the right"
    parser.add_argument("--with", dest="beside", metavar="ID", help=text)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument("--size", type=_size, default=(1280, 800), metavar="WxH", help="in pixels")
    parser.add_argument("output", type=Path, metavar="OUT.png")
    parser.set_defaults(run=screenshot.run)


def _add_desktop(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "desktop")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--install", action="store_true", help="write menu entry, icons and file type"
    )
    group.add_argument("--remove", action="store_true", help="remove them again")
    parser.set_defaults(run=desktop.run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a whole number from 1")
    return int(text)


def _step_or_place(text: str) -> int | str:
    from gradviz.model.place_paths import is_place_path

    if "/" not in text:
        return _positive(text)
    if not is_place_path(text):
        raise argparse.ArgumentTypeError(f"{text} is not a place such as 5/backward/line3")
    return text


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,4})[xX×](\d{3,4})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text} is not a size like 1280x800")
    return int(match[1]), int(match[2])
