"""The parser of the command line."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from gradviz.catalogue.messages import say
from gradviz.catalogue.suggestion import did_you_mean
from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.settings.recording_scope import PassRange

_SCENE_VERBS = ("record", "view", "steps", "export", "check", "screenshot")
_RECORDED = "SCRIPT.py|SCENE|FILE.py:NAME"


class Parser(argparse.ArgumentParser):
    """Argument parser that reports an error in one sentence instead of a page.

    A verb's parser adds its arguments when it is first used, because they import what no other verb
    needs.

    Attributes:
        verbs: The parsers of the verbs, by name.
        add_arguments: Adds the arguments of a verb; None once they are added.
    """

    verbs: Mapping[str, Parser] = MappingProxyType({})
    add_arguments: Callable[[Parser], None] | None = None

    def complete(self) -> Parser:
        """This parser, with all arguments of its own and of its verbs."""
        add, self.add_arguments = self.add_arguments, None
        if add is not None:
            add(self)
        for each in self.verbs.values():
            each.complete()
        return self

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse as argparse does, with the arguments of this verb."""
        if self.add_arguments is not None:
            self.complete()
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Raise argparse's error message as a `UsageError`."""
        # argparse knows -m only without its value.
        message = message.replace(f"{_RECORDED} -m", f"{_RECORDED} -m MODULE")
        raise UsageError(say("command.usage", problem=message, program=self.prog))

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse the arguments; a first one that is no verb and no option is a file to open."""
        words = list(argv)
        if not words or (words[0] not in self.verbs and not words[0].startswith("-")):
            words.insert(0, "window")
        if words[0] in ("screenshot", "export"):
            words = _options_first(words)
        programs: list[str] = []
        if words[0] == "record":
            words, programs = _split_program(words)
        if words[0] in _SCENE_VERBS:
            # May be written before the id of a scene.
            words = [each.removeprefix("--scene=") for each in words if each != "--scene"]
        found: argparse.Namespace
        found, unknown = self.parse_known_args(words, argparse.Namespace(arguments=programs))
        if unknown:
            self.verbs.get(words[0], self).reject(unknown)
        return found

    def reject(self, unknown: Sequence[str]) -> NoReturn:
        """Raise a `UsageError` for arguments that this verb does not have."""
        problem = say("command.unknown", words=" ".join(unknown))
        known = re.findall(r"--[a-z-]+", self.format_help())
        advice = did_you_mean(unknown[0].partition("=")[0], known)
        text = say("command.usage", problem=problem, program=self.prog)
        raise UsageError(f"{text} {advice}".rstrip())


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


_RECORD_OPTIONS = frozenset(
    (
        *("-o", "--output", "--level", "--budget"),
        *("--device", "--seed", "--state-dict", "--mode"),
        *("--passes", "--only", "--until", "--max-size"),
        *("--time-limit", "--memory-limit", "--output-limit"),
    )
)
"""Options of `record` whose value is the next word."""


def _split_program(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the words of `record` behind a script or module: what follows are its arguments."""
    from gradviz.cli.record_program import is_script

    rest = iter(range(1, len(words)))
    for place in rest:
        word = words[place]
        if word == "-m":
            return list(words[: place + 2]), list(words[place + 2 :])
        if not word.startswith("-"):
            if is_script(word):
                return list(words[: place + 1]), list(words[place + 1 :])
        elif word in _RECORD_OPTIONS:
            next(rest, None)
    return list(words), []


def make_parser() -> Parser:
    """Create the parser; ``run`` in its result is the verb's function."""
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
    window.add_arguments = partial(_add_window, verbs=verbs.choices)
    for name, add in _ARGUMENTS.items():
        _verb(verbs, name).add_arguments = add
    _verb(verbs, "completion").add_arguments = partial(_add_completion, whole=parser)
    return parser


def _print_versions(arguments: argparse.Namespace) -> int:
    from gradviz.cli import version

    return version.run(arguments)


def _verb(verbs: argparse._SubParsersAction[Parser], name: str) -> Parser:
    text = say(f"help.verb.{name}")
    description = f"{text[0].upper()}{text[1:]}."
    return verbs.add_parser(name, help=text, description=description, allow_abbrev=False)


def _add_window(parser: Parser, verbs: Mapping[str, Parser]) -> None:
    from gradviz.cli import window

    parser.add_argument("files", nargs="*", metavar="FILE|SCENE")
    parser.set_defaults(run=window.run, verbs=verbs)


