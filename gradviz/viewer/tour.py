"""Pictures of the first scenes at their main steps, for `gradviz` without a display."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from gradviz.gallery.catalogue import SCENES
from gradviz.model.index import Index
from gradviz.model.step import ErrorStep, ForwardStep, NodeStep
from gradviz.viewer.screenshot import Photographer

FIRST_SCENES = 3
SIZE = (1440, 900)


def write_tour(folder: Path, paths: Sequence[Path] = ()) -> Iterator[Path]:
    """Run files, or the first scenes, and render the window at their main steps.

    Args:
        folder: Folder for the PNG files.
        paths: Python files and traces; if empty, run the first scenes.

    Yields:
        The path of each picture, as soon as it is written.

    Raises:
        ScreenshotError: If a source cannot be run or opened.
    """
    sources: list[str | Path] = [*paths] or [each.id for each in SCENES[:FIRST_SCENES]]
    with Photographer("light", SIZE) as photographer:
        for source in sources:
            photographer.load(source)
            index = photographer.place.state.index
            name = source.stem if isinstance(source, Path) else source
            for number in main_steps(index) if index is not None else ():
                photographer.go_to(number)
                yield photographer.take(folder / f"{name}-step-{number}.png")


def main_steps(index: Index) -> tuple[int, ...]:
    """Return the first custom forward, first custom backward, error and last step."""
    steps = index.trace.steps
    forward = next((s.number for s in steps if isinstance(s, ForwardStep) and s.call), None)
    backward = next(
        (
            step.number
            for step in steps
            if isinstance(step, NodeStep) and index.node[step.node].kind == "custom"
        ),
        None,
    )
    error = next((step.number for step in steps if isinstance(step, ErrorStep)), None)
    wanted = (forward, backward, error, len(steps) or None)
    return tuple(sorted({number for number in wanted if number is not None}))
