"""The verdict of a check: a banner with the headline, the rule and every problem."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.jacobian_report import CheckVerdict, JacobianReport
from gradviz.viewer.jacobians import check_text
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

_LOOKS: dict[CheckVerdict, tuple[PaletteRole, PaletteRole, str]] = {
    "match": ("ok", "ok_fill", "check"),
    "mismatch": ("error", "error_fill", "error"),
    "inconclusive": ("warning", "warning_fill", "warning"),
    "error": ("error", "error_fill", "error"),
    "incomplete": ("warning", "warning_fill", "warning"),
}
"""Color of the icon, background and icon of each verdict."""


class VerdictView(QWidget):
    """Banner that sums up one report.

    Attributes:
        about: Rule and conditions of the check, which stand where there is space for small print.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._verdict_style: CheckVerdict = "match"
        self._ground = theme.color("panel")
        self._sign = QLabel()
        self._headline = PlainLabel(pixels=18, bold=True)
        self._doubt = PlainLabel(pixels=UI_PIXELS)
        self.about = PlainLabel(muted=True)
        self._note = PlainLabel()
        self._problems = PlainLabel()
        text_column = lay_out(QVBoxLayout(), *self._labels()[:-1], gap=2)
        lay_out(
            QHBoxLayout(self),
            (self._sign, 0, Qt.AlignmentFlag.AlignTop),
            (text_column, 1),
            margins=(10, 8, 10, 8),
            gap=10,
        )

    @property
    def texts(self) -> tuple[str, ...]:
        """All lines, from the top."""
        return tuple(label.text() for label in self._labels() if label.text())

    def show_report(self, report: JacobianReport, first: JacobianReport | None = None) -> None:
        """Show another report.

        Args:
            report: The report.
            first: The latest first-order report, which a second-order one refers to.
        """
        self._verdict_style = _verdict_style(report)
        self._headline.setText(check_text.headline(report))
        about = self.tr("{rule} · {circumstances}")
        self.about.setText(
            about.format(
                rule=check_text.rule(report),
                circumstances=check_text.check_conditions_text(report),
            )
        )
        doubted = check_text.is_doubted(report)
        self._doubt.setText(check_text.doubt_text(report) if doubted else "")
        problems = "\n".join(f"• {problem.message}" for problem in report.problems)
        self._problems.setText(problems)
        self._note.setText(check_text.second_order_caveat(report, first))
        for label in self._labels():
            label.setVisible(bool(label.text()))
        self.setAccessibleName(self._headline.text())
        self.update_theme()

    def update_theme(self) -> None:
        """Repaint in another theme."""
        ink, ground, name = _LOOKS[self._verdict_style]
        side = self._theme.px(20)
        self._sign.setPixmap(icon(name, self._theme, ink).pixmap(side, side))
        self._ground = self._theme.color(ground)

    def _labels(self) -> tuple[PlainLabel, ...]:
        return (
            self._headline,
            self._doubt,
            self._problems,
            self._note,
            self.about,
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a rounded background in the verdict's soft color."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._ground)
        painter.drawRoundedRect(QRectF(self.rect()), 6, 6)
        painter.end()


def _verdict_style(report: JacobianReport) -> CheckVerdict:
    """Verdict whose colors a report gets; it can differ from gradcheck's own."""
    if check_text.is_wrong_despite_passing(report):
        return "mismatch"
    if check_text.is_insensitive(report) or check_text.is_doubted(report):
        return "incomplete"
    return report.verdict
