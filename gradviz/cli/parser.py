"""The parser of the command line."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn

from gradviz.catalogue.command_messages import MESSAGES_COMMANDS
from gradviz.catalogue.messages import say
from gradviz.catalogue.suggestion import did_you_mean
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError

_VERBS = {
    **{"scenes": False, "guide": False, "lesson": False, "record": True, "view": True},
    **{"steps": True, "export": True, "check": True, "doctor": False, "compare": False},
    **{"screenshot": True, "desktop": False, "completion": False},
}
"""The verbs in the order of the help, and whether ``--scene`` may stand before the id of a scene.

The module of each declares its arguments and runs it."""


@contextlib.contextmanager
def _argparse_in_language() -> Iterator[None]:
    """Let argparse take its texts from the catalogue instead of from gettext's files."""
    names = vars(argparse)
    gettext, ngettext = names["_"], names["ngettext"]
    names.update({"_": argparse_text, "ngettext": _argparse_plural})
    try:
        yield
    finally:
        names.update({"_": gettext, "ngettext": ngettext})


def argparse_text(text: str) -> str:
    """A text of argparse in the current language; what only a programmer can see stays as it is."""
    key = _ARGPARSE_KEYS.get(text)
    return text if key is None else say(key)


def _argparse_plural(one: str, more: str, count: int) -> str:
    return argparse_text(one if count == 1 else more)


_ARGPARSE_KEYS = {
    text: key for key, text in MESSAGES_COMMANDS.items() if key.startswith("argparse.")
}


class _HelpFormatter(argparse.HelpFormatter):
    """Wraps text by its width in a terminal, where a Chinese character takes two columns."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return _wrapped(text, width) if _WIDE.search(text) else super()._split_lines(text, width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if not _WIDE.search(text):
            return super()._fill_text(text, width, indent)
        return "\n".join(indent + line for line in _wrapped(text, width - len(indent)))


_WIDE = re.compile(r"[\u2e80-\uffef]")
_PIECES = re.compile(r"（*(?:[\u2e80-\uffef]|[^\s\u2e80-\uffef]+)[，。；：！？、）”]*|\s")
"""Between these, a line may end: before no mark that closes, and behind none that opens."""


def _wrapped(text: str, width: int) -> list[str]:
    lines = [""]
    for piece in _PIECES.findall(text):
        line = lines[-1] + piece
        if lines[-1] and len(line.rstrip()) + len(_WIDE.findall(line)) > width:
            lines[-1] = lines[-1].rstrip()
            lines.append(piece.lstrip())
        else:
            lines[-1] = line
    return lines


class Parser(argparse.ArgumentParser):
    """Argument parser that reports an error in one sentence instead of a page.

    The module of a verb is imported when its parser is first used, because it imports what no other
    verb needs.

    Attributes:
        verbs: The parsers of the verbs, by name.
        module: The module of a verb; empty once its arguments are added.
    """

    verbs: Mapping[str, Parser] = MappingProxyType({})
    module: str = ""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        options.setdefault("formatter_class", _HelpFormatter)
        with _argparse_in_language():
            super().__init__(*arguments, **options)

    def format_help(self) -> str:
        """The help, with the words of argparse in the current language."""
        with _argparse_in_language():
            return super().format_help()

    def complete(self) -> Parser:
        """This parser, with all arguments of its own and of its verbs."""
        name, self.module = self.module, ""
        if name:
            verb = importlib.import_module(name)
            verb.add_arguments(VerbArguments(self, name.rpartition(".")[2]))
            self.set_defaults(run=verb.run)
        for each in self.verbs.values():
            each.complete()
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as argparse does, with the arguments of this verb."""
        if self.module:
            self.complete()
        with _argparse_in_language():
            return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error message as a `UsageError`."""
        # argparse knows -m only without its value.
        message = message.replace("FILE.py:NAME -m", "FILE.py:NAME -m MODULE")
        raise UsageError(self._usage_error(message))

    def _usage_error(self, problem: str) -> str:
        problem = f"{problem[0].upper()}{problem[1:]}"
        return say("command.usage", problem=problem, program=self.prog)

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; a first one that is no verb and no option is a file to open."""
        words = list(argv)
        if not words or (words[0] not in self.verbs and not words[0].startswith("-")):
            words.insert(0, "window")
        programs: list[str] = []
        if words[0] == "record":
            from gradviz.cli.record import split_program

            words, programs = split_program(self.verbs["record"].complete(), words)
        if _VERBS.get(words[0]):
            words = [each.removeprefix("--scene=") for each in words if each != "--scene"]
        found: argparse.Namespace
        found, unknown = self.parse_known_args(words, argparse.Namespace(arguments=programs))
        if unknown:
            self.verbs.get(words[0], self).reject(unknown)
        return found

    def reject(self, unknown: Sequence[str]) -> NoReturn:
        """Raise a `UsageError` for arguments that this verb does not have."""
        from gradviz.text.punctuation import join_sentences

        problem = say("argparse.unrecognized") % " ".join(unknown)
        known = re.findall(r"--[a-z-]+", self.format_help())
        advice = did_you_mean(unknown[0].partition("=")[0], known)
        raise UsageError(join_sentences((self._usage_error(problem), advice)))


def make_parser() -> Parser:
    """Create the parser; ``run`` in its result is the verb's function."""
    from gradviz.text.punctuation import with_full_stop

    parser = Parser(
        prog="gradviz",
        usage=say("help.usage"),
        description=say("help.description"),
        # An abbreviation could become ambiguous with the next option that is added.
        allow_abbrev=False,
    )
    parser.add_argument(
        "--version",
        action="store_const",
        dest="run",
        const=_print_versions,
        help=say("help.version"),
    )
    verbs = parser.add_subparsers(title=say("help.verbs"), metavar="VERB", prog="gradviz")
    parser.verbs = verbs.choices
    window = verbs.add_parser("window", allow_abbrev=False, prog="gradviz")
    window.set_defaults(verbs=verbs.choices)
    for name in _VERBS:
        text = say(f"help.verb.{name}")
        description = with_full_stop(f"{text[0].upper()}{text[1:]}")
        verbs.add_parser(name, help=text, description=description, allow_abbrev=False)
    verbs.choices["completion"].set_defaults(whole=parser)
    for name, verb in verbs.choices.items():
        verb.module = f"gradviz.cli.{name}"
    return parser


def _print_versions(arguments: argparse.Namespace) -> int:
    from gradviz.cli import version

    return version.run(arguments)
