"""The Doctor panel: a list of findings, and next to it an explanation."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.position.finding_positions import (
    finding_position,
    grouped_findings,
)
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.document.findings import (
    checked_rules_text,
    checked_text,
    finding_place_text,
    findings_document,
    step_text,
)
from gradviz.model.finding import Finding
from gradviz.model.source import SourceFile
from gradviz.text.repeated_findings import finding_text
from gradviz.viewer.doctor import KEYS
from gradviz.viewer.doctor.repair_dialog import RepairDialog, repair_of
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.adaptive_splitter import AdaptiveSplitter
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip, show_text


class FindingPage(QScrollArea):
    """Explains one finding.

    Attributes:
        go: Goes to the step of the finding.
        repair: Shows its repair.
        read: Opens the guide's page about it.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.title = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.message = PlainLabel(pixels=UI_PIXELS)
        self.text = PlainLabel()
        self.remedy = PlainLabel()
        self.go = QToolButton()
        self.go.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.repair = QToolButton()
        self.repair.setText(self.tr("Show repair…"))
        self.read = QToolButton()
        self.read.setText(self.tr("Open in Guide"))
        self.note = PlainLabel(muted=True)
        self._labels = (self.title, self.message, self.text, self.remedy, self.note)
        body = QWidget()
        row = lay_out(QHBoxLayout(), self.go, self.repair, self.read, 1)
        lay_out(
            QVBoxLayout(body),
            self.title,
            self.message,
            row,
            self.text,
            self.remedy,
            self.note,
            1,
            margins=(12, 6, 12, 6),
            gap=5,
        )
        self.setWidget(body)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        body.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("About the finding"))
        set_theme_icon(self.go, theme, "jump")
        for button in (self.go, self.repair, self.read):
            set_theme_font(button, theme)

    def show_finding(self, finding: Finding, text: str, *, has_repair: bool) -> None:
        """Explain a finding, with its sentence."""
        kind = finding_kind(finding.code)
        help_text = self.tr("How to fix it: {0}").format(kind.remedy) if kind.remedy else ""
        self._fill(
            f"{kind.rule}  {kind.title}".strip(),
            text,
            kind.about,
            help_text,
            self.tr("Repeats, as in a loop, are listed once, at their first occurrence."),
        )
        self.go.setText(self.tr("Go to {0}").format(step_text(finding)))
        self.go.setToolTip(plain_tooltip(finding_place_text(finding)))
        self.go.setVisible(finding.step is not None)
        self.repair.setVisible(has_repair)
        self.read.setVisible(bool(kind.page))
        self.verticalScrollBar().setValue(0)

    def show_checked_rules(self, head: str, text: str) -> None:
        """Show which rules are checked, if nothing was found or selected."""
        self._fill(head, text, "", "", "")
        for button in (self.go, self.repair, self.read):
            button.hide()

    def _fill(self, *texts: str) -> None:
        for label, text in zip(self._labels, texts, strict=True):
            show_text(label, text)


_WIDTHS = (ColumnWidth(84), ColumnWidth(60), ColumnWidth(220), ColumnWidth(220, drop=1))
_ACROSS, _DOWN = (500, 500), (120, 200)
"""Initial shares of list and explanation, of the width and of the height."""


class DoctorPanel(QWidget):
    """Shows the findings of the run; those of hidden steps are left out."""

    def __init__(self, state: ViewerState, requests: ViewRequests) -> None:
        super().__init__()
        self._state = state
        self._requests = requests
        self._groups: dict[Finding, tuple[Finding, ...]] = {}
        self.view = RowsView(state.theme, _WIDTHS, KEYS)
        self.view.setObjectName("findings")
        self.view.setAccessibleName(self.tr("Findings"))
        self.view.setToolTip(self.tr("Enter: go to the step of the finding"))
        self.page = FindingPage(state.theme)
        split = AdaptiveSplitter((self.view, self.page), _ACROSS, _DOWN)
        split.setStretchFactor(0, 1)
        lay_out(QHBoxLayout(self), split, margins=4)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Doctor"))
        self._connect()
        self._show()

    def _connect(self) -> None:
        state = self._state
        self.view.chosen.connect(self._go)
        self.view.current_changed.connect(self._explain)
        self.page.go.clicked.connect(self._on_go_clicked)
        self.page.repair.clicked.connect(self._on_repair_clicked)
        self.page.read.clicked.connect(self._on_read_clicked)
        self._requests.finding_requested.connect(self._on_requests_finding_requested)
        state.reports_changed.connect(self._explain)
        state.revealed_changed.connect(self._show)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The first finding of each row."""
        return tuple(self._groups)

    @property
    def chosen(self) -> Finding | None:
        """The selected finding, or None."""
        key = self.view.current_key
        return key if isinstance(key, Finding) else None

    def _show(self) -> None:
        index = self._state.index
        found = () if index is None else self._state.revealed.findings
        groups = () if index is None else grouped_findings(index, found)
        self._groups = {group[0]: group for group in groups}
        self.view.setVisible(bool(groups))
        self.view.show_document(findings_document(groups))
        if groups and self.chosen is None:
            self.view.go_to(groups[0][0])
        self._explain()

    def _explain(self) -> None:
        finding, index = self.chosen, self._state.index
        if finding is not None:
            text = finding_text(self._groups[finding])
            self.page.show_finding(finding, text, has_repair=self._repair() is not None)
        elif index is None:
            self.page.show_checked_rules("", self.tr("Findings about the run appear here."))
        else:
            head = self.tr("No problems were found in this run.")
            if not self._state.revealed.is_complete:
                head = self.tr("No problems were found up to this step.")
            elif not index.trace.is_whole:
                head = self.tr("No problems were found in the recorded part of this run.")
            checked = checked_text(index.trace.reports)
            head = "\n".join(filter(None, (head, checked)))
            self.page.show_checked_rules(head, checked_rules_text(index.trace.origin.level))

    def _repair(self) -> tuple[SourceFile, str] | None:
        """The file of the chosen finding and its repaired text; None if there is none."""
        finding, index = self.chosen, self._state.index
        # A scene is part of gradviz: its file is not the user's to change.
        if finding is None or index is None or index.trace.origin.subject.startswith("scene:"):
            return None
        return repair_of(finding, index.trace.sources)

    def _go(self) -> None:
        finding, index = self.chosen, self._state.index
        if finding is None or index is None:
            return
        place = finding_position(index, finding)
        if place is not None:
            self._state.go_to_place(place)
        if finding.node is not None:
            self._requests.show_node(finding.node)

    def _on_requests_finding_requested(self, finding: Finding) -> None:
        listed = (first for first, group in self._groups.items() if finding in group)
        self.view.go_to(next(listed, self.chosen))

    def _on_go_clicked(self) -> None:
        self._go()
        # The list stays, for going through the findings; this button leads to the line.
        self._requests.show_part("source")

    def _on_read_clicked(self) -> None:
        if self.chosen is not None:
            self._requests.show_page(finding_kind(self.chosen.code).page)

    def _on_repair_clicked(self) -> None:
        repair = self._repair()
        if repair is not None:
            source, changed = repair
            texts, title = (source.text, changed), self.tr("Repair")
            path, theme = Path(source.path), self._state.theme
            RepairDialog(path, texts, theme, self.window(), title).open()


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel."""
    return context.parts.add(DoctorPanel(context.state, context.requests))
