"""The parser of the command line."""

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
    "record": "run code and write its trace",
    "view": "open a trace in the window",
    "steps": "print every step of a trace",
    "check": "compare numerical with analytical Jacobians",
    "compare": "show what differs between two runs",
    "export": "write the graph of a trace as a figure",
    "screenshot": "write a screenshot of the window",
    "desktop": "add gradviz to the desktop menu of this user, or remove it",
}


class Parser(argparse.ArgumentParser):
    """Argument parser that reports an error in one sentence instead of a page."""

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error message as a `UsageError`."""
        message = message.replace("one of the arguments --scene", "one of --scene ID and")
        raise UsageError(f"{message}. See {self.prog} --help.")

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; a first one that is no verb and no option is a file to open."""
        words = list(argv)
        if not words or (words[0] not in _VERBS and not words[0].startswith("-")):
            words.insert(0, "window")
        if words[0] == "screenshot":
            words = _options_first(words)
        return self.parse_args(words)


def _options_first(words: Sequence[str]) -> list[str]:
    """Move the files of a verb behind its options, each of which takes a value.

    Otherwise argparse would take a file before an option for OUT.png and reject the one after it.
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
    """Create the parser; ``run`` in its result is the verb's function."""
    parser = Parser(
        prog="gradviz",
        usage="gradviz [FILE ...] | gradviz VERB ...",
        description="Make PyTorch's autograd visible. Without a verb, the window opens.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="store_const",
        dest="run",
        const=version.run,
        help="print the versions of gradviz, Python and the libraries it uses",
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
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=scenes.run)


def _add_guide(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "guide")
    parser.add_argument("page", nargs="?", metavar="PAGE", help="id of a scene or chapter")
    parser.set_defaults(run=guide.run)


def _add_subject(parser: Parser) -> None:
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--scene", metavar="ID", help="id of a gallery scene")
    group.add_argument(
        "target", nargs="?", metavar="FILE.py:NAME", help="an entry of EXAMPLES in a Python file"
    )
    parser.add_argument("--device", metavar="D", help="device such as cpu or cuda (default: cpu)")


def _add_record(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.model.inside import RecordingLevel

    parser = _verb(verbs, "record")
    _add_subject(parser)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="OUT")
    parser.add_argument(
        "--level",
        choices=get_args(RecordingLevel),
        default="nodes",
        help="what to record: node steps, also their ops, or also source lines (default: nodes)",
    )
    parser.set_defaults(run=record.run)


def _add_readers(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.analysis.position.trace_position import LEVELS

    parser = _verb(verbs, "view")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.set_defaults(run=view.run)
    parser = _verb(verbs, "steps")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="node",
        help="how far to look inside: passes, nodes (default), or their stages, lines or ops",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument(
        "--find", choices=("nan", "inf"), help="instead show where the first one came from"
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
        help="a step such as 5, or a place in it such as 5/backward, 5/backward/line3 or "
        "5/backward/op2, numbered as by `gradviz steps --level op` (default: the last "
        "step)",
    )


def _add_check(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "check")
    add_options(parser)
    parser.set_defaults(run=check.run)


def _add_compare(verbs: argparse._SubParsersAction[Parser]) -> None:
    from gradviz.analysis.compare.shared_inputs import FLOAT_DTYPES

    parser = _verb(verbs, "compare")
    for name in ("left", "right"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help="a trace, or code to run: id of a gallery scene or FILE.py:NAME",
        )
    text = "cast all floating-point inputs of RIGHT to this dtype"
    parser.add_argument("--dtype", choices=FLOAT_DTYPES, help=text)
    parser.add_argument(
        "--device", metavar="D", help="device to run RIGHT on (default: same as LEFT)"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(run=compare.run)


def _add_screenshot(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "screenshot")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--scene", metavar="ID", help="id of a gallery scene")
    group.add_argument("trace", nargs="?", type=Path, metavar="TRACE")
    _add_step(parser)
    parser.add_argument("--tab", choices=("graph", "jacobians", "compare"), default="graph")
    text = "with --tab compare: scene or trace on the right"
    parser.add_argument("--with", dest="beside", metavar="ID", help=text)
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    parser.add_argument(
        "--size",
        type=_size,
        default=(1280, 800),
        metavar="WxH",
        help="size in pixels (default: 1280x800)",
    )
    parser.add_argument("output", type=Path, metavar="OUT.png")
    parser.set_defaults(run=screenshot.run)


def _add_desktop(verbs: argparse._SubParsersAction[Parser]) -> None:
    parser = _verb(verbs, "desktop")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument(
        "--install", action="store_true", help="install menu entry, icons and file type"
    )
    group.add_argument("--remove", action="store_true", help="remove them")
    parser.set_defaults(run=desktop.run)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive integer")
    return int(text)


def _step_or_place(text: str) -> int | str:
    from gradviz.analysis.position.position_paths import is_position_path

    if "/" not in text:
        return _positive(text)
    if not is_position_path(text):
        raise argparse.ArgumentTypeError(f"{text} is not a place such as 5/backward/line3")
    return text


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,4})[xX×](\d{3,4})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text} is not a size like 1280x800")
    return int(match[1]), int(match[2])
