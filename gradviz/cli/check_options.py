"""The arguments of ``gradviz check``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gradviz.catalogue.messages import say
from gradviz.cli.errors import UsageError, check_file
from gradviz.cli.limit_options import add_limit_options
from gradviz.cli.subject import add_run_options

if TYPE_CHECKING:
    from gradviz.model.check_settings import CheckSettings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for targets, settings and outputs."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="SCENE|FILE.py[:NAME]",
        help=say("help.check.targets"),
    )
    add_run_options(parser)
    add_limit_options(parser)
    parser.add_argument(
        "--order",
        choices=("1", "2", "both"),
        default="1",
        help=say("help.check.order"),
    )
    _add_settings(parser)
    _add_outputs(parser)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    from gradviz.model.check_settings import DEFAULTS, ForwardModeSetting

    group = parser.add_argument_group(say("help.check.settings"))
    for name in ("eps", "atol", "rtol", "nondet_tol"):
        default = getattr(DEFAULTS, name)
        text = say("help.check.number", meaning=say(f"help.check.{name}"), default=default)
        option = f"--{name.replace('_', '-')}"
        group.add_argument(option, type=tolerance, default=default, metavar="X", help=text)
    group.add_argument(
        "--cast",
        action=argparse.BooleanOptionalAction,
        default=None,
        help=say("help.check.cast"),
    )
    group.add_argument(
        "--forward-mode",
        choices=get_args(ForwardModeSetting),
        default=DEFAULTS.forward_mode,
        help=say("help.check.forward_mode"),
    )
    group.add_argument("--batched", action="store_true", help=say("help.check.batched"))
    group.add_argument("--fast", action="store_true", help=say("help.check.fast"))
    group.add_argument(
        "--no-battery",
        dest="battery",
        action="store_false",
        help=say("help.check.no_battery"),
    )
    group.add_argument("--variations", action="store_true", help=say("help.check.variations"))
    group.add_argument(
        "--reference",
        default="",
        metavar="FILE.py:NAME",
        help=say("help.check.reference"),
    )
    group.add_argument(
        "--nudge",
        type=tolerance,
        default=DEFAULTS.nudge,
        metavar="X",
        help=say("help.check.nudge"),
    )


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(say("help.check.outputs"))
    group.add_argument(
        "--json",
        action="store_true",
        help=say("help.check.json"),
    )
    group.add_argument("--junit", type=Path, metavar="OUT.xml", help=say("help.check.junit"))
    group.add_argument("--npz", type=Path, metavar="OUT.npz", help=say("help.check.npz"))
    group.add_argument("--svg", type=Path, metavar="OUT.svg", help=say("help.check.svg"))
    group.add_argument("--png", type=Path, metavar="OUT.png", help=say("help.check.png"))
    group.add_argument("--pair", metavar="NAME", help=say("help.check.pair"))
    group.add_argument(
        "--theme",
        choices=("light", "dark"),
        default="light",
        help=say("help.check.theme"),
    )


def settings_of(arguments: argparse.Namespace) -> CheckSettings:
    """Convert the arguments to check settings.

    Raises:
        UsageError: If no check is possible with these settings.
    """
    from gradviz.model.check_settings import CheckSettings

    settings = CheckSettings(
        eps=arguments.eps,
        atol=arguments.atol,
        rtol=arguments.rtol,
        nondet_tol=arguments.nondet_tol,
        cast=bool(arguments.cast),
        auto_cast=arguments.cast is None,
        allow_once=arguments.order == "both",
        forward_mode=arguments.forward_mode,
        batched=arguments.batched,
        fast=arguments.fast,
        battery=arguments.battery,
        variations=arguments.variations,
        reference=_absolute(arguments.reference),
        nudge=arguments.nudge,
    )
    if problem := settings.problem():
        raise UsageError(say(problem.key, name=problem.name, value=problem.value))
    return settings


def _absolute(reference: str) -> str:
    """Make the file path of a reference absolute; a bare name refers to the checked file."""
    path, separator, name = reference.rpartition(":")
    if not separator:
        return reference
    check_file(Path(path))
    return f"{Path(path).absolute()}:{name}"


def tolerance(text: str) -> float:
    """Parse a finite number that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(say("argument.tolerance", text=text))
    return value
