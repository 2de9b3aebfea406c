"""A card for one diagnosis: what is wrong, confidence, evidence, and repair."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gradviz.document.tag import Tag
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import Diagnosis, Repair
from gradviz.viewer.jacobians.check_text import (
    SIGNS,
    confidence_text,
    confidence_tip,
    diagnosis_severity,
    title_of,
)
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import UI_PIXELS, Theme, set_style_sheet
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_BAR = 3


class DiagnosisCard(QWidget):
    """Shows one diagnosis.

    Args:
        diagnosis: The diagnosis.
        wrong: Number of wrong elements of its pair; 0 if it is about the whole function.
        theme: Colors and fonts.
        about: Which pair it is about; empty if that is clear.
    """

    def __init__(self, diagnosis: Diagnosis, wrong: int, theme: Theme, about: str = "") -> None:
        super().__init__()
        self.diagnosis = diagnosis
        self._theme = theme
        self._sign = QLabel()
        self._title = PlainLabel(title_of(diagnosis.code), pixels=UI_PIXELS + 1, bold=True)
        self._title.setWordWrap(True)
        sure = confidence_text(diagnosis)
        self._sure = Pill(Tag(sure, tip=confidence_tip(diagnosis)), theme) if sure else None
        self._about = PlainLabel(about, muted=True)
        self._message = PlainLabel(diagnosis.message, pixels=UI_PIXELS)
        self._evidence = PlainLabel("\n".join(f"• {each}" for each in diagnosis.evidence))
        self._repair = PlainLabel(self._repair_text(diagnosis.repair), pixels=UI_PIXELS)
        self._result = self._made_result(diagnosis.repair, wrong)
        self.repair_button = QPushButton(self.tr("Show Repaired Matrix"))
        self.repair_button.setToolTip(
            plain_tooltip(
                self.tr("Show the analytical Jacobian after this repair next to the other maps")
            )
        )
        self._lay_out()
        # After the layout: a widget that is made visible without a parent opens as a window.
        self._about.setVisible(bool(about))
        self._evidence.setVisible(bool(diagnosis.evidence))
        self._repair.setVisible(diagnosis.repair is not None)
        self._result.setVisible(bool(self._result.text()))
        self.repair_button.setVisible(diagnosis.repair is not None and diagnosis.repair.matrix > 0)
        self.setAccessibleName(self.tr("Diagnosis: {title}").format(title=self._title.text()))
        self.setAccessibleDescription("\n".join(self.texts[1:]))
        set_theme_font(self.repair_button, theme)
        set_theme_icon(self.repair_button, theme, "jump")
        self.update_theme()

    @property
    def texts(self) -> tuple[str, ...]:
        """All visible lines, from the top."""
        sure = () if self._sure is None else (self._sure.tag.text,)
        lines = (self._about, self._message, self._repair, self._result, self._evidence)
        # Not isVisible, which is false for every line until the card itself is on the screen.
        shown = (label.text() for label in lines if not label.isHidden())
        return (self._title.text(), *sure, *shown)

    def update_theme(self) -> None:
        """Repaint in another theme."""
        ink, _, name = SIGNS[diagnosis_severity(self.diagnosis)]
        side = self._theme.px(18)
        self._sign.setPixmap(icon(name, self._theme, ink).pixmap(side, side))
        repair = self.diagnosis.repair
        role: PaletteRole = "ok" if repair is None or not repair.wrong else "error"
        set_style_sheet(self._result, f"color: {self._theme.color(role).name()}")

    def _lay_out(self) -> None:
        head = lay_out(
            QHBoxLayout(), (self._sign, 0, Qt.AlignmentFlag.AlignTop), (self._title, 1), gap=6
        )
        if self._sure is not None:
            head.addWidget(self._sure, 0, Qt.AlignmentFlag.AlignTop)
        tried = lay_out(QHBoxLayout(), (self._result, 1), self.repair_button)
        lay_out(
            QVBoxLayout(self),
            head,
            self._about,
            self._message,
            self._repair,
            tried,
            self._evidence,
            margins=(10 + _BAR, 8, 10, 8),
            gap=5,
        )

    def _repair_text(self, repair: Repair | None) -> str:
        if repair is None:
            return ""
        # It was tried on the numbers; as long as some are wrong, it is no advice.
        text = self.tr("Tried: {message}") if repair.wrong else self.tr("Try this: {message}")
        return text.format(message=repair.message)

    def _made_result(self, repair: Repair | None, wrong: int) -> PlainLabel:
        """What the repair changes, if that is known."""
        result = PlainLabel(pixels=UI_PIXELS + 1, bold=True)
        if repair is not None and wrong:
            text = self.tr("{before} wrong → {after} wrong")
            result.setText(text.format(before=wrong, after=repair.wrong))
        return result

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a tinted background, and a bar in the color of the severity."""
        ink, ground, _ = SIGNS[diagnosis_severity(self.diagnosis)]
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
