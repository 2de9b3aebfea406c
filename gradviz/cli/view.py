"""``gradviz view``: a trace or a scene in the window, at a place."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from gradviz.catalogue.messages import say
from gradviz.cli.traces import named_run

if TYPE_CHECKING:
    from gradviz.host.limits import Limits
    from gradviz.model.inputs import Offer


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `run`."""
    add_view_options(parser, "first", tab=None, size=None)


def run(arguments: argparse.Namespace) -> int:
    """Show a place of a trace or scene in the window, after checking that both exist."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.window import open_window
    from gradviz.host.limits import Limits

    with shown_run(arguments.subject, Limits()) as run:
        scene = "" if isinstance(run, Path) else run.subject.scene
        target = ViewTarget(
            scene=scene,
            trace=str(run.absolute()) if isinstance(run, Path) else "",
            offer=None if isinstance(run, Path) or scene else run,
            step="" if arguments.step is None else str(arguments.step),
            tab=arguments.tab,
        )
        return open_window([], target, theme=arguments.theme, size=arguments.size)


@contextmanager
def shown_run(word: str, limits: Limits) -> Iterator[Path | Offer]:
    """Interpret an argument as `named_run` does, and read the beginning of a trace.

    A file that is not a trace ends in an error here, not in an empty window.

    Raises:
        UsageError: If it is neither a trace nor code.
        TraceError: If the file is not a trace.
    """
    from gradviz.store.header import read_header

    with named_run(word, limits) as run:
        if isinstance(run, Path):
            read_header(run)
        yield run


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

    parser.add_argument("subject", metavar="TRACE|SCENE|FILE.py:NAME", help=say("help.trace"))
    parser.add_argument(
        "--step",
        type=_step_or_place,
        metavar="N",
        help=say(f"help.step.{step}", form=say("help.step")),
    )
    parser.add_argument("--tab", choices=get_args(ViewTab), default=tab, help=say("help.tab"))
    themes = ("light", "dark")
    parser.add_argument("--theme", choices=themes, default=theme, help=say("help.theme"))
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
