"""The arguments of ``gradviz check``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.check_settings import CheckSettings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds what is checked, how, and what is written."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE.py[:NAME]",
        help="a name in a file that has EXAMPLES, or all of them; several may be given; or a trace,"
        " whose checks are told again",
    )
    parser.add_argument(
        "--scene", action="append", default=[], metavar="ID", help="a scene of the gallery"
    )
    parser.add_argument("--device", metavar="D", help="like cpu or cuda; cpu unless given")
    parser.add_argument(
        "--order",
        choices=("1", "2", "both"),
        default="1",
        help="1 checks the function (gradcheck), 2 its backward (gradgradcheck), both one after the"
        " other; 1 unless given",
    )
    _add_settings(parser)
    _add_outputs(parser)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    from gradviz.model.check_settings import DEFAULTS, ForwardMode

    group = parser.add_argument_group("how it is checked")
    numbers = {
        "eps": "step of the difference",
        "atol": "absolute tolerance",
        "rtol": "relative tolerance",
        "nondet-tol": "how far two equal backwards may be apart",
    }
    for name, text in numbers.items():
        default = getattr(DEFAULTS, name.replace("-", "_"))
        text = f"{text}; {default:g} unless given"
        group.add_argument(f"--{name}", type=tolerance, default=default, metavar="X", help=text)
    group.add_argument("--cast", action="store_true", help="cast inputs to float64 first")
    group.add_argument(
        "--forward-mode",
        choices=get_args(ForwardMode),
        default=DEFAULTS.forward_mode,
        help="compare forward mode too; auto, unless given, does where there is a jvp, and lets it"
        " decide nothing",
    )
    group.add_argument("--batched", action="store_true", help="compare vmap over backward too")
    group.add_argument(
        "--fast", action="store_true", help="compare products with random vectors first"
    )
    group.add_argument(
        "--no-battery",
        dest="battery",
        action="store_false",
        help="leave out incoming gradients that gradcheck never tries",
    )
    group.add_argument(
        "--variations", action="store_true", help="try other sizes, strides and dtypes too"
    )
    group.add_argument(
        "--reference",
        default="",
        metavar="FILE.py:NAME",
        help="a plain version of the function, as a third opinion: NAME is in the same file, and"
        " torch.nn.functional.NAME is torch's own",
    )
    text = "move the inputs by so much first, away from a kink"
    group.add_argument("--nudge", type=tolerance, default=DEFAULTS.nudge, metavar="X", help=text)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what is written")
    group.add_argument(
        "--json", action="store_true", help="one JSON document instead of text; a list of several"
    )
    group.add_argument("--junit", type=Path, metavar="OUT.xml", help="a test report for CI")
    group.add_argument("--npz", type=Path, metavar="OUT.npz", help="all matrices, for NumPy")
    group.add_argument("--svg", type=Path, metavar="OUT.svg", help="heatmaps as a figure")
    group.add_argument("--png", type=Path, metavar="OUT.png", help="the same as a picture")
    group.add_argument(
        "--pair", metavar="NAME", help="of heatmaps: only those of this input, or OUTPUT/INPUT"
    )
    group.add_argument("--theme", choices=("light", "dark"), default="light", help="of heatmaps")


def settings_of(arguments: argparse.Namespace) -> CheckSettings:
    """What the arguments ask for.

    Raises:
        UsageError: If nothing can be checked so.
    """
    from gradviz.model.check_settings import CheckSettings

    settings = CheckSettings(
        eps=arguments.eps,
        atol=arguments.atol,
        rtol=arguments.rtol,
        nondet_tol=arguments.nondet_tol,
        cast=arguments.cast,
        forward_mode=arguments.forward_mode,
        batched=arguments.batched,
        fast=arguments.fast,
        battery=arguments.battery,
        variations=arguments.variations,
        reference=_absolute(arguments.reference),
        nudge=arguments.nudge,
    )
    if settings.complaint():
        raise UsageError(settings.complaint())
    return settings


def _absolute(reference: str) -> str:
    """The reference with the whole path of its file; a bare name is in the file that is checked."""
    path, separator, name = reference.rpartition(":")
    if not separator:
        return reference
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path} with a reference")
    return f"{Path(path).absolute()}:{name}"


def tolerance(text: str) -> float:
    """A number from 0."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0")
    return value
