"""A view that can be shared: which run, which place in it, and which tab of the window."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Literal

from gradviz.model.inputs import Offer

ViewTab = Literal["graph", "jacobians", "compare", "training"]
"""The central tabs of the window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewTarget:
    """A place in a run, and the tab that shows it.

    Attributes:
        scene: Id of the scene to run; empty for another run, or for the one that is shown.
        trace: Path of the trace to open; empty for another run, or for the one that is shown.
        offer: The entry of a file to run; None for another run, or for the one that is shown.
        step: Position path such as ``5`` or ``5/backward/line2``; empty for where the run is.
        tab: The tab; None for the one that is shown.
        panel: Name of a side panel to open beside it; empty for none.
    """

    scene: str = ""
    trace: str = ""
    offer: Offer | None = None
    step: str = ""
    tab: ViewTab | None = None
    panel: str = ""

    @property
    def names_run(self) -> bool:
        """Whether it is in one run, rather than in whichever is shown."""
        return bool(self.scene or self.trace or self.offer is not None)


def view_command(target: ViewTarget) -> str:
    """The shell command that shows the same view; Copy Link copies it."""
    words = ["gradviz", "view"]
    words.append(target.scene or target.trace)
    words += ["--step", target.step] if target.step else []
    words += ["--tab", target.tab] if target.tab is not None else []
    return shlex.join(words)
