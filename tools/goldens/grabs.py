"""Takes pictures of the window at the main steps of each run, in both themes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gradviz.viewer.screenshot import WindowCapture, main_steps

_SIZE = (1280, 800)


def write_grabs(traces: Mapping[str, Path], folder: Path) -> None:
    """Write ``NAME/step-N-THEME.png``, and the Jacobians of checked runs."""
    for theme in ("light", "dark"):
        with WindowCapture(theme, _SIZE) as camera:
            for name, trace in traces.items():
                camera.load(trace)
                camera.show_graph()
                index = camera.place.state.index
                assert index is not None
                for number in main_steps(index):
                    camera.go_to(number)
                    camera.take(folder / name / f"step-{number}-{theme}.png")
                if index.trace.reports:
                    camera.show_jacobians(check=False)
                    camera.take(folder / name / f"jacobians-{theme}.png")
