"""Page with the rule behind a finding and its remedy, or with the list of rules."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QToolButton, QVBoxLayout, QWidget

from gradviz.model.finding import Finding
from gradviz.model.rules import kind_of, rule_of
from gradviz.viewer.doctor.words import rule_text, step_text, where_text
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import UI_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip


class FindingPage(QScrollArea):
    """Explains one finding.

    Signals:
        step_requested: The user wants to go to the step of the finding.
    """

    step_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.message = PlainLabel(pixels=UI_PIXELS)
        self.rule = PlainLabel(bold=True)
        self.text = PlainLabel()
        self.remedy = PlainLabel()
        self.go = QToolButton()
        self.go.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.go.clicked.connect(self._on_go_clicked)
        self.note = PlainLabel(muted=True)
        self._labels = (self.title, self.message, self.rule, self.text, self.remedy, self.note)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(12, 6, 12, 6)
        column.setSpacing(5)
        for widget in (self.title, self.message):
            column.addWidget(widget)
        column.addWidget(self.go, 0, Qt.AlignmentFlag.AlignLeft)
        for widget in (self.rule, self.text, self.remedy, self.note):
            column.addWidget(widget)
        column.addStretch(1)
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        body.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("About the finding"))
        self.set_theme(theme)

    def show_finding(self, finding: Finding) -> None:
        """Explain a finding."""
        kind, rule = kind_of(finding.code), rule_of(finding.code)
        help_text = "" if rule is None else self.tr("How to fix it: {0}").format(rule.remedy)
        self._fill(
            kind.title,
            finding.message,
            "" if rule is None else rule_text(finding),
            kind.about if rule is None else rule.text,
            help_text,
            self.tr("Repeats, as in a loop, are listed once, at their first occurrence."),
        )
        self.go.setText(self.tr("Go to {0}").format(step_text(finding)))
        self.go.setToolTip(plain_tooltip(where_text(finding)))
        self.go.setVisible(finding.step is not None)
        self.verticalScrollBar().setValue(0)

    def show_sought(self, head: str, text: str) -> None:
        """Show which rules are checked, if nothing was found or selected."""
        self._fill(head, text, "", "", "", "")
        self.go.hide()

    def _fill(self, *texts: str) -> None:
        for label, text in zip(self._labels, texts, strict=True):
            label.setText(text)
            label.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        for label in self._labels:
            label.set_theme(theme)
        self.go.setIcon(icon("jump", theme))
        self.go.setFont(theme.font())

    @Slot()
    def _on_go_clicked(self) -> None:
        self.step_requested.emit()
