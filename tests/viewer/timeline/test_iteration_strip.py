"""The row of iterations above the timeline, and which of them it marks."""

from __future__ import annotations

from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gradviz.analysis.training.iterations import Iteration
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.iteration_strip import IterationStrip
from gradviz.viewer.timeline.timeline_marks import MarkKind, TimelineMark


def test_a_mask_of_infinities_marks_no_iteration(qtbot: QtBot) -> None:
    strip = IterationStrip(Theme(name="light"))
    qtbot.addWidget(strip)
    strip.resize(300, strip.sizeHint().height())
    iterations = [
        Iteration(number=at, first=5 * at - 4, last=5 * at, passes=(), updates=()) for at in (1, 2)
    ]
    strip.show_iterations(tuple(iterations), None)

    def image(*kinds: MarkKind) -> QImage:
        strip.show_marks([TimelineMark(number=7, kind=each, text="") for each in kinds])
        return strip.grab().toImage()

    assert image("isolated") == image() != image("not finite")
