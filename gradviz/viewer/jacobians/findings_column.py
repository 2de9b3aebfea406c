"""The Findings page: diagnoses of the selected pair, eps curve, and results of trials."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian import JacobianBlock, JacobianReport
from gradviz.viewer.jacobians.curve_section import CurveSection
from gradviz.viewer.jacobians.diagnosis_card import DiagnosisCard
from gradviz.viewer.jacobians.suggestions import Suggestion, suggestions_of
from gradviz.viewer.jacobians.trials_list import TrialsList
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.section import SectionBox

_ABOUT_EPS = frozenset({"eps_sensitive", "float32_noise", "kink", "unknown"})
"""Diagnoses for which the eps curve is informative."""


class FindingsColumn(QScrollArea):
    """Diagnosis cards from top to bottom, then further measurements.

    Signals:
        repair_sought: The `Diagnosis` whose repaired matrix the user asks for.
        check_suggested: The `CheckSettings` of another check that the user asks for.
    """

    repair_sought = Signal(object)
    check_suggested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._cards: tuple[DiagnosisCard, ...] = ()
        self._buttons: tuple[QPushButton, ...] = ()
        self._reason = ""
        self._curve = CurveSection(theme)
        self._incoming = TrialsList(theme, self.tr("Other incoming gradients"))
        self._variations = TrialsList(theme, self.tr("Input variations"))
        self._sections = self._make_sections(theme)
        whole = QWidget()
        whole.setBackgroundRole(QPalette.ColorRole.Base)
        self._column = QVBoxLayout(whole)
        self._column.setContentsMargins(0, 0, 6, 0)
        self._column.setSpacing(8)
        self._top = QVBoxLayout()
        self._top.setSpacing(8)
        self._column.addLayout(self._top)
        for section in self._sections:
            self._column.addWidget(section)
        self._column.addStretch(1)
        self.setWidget(whole)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Findings"))
        self.set_theme(theme)

    @property
    def cards(self) -> tuple[DiagnosisCard, ...]:
        """Cards from top to bottom."""
        return self._cards

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """Buttons for suggested checks."""
        return self._buttons

    @property
    def curve(self) -> CurveSection:
        """Section with the eps curve."""
        return self._curve

    @property
    def incoming(self) -> TrialsList:
        """Trials with other incoming gradients."""
        return self._incoming

    @property
    def variations(self) -> TrialsList:
        """Trials with other inputs."""
        return self._variations

    def set_reason(self, reason: str) -> None:
        """Set the reason why no other check can start; empty if one can."""
        self._reason = reason
        for button in self._buttons:
            button.setEnabled(not reason)

    def show_pair(
        self, report: JacobianReport, block: JacobianBlock | None, settings: CheckSettings
    ) -> None:
        """Show what applies to a pair.

        Args:
            report: The report.
            block: The pair, or None.
            settings: Settings that suggested checks are based on.
        """
        self._clear()
        self._cards = tuple(
            self._card(each, report, block) for each in report.diagnoses if _goes_for(each, block)
        )
        self._buttons = tuple(map(self._button, suggestions_of(report, block, settings)))
        self.set_reason(self._reason)
        for part in (*self._cards, *self._buttons):
            self._top.addWidget(part)
            part.show()
        self._curve.show_pair(report, block)
        curve, incoming, variations = self._sections
        curve.fold(not any(card.diagnosis.code in _ABOUT_EPS for card in self._cards))
        curve.setVisible(self._curve.curve is not None)
        for section, shown, kind in (
            (incoming, self._incoming, "incoming"),
            (variations, self._variations, "variation"),
        ):
            trials = [trial for trial in report.trials if trial.kind == kind]
            shown.show_trials(trials)
            section.setVisible(bool(trials))
        self.verticalScrollBar().setValue(0)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        for section in self._sections:
            section.set_theme(theme)
        for card in self._cards:
            card.set_theme(theme)
        for trials in (self._incoming, self._variations):
            trials.set_theme(theme)
        self._curve.set_theme(theme)
        for button in self._buttons:
            button.setFont(theme.font())

    def _make_sections(self, theme: Theme) -> tuple[SectionBox, SectionBox, SectionBox]:
        curve = SectionBox("curve", self.tr("Error vs. eps"), "", theme)
        curve.body.addWidget(self._curve)
        incoming = SectionBox("incoming", self.tr("Other incoming gradients"), "", theme)
        incoming.body.addWidget(self._incoming)
        variations = SectionBox("variations", self.tr("Input variations"), "", theme)
        variations.body.addWidget(self._variations)
        return curve, incoming, variations

    def _card(
        self, diagnosis: Diagnosis, report: JacobianReport, block: JacobianBlock | None
    ) -> DiagnosisCard:
        own = block is not None and diagnosis in report.diagnoses_of(block)
        several = len(report.blocks) > 1 and diagnosis.code not in ("none", "unknown")
        about = self.tr("about the whole function") if not own and several else ""
        count = block.count if own and block is not None else 0
        card = DiagnosisCard(diagnosis, count, self._theme, about)
        card.repair_sought.connect(self._on_card_repair_sought)
        return card

    def _button(self, suggestion: Suggestion) -> QPushButton:
        button = QPushButton(suggestion.text)
        button.setFont(self._theme.font())
        button.setToolTip(plain_tooltip(suggestion.tip))
        button.setProperty("settings", suggestion.settings)
        button.clicked.connect(self._on_button_clicked)
        return button

    def _clear(self) -> None:
        for part in (*self._cards, *self._buttons):
            self._top.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._cards, self._buttons = (), ()

    @Slot()
    def _on_card_repair_sought(self) -> None:
        card = self.sender()
        if isinstance(card, DiagnosisCard):
            self.repair_sought.emit(card.diagnosis)

    @Slot()
    def _on_button_clicked(self) -> None:
        settings = self.sender().property("settings")
        if isinstance(settings, CheckSettings):
            self.check_suggested.emit(settings)


def _goes_for(diagnosis: Diagnosis, block: JacobianBlock | None) -> bool:
    """Whether a diagnosis is about this pair or more generally about the function."""
    if block is None:
        return True
    return (
        diagnosis.output in (None, block.output)
        and diagnosis.input in (None, block.input)
        and diagnosis.part in ("", block.part)
    )