def _add_scenes(parser: Parser) -> None:
    from gradviz.cli import scenes

    parser.add_argument("--json", action="store_true", help=say("help.json"))
    parser.set_defaults(run=scenes.run)


def _add_guide(parser: Parser) -> None:
    from gradviz.cli import guide

    parser.add_argument("page", nargs="?", metavar="PAGE", help=say("help.guide.page"))
    parser.set_defaults(run=guide.run)


def _add_lesson(parser: Parser) -> None:
    from gradviz.cli import lesson

    parser.add_argument("lesson", nargs="?", metavar="FILE", help=say("help.lesson.lesson"))
    parser.add_argument("--print", action="store_true", help=say("help.lesson.print"))
    parser.set_defaults(run=lesson.run)


def _add_record(parser: Parser) -> None:
    from gradviz.cli import record
    from gradviz.cli.limit_options import add_limit_options, size_in_bytes
    from gradviz.cli.subject import add_run_options
    from gradviz.model.inside import RecordingLevel
    from gradviz.model.settings.recording_scope import ALL_PASSES

    parser.usage = say("help.record.usage")
    parser.epilog = say("help.record.programs")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("target", nargs="?", metavar=_RECORDED, help=say("help.record.target"))
    group.add_argument("-m", dest="module", metavar="MODULE", help=say("help.record.module"))
    add_run_options(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help=say("help.record.output"))
    parser.add_argument(
        "--level",
        choices=get_args(RecordingLevel),
        default="nodes",
        help=say("help.record.level"),
    )
    parser.add_argument(
        "--budget",
        type=size_in_bytes,
        default=256 << 20,
        metavar="SIZE",
        help=say("help.record.budget"),
    )
    parser.add_argument(
        "--passes",
        type=_passes,
        default=ALL_PASSES,
        metavar="RANGE",
        help=say("help.record.passes"),
    )
    parser.add_argument("--only", metavar="PATH", help=say("help.record.only"))
    parser.add_argument("--until", type=_until, metavar="CONDITION", help=say("help.record.until"))
    parser.add_argument(
        "--max-size", type=size_in_bytes, metavar="SIZE", help=say("help.record.max_size")
    )
    parser.add_argument(
        "--output-limit", type=size_in_bytes, metavar="SIZE", help=say("help.record.output_limit")
    )
    add_limit_options(parser)
    for name in ("values", "source"):
        parser.add_argument(
            f"--no-{name}",
            dest=name,
            action="store_false",
            help=say(f"help.record.no_{name}"),
        )
    parser.set_defaults(run=record.run)


def _add_view(parser: Parser) -> None:
    from gradviz.cli import view

    _add_position(parser, "first", tab=None, size=None)
    parser.set_defaults(run=view.run)


def _add_steps(parser: Parser) -> None:
    from gradviz.analysis.position.trace_position import LEVELS
    from gradviz.cli import steps

    parser.add_argument("subject", metavar="TRACE|SCENE", help=say("help.trace"))
    parser.add_argument(
        "--level",
        choices=LEVELS,
        default="node",
        help=say("help.steps.level"),
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help=say("help.json"))
    form.add_argument("--find", choices=("nan", "inf"), help=say("help.steps.find"))
    parser.set_defaults(run=steps.run)


def _add_export(parser: Parser) -> None:
    from gradviz.cli import export

    _add_position(parser, "last", tab="graph", theme="light", size=None)
    parser.add_argument("output", type=Path, metavar="OUT", help=say("help.export.output"))
    parser.set_defaults(run=export.run)


def _add_position(
    parser: Parser,
    step: str,
    *,
    tab: str | None,
    theme: str | None = None,
    size: tuple[int, int] | None,
) -> None:
    """Add the arguments that select a view: scene or trace, step, tab, theme and size."""
    from gradviz.analysis.position.view_target import ViewTab

    parser.add_argument("subject", metavar="TRACE|SCENE", help=say("help.trace"))
    parser.add_argument(
        "--step",
        type=_step_or_place,
        metavar="N",
        help=say(f"help.step.{step}", form=say("help.step")),
    )
    parser.add_argument("--tab", choices=get_args(ViewTab), default=tab)
    parser.add_argument("--theme", choices=("light", "dark"), default=theme)
    text = (
        say("help.size")
        if size is None
        else say("help.size.default", size="x".join(map(str, size)))
    )
    parser.add_argument("--size", type=_size, default=size, metavar="WxH", help=text)


