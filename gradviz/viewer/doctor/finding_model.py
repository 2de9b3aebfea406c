"""Table model of the findings."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)

from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.language import format_count
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.catalogue.rules.declaration import RuleEvidence, RuleNeed
from gradviz.model.finding import Finding, Severity
from gradviz.model.inside import RecordingLevel, records_ops
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.source import user_line
from gradviz.text.repeated_findings import finding_text
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import SEVERITY_COLORS, Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip


def severity_word(severity: Severity) -> str:
    """Return the translated name of a severity, for example ``warning``."""
    words = {
        "error": translate("Doctor", "error"),
        "warning": translate("Doctor", "warning"),
        "info": translate("Doctor", "hint"),
    }
    return words[severity]


def rule_text(finding: Finding) -> str:
    """Return id and title of the finding's rule, or what else the finding is about."""
    kind = finding_kind(finding.code)
    if kind.recording:
        return translate("Doctor", "About the recording")
    return f"{kind.rule}  {kind.title}".strip()


def step_text(finding: Finding) -> str:
    """Return the finding's step, for example ``step 5``; empty if it has none."""
    return (
        ""
        if finding.step is None
        else translate("Doctor", "step {0}").format(format_count(finding.step))
    )


def where_text(finding: Finding) -> str:
    """Return the finding's step and source line, as far as known."""
    line = user_line(finding.location)
    if line is None:
        return step_text(finding)
    name = line.path.replace("\\", "/").rpartition("/")[2]
    place = translate("Doctor", "line {0} of {1}").format(line.line, name)
    return ", ".join(filter(None, (step_text(finding), place)))


def checked_rules_text(level: RecordingLevel) -> str:
    """List the rules checked in a run, those checked elsewhere, and those not checked yet."""
    seen = [
        translate("Doctor", "Checked in every run:"),
        *_titles("run", "torch"),
    ]
    if not records_ops(level):
        text = translate(
            "Doctor",
            "This run was recorded without ops, so values computed outside torch are not detected.",
        )
        seen.append(text)
    else:
        seen.append(
            translate("Doctor", "Also reported: where values computed outside torch come in.")
        )
    twice = translate("Doctor", "Checked where a run differentiates twice, with create_graph=True:")
    seen += ["", twice, *_titles("run", "torch", needs="second_order")]
    transform = translate("Doctor", "Checked where a run uses a transform of torch.func:")
    seen += ["", transform, *_titles("run", "torch", needs="transform")]
    seen += ["", translate("Doctor", "Read from the source:"), *_titles("source")]
    return "\n".join(seen)


def checked_text(reports: Iterable[JacobianReport]) -> str:
    """Return the failures of the last check of each order; empty if there are none."""
    latest = {report.order: report for report in reports}
    failed = [each for each in latest.values() if each.verdict in ("match", "mismatch")]
    return "\n".join(_failed_text(each) for each in failed if not each.passed)


def _failed_text(report: JacobianReport) -> str:
    """Return that a check failed, with its first known diagnosis, if any."""
    diagnosis_text = next((each.message for each in report.diagnoses if each.code != "unknown"), "")
    if report.verdict == "match":
        text = translate(
            "Doctor",
            "However, the check found a problem that gradcheck does not detect. {0} See the "
            "Jacobians tab.",
        )
        return text.format(diagnosis_text or report.diagnoses[0].message)
    if not diagnosis_text:
        return translate(
            "Doctor", "However, the Jacobian check found a mismatch. See the Jacobians tab."
        )
    text = translate(
        "Doctor", "However, the Jacobian check found a mismatch. {0} See the Jacobians tab."
    )
    return text.format(diagnosis_text)


def _titles(*evidence: RuleEvidence, needs: RuleNeed = "") -> list[str]:
    found = [
        doctor_rule(each.id)
        for each in DOCTOR_RULES
        if each.evidence[0] in evidence and each.needs == needs
    ]
    return [f"  {rule.id}  {rule.title}" for rule in found if rule is not None]


FindingModelIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ROW_HEIGHT = 26

SEVERITY, STEP, TITLE, SENTENCE = range(4)


class FindingModel(QAbstractTableModel):
    """One row for each finding: severity, step, title and sentence."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme
        self._groups: tuple[tuple[Finding, ...], ...] = ()
        self._titles = (
            self.tr("Severity"),
            self.tr("Where"),
            self.tr("Finding"),
            self.tr("Details"),
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The first finding of each row."""
        return tuple([group[0] for group in self._groups])

    def show_groups(self, groups: tuple[tuple[Finding, ...], ...]) -> None:
        """List other findings, a row for each group of those that tell the same."""
        if groups != self._groups:
            self.beginResetModel()
            self._groups = groups
            self.endResetModel()

    def row_of(self, finding: Finding) -> int:
        """The row of a finding; -1 if it is not listed."""
        return next((row for row, group in enumerate(self._groups) if finding in group), -1)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.beginResetModel()
        self._theme = theme
        self.endResetModel()

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        finding = self._groups[row][0]
        if column == SEVERITY:
            return severity_word(finding.severity)
        if column == STEP:
            return step_text(finding)
        if column == TITLE:
            return finding_kind(finding.code).title
        return finding_text(self._groups[row])

    def sentence(self, row: int) -> str:
        """Return the whole row as one text for screen readers."""
        texts = [self.text(row, column) for column in (SEVERITY, SENTENCE, STEP)]
        texts.insert(2, rule_text(self._groups[row][0]))
        return ", ".join(filter(None, texts))

    def rowCount(self, parent: FindingModelIndex = _ROOT) -> int:
        """Return the number of findings."""
        return 0 if parent.isValid() else len(self._groups)

    def columnCount(self, parent: FindingModelIndex = _ROOT) -> int:
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

    def data(self, index: FindingModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return text, icon, tooltip and color of a cell."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.text(row, column)
            case Qt.ItemDataRole.DecorationRole if column == SEVERITY:
                severity = self._groups[row][0].severity
                return icon(severity, self._theme, SEVERITY_COLORS[severity])
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tooltip(self.text(row, SENTENCE))
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.sentence(row) if column == SEVERITY else self.text(row, column)
            case Qt.ItemDataRole.ForegroundRole if column in (STEP, SENTENCE):
                return self._theme.color("text_muted")
            case Qt.ItemDataRole.SizeHintRole:
                return QSize(0, self._theme.px(_ROW_HEIGHT))
            case _:
                return None
