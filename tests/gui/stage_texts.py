"""What the stage shows now."""

from __future__ import annotations

from gradviz.drawing.display.parts import TextRun
from gradviz.viewer.presenter.presenter import Presenter


def stage_text(presenter: Presenter) -> str:
    """All texts of the picture, from the top."""
    frame = presenter.stage.view.frame
    if frame is None:
        return ""
    runs = [part.text for drawn in frame.drawn for part in drawn.parts if isinstance(part, TextRun)]
    return "\n".join(runs)