def _add_check(parser: Parser) -> None:
    from gradviz.cli import check
    from gradviz.cli.check_options import add_options

    parser.epilog = say("help.check.exit_codes")
    add_options(parser)
    parser.set_defaults(run=check.run)


def _add_doctor(parser: Parser) -> None:
    from gradviz.cli import doctor
    from gradviz.cli.limit_options import add_limit_options
    from gradviz.host.limits import TIME_S

    parser.add_argument(
        "targets", nargs="*", metavar="FILE.py[:NAME]|FOLDER", help=say("help.doctor.targets")
    )
    for name in ("select", "ignore"):
        parser.add_argument(
            f"--{name}", type=_names, default=(), metavar="GV1,...", help=say(f"help.doctor.{name}")
        )
    parser.add_argument(
        "--no-run", dest="run_examples", action="store_false", help=say("help.doctor.no_run")
    )
    add_limit_options(parser, time_s=TIME_S)
    parser.add_argument(
        "--format", choices=doctor.FORMATS, default="text", help=say("help.doctor.format")
    )
    parser.add_argument("-o", "--output", type=Path, metavar="OUT", help=say("help.doctor.output"))
    parser.add_argument("--rules", action="store_true", help=say("help.doctor.rules"))
    parser.set_defaults(run=doctor.run)


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def _add_compare(parser: Parser) -> None:
    from gradviz.analysis.compare.shared_inputs import FLOAT_DTYPES
    from gradviz.cli import compare

    for name in ("left", "right"):
        parser.add_argument(
            name,
            metavar=name.upper(),
            help=say("help.compare.side"),
        )
    parser.add_argument("--dtype", choices=FLOAT_DTYPES, help=say("help.compare.dtype"))
    parser.add_argument("--device", metavar="D", help=say("help.compare.device"))
    parser.add_argument("--json", action="store_true", help=say("help.json"))
    parser.set_defaults(run=compare.run)


def _add_screenshot(parser: Parser) -> None:
    from gradviz.cli import screenshot

    _add_position(parser, "last", tab="graph", theme="light", size=(1280, 800))
    parser.add_argument(
        "--with", dest="compare_with", metavar="ID", help=say("help.screenshot.with")
    )
    parser.add_argument("output", type=Path, metavar="OUT.png")
    parser.set_defaults(run=screenshot.run)


def _add_desktop(parser: Parser) -> None:
    from gradviz.cli import desktop

    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--install", action="store_true", help=say("help.desktop.install"))
    group.add_argument("--remove", action="store_true", help=say("help.desktop.remove"))
    parser.set_defaults(run=desktop.run)


_ARGUMENTS: Mapping[str, Callable[[Parser], None]] = {
    "scenes": _add_scenes,
    "guide": _add_guide,
    "lesson": _add_lesson,
    "record": _add_record,
    "view": _add_view,
    "steps": _add_steps,
    "export": _add_export,
    "check": _add_check,
    "doctor": _add_doctor,
    "compare": _add_compare,
    "screenshot": _add_screenshot,
    "desktop": _add_desktop,
}
"""What adds the arguments of each verb, in the order of the help."""


def _add_completion(parser: Parser, whole: Parser) -> None:
    from gradviz.cli import completion

    parser.epilog = say("help.completion.use")
    parser.add_argument("shell", choices=completion.SHELLS, help=say("help.completion.shell"))
    parser.set_defaults(run=completion.run, parser=whole.complete())


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(say("argument.positive", text=text))
    return int(text)


def _passes(text: str) -> PassRange:
    from gradviz.model.settings.recording_scope import parse_pass_range

    try:
        return parse_pass_range(text)
    except ValueError:
        raise argparse.ArgumentTypeError(say("argument.passes", text=text)) from None


def _until(text: str) -> str:
    from gradviz.model.settings.stop_condition import parse_stop_condition

    try:
        parse_stop_condition(text)
    except ValueError:
        raise argparse.ArgumentTypeError(say("argument.until", text=text)) from None
    return text


def _step_or_place(text: str) -> int | str:
    from gradviz.analysis.position.position_paths import is_position_path

    if "/" not in text:
        return _positive(text)
    if not is_position_path(text):
        raise argparse.ArgumentTypeError(say("argument.place", text=text))
    return text


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,4})[xX×](\d{3,4})", text)
    if match is None:
        raise argparse.ArgumentTypeError(say("argument.size", text=text))
    return int(match[1]), int(match[2])
