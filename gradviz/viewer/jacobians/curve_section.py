"""A section with the eps curve of a pair, its summary and its legend."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.curve_legend import CurveLegend
from gradviz.viewer.jacobians.curve_words import allowed_at, curve_of, element_text, summary
from gradviz.viewer.jacobians.eps_curve import EpsCurve
from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel


class CurveSection(QWidget):
    """Title, plot, summary, and legend."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ErrorCurve | None = None
        self._title = PlainLabel(muted=True)
        self._plot = EpsCurve(theme)
        self._says = PlainLabel(pixels=UI_PIXELS)
        self._legend = CurveLegend(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for part in (self._title, self._plot, self._says, self._legend):
            column.addWidget(part)

    @property
    def curve(self) -> ErrorCurve | None:
        """Curve that is shown, or None."""
        return self._shown

    @property
    def plot(self) -> EpsCurve:
        """The plot."""
        return self._plot

    @property
    def texts(self) -> tuple[str, str]:
        """Title and summary."""
        return self._title.text(), self._says.text()

    def show_pair(self, report: JacobianReport, block: JacobianBlock | None) -> None:
        """Show the curve of a pair, if it has one."""
        self._shown = None if block is None else curve_of(report, block)
        if self._shown is None or block is None:
            return
        self._title.setText(element_text(block, self._shown))
        self._says.setText(summary(self._shown, report.eps))
        self._plot.show_curve(self._shown, report.eps, allowed_at(report, block, self._shown))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        for part in (self._title, self._plot, self._says, self._legend):
            part.set_theme(theme)
