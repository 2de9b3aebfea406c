"""``gradviz view``: a trace or a scene in the window, at a place."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli.arguments import VerbArguments
from gradviz.cli.traces import named_run

if TYPE_CHECKING:
    from gradviz.host.limits import Limits
    from gradviz.model.inputs import Offer


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add.view("first")


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
