"""The Doctor panel: a list of findings, and next to it an explanation."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QSplitter,
    QTreeView,
    QWidget,
)

from gradviz.model.finding import Finding
from gradviz.model.finding_places import broken_count, in_order, place_of
from gradviz.viewer.doctor.page import FindingPage
from gradviz.viewer.doctor.rows import SENTENCE, SEVERITY, STEP, TITLE, FindingRows
from gradviz.viewer.doctor.words import checked_text, sought_text
from gradviz.viewer.keys import pressed
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header import set_header_font

_WIDTHS = {SEVERITY: 84, STEP: 60, TITLE: 220}
_LIST, _PAGE = 500, 500
"""Initial shares of the width."""


class DoctorPanel(QWidget):
    """Shows the findings of the run; quiz mode hides those of later steps.

    Signals:
        findings_counted: Number of warnings and errors.
    """

    findings_counted = Signal(object)

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.rows = FindingRows(state.theme, self)
        self.view = _View(self)
        self.view.setModel(self.rows)
        self.page = FindingPage(state.theme)
        split = QSplitter()
        split.addWidget(self.view)
        split.addWidget(self.page)
        split.setSizes([_LIST, _PAGE])
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 4, 4, 4)
        row.addWidget(split)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Doctor"))
        self._connect()
        self._on_state_theme_changed(state.theme)
        self._show()

    def _connect(self) -> None:
        state = self._state
        self.view.activated.connect(self._on_view_activated)
        self.view.clicked.connect(self._on_view_activated)
        self.view.selectionModel().currentChanged.connect(self._on_view_current_changed)
        self.page.step_requested.connect(self._on_page_step_requested)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)

    @property
    def chosen(self) -> Finding | None:
        """The selected finding, or None."""
        row = self.view.currentIndex().row()
        return self.rows.findings[row] if 0 <= row < len(self.rows.findings) else None

    def _show(self) -> None:
        index = self._state.index
        findings = () if index is None else in_order(index, self._state.told)
        before = self.chosen
        self.rows.show_findings(findings)
        if findings:
            at = findings.index(before) if before in findings else 0
            self.view.setCurrentIndex(self.rows.index(at, SEVERITY))
        self.view.setVisible(bool(findings))
        self.view.fit()
        self._explain()
        self.findings_counted.emit(broken_count(findings))

    def _explain(self) -> None:
        finding, index = self.chosen, self._state.index
        if finding is not None:
            self.page.show_finding(finding)
        elif index is None:
            self.page.show_sought("", self.tr("Findings about the run appear here."))
        else:
            head = self.tr("No problems were found in this run.")
            if self._state.told < self._state.count:
                head = self.tr("No problems were found up to this step.")
            elif index.trace.outcome is None:
                head = self.tr("No problems were found in the recorded part of this run.")
            checked = checked_text(index.trace.reports)
            head = "\n".join(filter(None, (head, checked)))
            self.page.show_sought(head, sought_text(index.trace.origin.level))

    def _go(self) -> None:
        finding, index = self.chosen, self._state.index
        if finding is None or index is None:
            return
        place = place_of(index, finding)
        if place is not None:
            self._state.go_to_place(place)
        if finding.node is not None:
            self._state.seek(finding.node)

    @Slot(QModelIndex)
    def _on_view_activated(self, cell: QModelIndex) -> None:
        self._go()

    @Slot(QModelIndex, QModelIndex)
    def _on_view_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        self._explain()

    @Slot()
    def _on_page_step_requested(self) -> None:
        self._go()

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        self._show()

    @Slot(object)
    def _on_state_reports_changed(self, reports: object) -> None:
        self._explain()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._show()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        chosen = self.view.currentIndex().row()
        self.rows.set_theme(theme)
        self.view.setFont(theme.font())
        set_header_font(self.view.header(), theme.font())
        self.view.set_widths(theme)
        self.page.set_theme(theme)
        if chosen >= 0:
            self.view.setCurrentIndex(self.rows.index(chosen, SEVERITY))


class _View(QTreeView):
    """Tree view that emits `activated` on Enter on every platform."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._title_width = _WIDTHS[TITLE]
        self.setObjectName("findings")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setAccessibleName(self.tr("Findings"))
        self.setToolTip(self.tr("Enter: go to the step of the finding"))
        self.header().setStretchLastSection(True)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        FocusRing(self)

    def fit(self) -> None:
        """Hide the column of sentences if the list is too narrow for it."""
        room = self.viewport().width() - self.header().sectionPosition(TITLE)
        narrow = room < self._title_width * 2
        self.setColumnHidden(SENTENCE, narrow)
        self.setColumnWidth(TITLE, max(room, 0) if narrow else self._title_width)

    def set_widths(self, theme: Theme) -> None:
        """Set the column widths for a theme."""
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, theme.px(width))
        self._title_width = theme.px(_WIDTHS[TITLE])
        self.fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if pressed("doctor", event) == "go" and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)
