"""A card for one diagnosis: what is wrong, confidence, evidence, and repair."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gradviz.document.tag import Tag
from gradviz.model.diagnosis import Diagnosis, Repair
from gradviz.model.source import Location
from gradviz.viewer.jacobians.diagnosis_titles import (
    SIGNS,
    confidence_text,
    confidence_tip,
    diagnosis_severity,
    title_of,
)
from gradviz.viewer.jacobians.report.line_button import LineButton
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_BAR = 3


class DiagnosisCard(QWidget):
    """Shows one diagnosis.

    Args:
        diagnosis: The diagnosis.
        count: Number of elements of its pair; 0 if it is about the whole function.
        theme: Colors and fonts.
        about: Which pair it is about; empty if that is clear.
        line: The last line in which backward computes the gradient that is wrong; None if it is
            not known.
        parent: The Qt parent.

    Signals:
        repair_requested: The user asks for the repaired matrix.
        line_requested: The `Location` of the line that the user asks for.
    """

    repair_requested = Signal()
    line_requested = Signal(object)

    def __init__(
        self,
        diagnosis: Diagnosis,
        count: int,
        theme: Theme,
        about: str = "",
        line: Location | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._diagnosis = diagnosis
        self._theme = theme
        self._sign = QLabel()
        self._title = PlainLabel(title_of(diagnosis.code), pixels=UI_PIXELS + 1, bold=True)
        self._title.setWordWrap(True)
        sure = confidence_text(diagnosis)
        self._sure = Pill(Tag(sure, tip=confidence_tip(diagnosis)), theme) if sure else None
        self._about = PlainLabel(about, muted=True)
        self._message = PlainLabel(diagnosis.message, pixels=UI_PIXELS)
        self._evidence = PlainLabel("\n".join(f"• {each}" for each in diagnosis.evidence))
        self._repair = PlainLabel(self._repair_text(diagnosis.repair, count), pixels=UI_PIXELS)
        self._show = QPushButton(self.tr("Show Repaired Matrix"))
        self._show.setToolTip(
            plain_tooltip(
                self.tr("Show the analytical Jacobian after this repair next to the other maps")
            )
        )
        self._line = None if line is None else LineButton(line, theme)
        if self._line is not None:
            self._line.line_requested.connect(self.line_requested)
        self._lay_out()
        # After the layout: a widget that is made visible without a parent opens as a window.
        self._about.setVisible(bool(about))
        self._evidence.setVisible(bool(diagnosis.evidence))
        self._repair.setVisible(diagnosis.repair is not None)
        self._show.setVisible(diagnosis.repair is not None and diagnosis.repair.matrix > 0)
        self._show.clicked.connect(self._on_show_clicked)
        self.setAccessibleName(self.tr("Diagnosis: {title}").format(title=self._title.text()))
        self.setAccessibleDescription("\n".join(self.texts[1:]))
        set_theme_font(self._show, theme)
        set_theme_icon(self._show, theme, "jump")
        self.update_theme()

    @property
    def diagnosis(self) -> Diagnosis:
        """Diagnosis that is shown."""
        return self._diagnosis

    @property
    def line_button(self) -> LineButton | None:
        """Button that leads to the line; None if it is not known."""
        return self._line

    @property
    def repair_button(self) -> QPushButton:
        """Button that shows the repaired matrix."""
        return self._show

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        sure = () if self._sure is None else (self._sure.tag.text,)
        lines = (self._about, self._message, self._evidence, self._repair)
        # Not isVisible, which is false for every line until the card itself is on the screen.
        shown = (label.text() for label in lines if not label.isHidden())
        return (self._title.text(), *sure, *shown)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        ink, _, name = SIGNS[diagnosis_severity(self._diagnosis)]
        side = self._theme.px(18)
        self._sign.setPixmap(icon(name, self._theme, ink).pixmap(side, side))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._title, 1)
        if self._sure is not None:
            head.addWidget(self._sure, 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self)
        column.setContentsMargins(10 + _BAR, 8, 10, 8)
        column.setSpacing(5)
        column.addLayout(head)
        for label in (self._about, self._message):
            column.addWidget(label)
        if self._line is not None:
            column.addWidget(self._line, 0, Qt.AlignmentFlag.AlignLeft)
        for label in (self._evidence, self._repair):
            column.addWidget(label)
        column.addWidget(self._show, 0, Qt.AlignmentFlag.AlignLeft)

    def _repair_text(self, repair: Repair | None, count: int) -> str:
        if repair is None:
            return ""
        text = self.tr("Attempted repair: {message}")
        if count:
            text = self.tr(
                "Attempted repair: {message}\nAfter the repair, {wrong} of {count} "
                "elements are wrong."
            )
        return text.format(message=repair.message, wrong=repair.wrong, count=count)

    @Slot()
    def _on_show_clicked(self) -> None:
        self.repair_requested.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a tinted background, and a bar in the color of the severity."""
        ink, ground, _ = SIGNS[diagnosis_severity(self._diagnosis)]
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # A line is centered on its path; half a pixel further inside, it is sharp and not cut off.
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(self._theme.color("border"), 1))
        painter.setBrush(self._theme.color(ground))
        painter.drawRoundedRect(box, 5, 5)
        painter.fillRect(
            QRectF(1, 5, _BAR * self._theme.scale, self.height() - 10), self._theme.color(ink)
        )
        painter.end()
