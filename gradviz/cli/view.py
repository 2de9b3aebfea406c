"""``gradviz view``: a trace or a scene in the window, at a place."""

from __future__ import annotations

import argparse
import re
from typing import get_args

from gradviz.catalogue.messages import say
from gradviz.cli.traces import from_standard_input


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    add_view_options(parser, "first", tab=None, size=None)


def run(arguments: argparse.Namespace) -> int:
    """Show a place of a trace or scene in the window, after checking that both exist."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.subject import scene_or_trace
    from gradviz.cli.window import open_window

    with from_standard_input(arguments.subject) as word:
        subject = scene_or_trace(word)
        target = ViewTarget(
            scene=subject if isinstance(subject, str) else "",
            trace="" if isinstance(subject, str) else str(subject.absolute()),
            step="" if arguments.step is None else str(arguments.step),
            tab=arguments.tab,
        )
        return open_window([], target, theme=arguments.theme, size=arguments.size)


def add_view_options(
    parser: argparse.ArgumentParser,
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


def _step_or_place(text: str) -> int | str:
    from gradviz.analysis.position.position_paths import is_position_path

    if "/" not in text:
        return _positive(text)
    if not is_position_path(text):
        raise argparse.ArgumentTypeError(say("argument.place", text=text))
    return text


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(say("argument.positive", text=text))
    return int(text)


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{3,4})[xX×](\d{3,4})", text)
    if match is None:
        raise argparse.ArgumentTypeError(say("argument.size", text=text))
    return int(match[1]), int(match[2])
