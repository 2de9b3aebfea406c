"""A section with the function of a pair, its slopes, and where they part."""

from __future__ import annotations

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QSizePolicy

from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.story.curve import curve_block, curve_words
from gradviz.story.frame import LEAST_TEXT, Frame
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS

_HEIGHT = 440.0
"""Height of the picture, in units of a slide."""


class FunctionView(FrameView):
    """The picture of the stage, drawn for the width of the column."""

    def __init__(self, state: ViewerState) -> None:
        super().__init__(state.theme, state.preferences)
        self._shown: tuple[JacobianReport, JacobianBlock] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.resized.connect(self._draw)

    def show_pair(self, report: JacobianReport, block: JacobianBlock | None) -> None:
        """Show the function of a pair, if it was sampled."""
        is_sampled = report.function_curve_of(block) is not None
        self._shown = (report, block) if block is not None and is_sampled else None
        self._draw()

    def update_theme(self) -> None:
        """Draw in the size of text of the theme."""
        super().update_theme()
        self.updateGeometry()
        self._draw()

    def sizeHint(self) -> QSize:
        """Fixed height; the width is flexible."""
        return QSize(200, round(_HEIGHT * self._scale))

    @property
    def _scale(self) -> float:
        """Pixels for each unit of a slide: its smallest text is as small as others here."""
        return self._theme.px(SMALL_PIXELS) / LEAST_TEXT

    @Slot()
    def _draw(self) -> None:
        if self._shown is None:
            self.show_frame(None)
            return
        report, block = self._shown
        curve = report.function_curve_of(block)
        assert curve is not None
        size = self.width() / self._scale, self.height() / self._scale
        drawn = curve_block(curve, block, report.eps, size)
        width, height = max(size[0], drawn.width), max(size[1], drawn.height)
        self.show_frame(
            Frame(width=width, height=height, drawn=drawn.drawn, spoken=curve_words(drawn))
        )
