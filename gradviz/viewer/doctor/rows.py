"""Table model of the findings."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)

from gradviz.model.finding import Finding, Severity
from gradviz.model.palette import Role
from gradviz.model.rules import kind_of
from gradviz.viewer.doctor.words import rule_text, severity_word, step_text
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

Cell = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROW_HEIGHT = 26

SEVERITY, STEP, TITLE, SENTENCE = range(4)

INKS: dict[Severity, Role] = {"error": "error", "warning": "warning", "info": "text_muted"}


class FindingRows(QAbstractTableModel):
    """One row for each finding: severity, step, title and sentence."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._findings: tuple[Finding, ...] = ()
        self._titles = (
            self.tr("Severity"),
            self.tr("Where"),
            self.tr("Finding"),
            self.tr("Details"),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that are listed."""
        return self._findings

    def show_findings(self, findings: tuple[Finding, ...]) -> None:
        """List other findings."""
        if findings != self._findings:
            self.beginResetModel()
            self._findings = findings
            self.endResetModel()

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.beginResetModel()
        self._theme = theme
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        finding = self._findings[row]
        if column == SEVERITY:
            return severity_word(finding.severity)
        if column == STEP:
            return step_text(finding)
        return kind_of(finding.code).title if column == TITLE else finding.message

    def sentence(self, row: int) -> str:
        """Return the whole row as one text for screen readers."""
        texts = [self.text(row, column) for column in (SEVERITY, SENTENCE, STEP)]
        texts.insert(2, rule_text(self._findings[row]))
        return ", ".join(filter(None, texts))

    def rowCount(self, parent: Cell = _ROOT) -> int:
        """Return the number of findings."""
        return 0 if parent.isValid() else len(self._findings)

    def columnCount(self, parent: Cell = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self._titles)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        """Return the column titles."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._titles[section]
        return None

    def data(self, index: Cell, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon, tooltip and color of a cell."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.DecorationRole if column == SEVERITY:
                severity = self._findings[row].severity
                return icon(severity, self._theme, INKS[severity])
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.text(row, SENTENCE))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence(row) if column == SEVERITY else self.text(row, column)
            case Qt.ItemDataRole.ForegroundRole if column in (STEP, SENTENCE):
                return self._theme.colour("text_muted")
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._theme.px(_ROW_HEIGHT))
            case _:
                return None
