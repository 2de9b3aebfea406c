"""The arguments of ``gradviz check``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gradviz.cli.errors import UsageError

if TYPE_CHECKING:
    from gradviz.model.check_settings import CheckSettings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for targets, settings and outputs."""
    parser.add_argument(
        "targets",
        nargs="*",
        metavar="FILE.py[:NAME]",
        help="an entry of EXAMPLES in a file, or all of them; or a trace, whose stored checks "
        "are printed; may be repeated",
    )
    parser.add_argument(
        "--scene", action="append", default=[], metavar="ID", help="id of a gallery scene"
    )
    parser.add_argument("--device", metavar="D", help="device such as cpu or cuda (default: cpu)")
    parser.add_argument(
        "--order",
        choices=("1", "2", "both"),
        default="1",
        help="1 checks the function (gradcheck), 2 its backward (gradgradcheck), both runs "
        "one after the other (default: 1)",
    )
    _add_settings(parser)
    _add_outputs(parser)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    from gradviz.model.check_settings import DEFAULTS, ForwardModeSetting

    group = parser.add_argument_group("settings")
    numbers = {
        "eps": "step of the finite difference",
        "atol": "absolute tolerance",
        "rtol": "relative tolerance",
        "nondet-tol": "allowed difference between two runs of the same backward",
    }
    for name, text in numbers.items():
        default = getattr(DEFAULTS, name.replace("-", "_"))
        text = f"{text} (default: {default:g})"
        group.add_argument(f"--{name}", type=tolerance, default=default, metavar="X", help=text)
    group.add_argument("--cast", action="store_true", help="cast inputs to float64 first")
    group.add_argument(
        "--forward-mode",
        choices=get_args(ForwardModeSetting),
        default=DEFAULTS.forward_mode,
        help="compare forward mode too; auto (default) does so if there is a jvp, without "
        "affecting the verdict",
    )
    group.add_argument("--batched", action="store_true", help="compare vmap over backward too")
    group.add_argument(
        "--fast", action="store_true", help="first compare products with random vectors"
    )
    group.add_argument(
        "--no-battery",
        dest="battery",
        action="store_false",
        help="skip incoming gradients that gradcheck never tries",
    )
    group.add_argument(
        "--variations", action="store_true", help="also try other sizes, strides and dtypes"
    )
    group.add_argument(
        "--reference",
        default="",
        metavar="FILE.py:NAME",
        help="a plain version of the function to compare with; a bare NAME is in the checked "
        "file, and torch.nn.functional.NAME is torch's own",
    )
    text = "first move the inputs by this much, away from a kink"
    group.add_argument("--nudge", type=tolerance, default=DEFAULTS.nudge, metavar="X", help=text)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--json",
        action="store_true",
        help="print one JSON document instead of text, or a list for several checks",
    )
    group.add_argument("--junit", type=Path, metavar="OUT.xml", help="write a test report for CI")
    group.add_argument(
        "--npz", type=Path, metavar="OUT.npz", help="write all matrices as a NumPy file"
    )
    group.add_argument("--svg", type=Path, metavar="OUT.svg", help="write the heatmaps as a figure")
    group.add_argument("--png", type=Path, metavar="OUT.png", help="write the heatmaps as an image")
    group.add_argument(
        "--pair", metavar="NAME", help="draw only the heatmaps of this input, or of OUTPUT/INPUT"
    )
    group.add_argument(
        "--theme",
        choices=("light", "dark"),
        default="light",
        help="theme of the heatmaps (default: light)",
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
    """Make the file path of a reference absolute; a bare name refers to the checked file."""
    path, separator, name = reference.rpartition(":")
    if not separator:
        return reference
    if not Path(path).is_file():
        raise UsageError(f"--reference: file {path} does not exist")
    return f"{Path(path).absolute()}:{name}"


def tolerance(text: str) -> float:
    """Parse a finite number that is not negative."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a non-negative number")
    return value
