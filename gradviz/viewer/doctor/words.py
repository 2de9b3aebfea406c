"""Texts of the Doctor panel, apart from the findings' own sentences."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from gradviz.model.finding import Finding, Severity
from gradviz.model.inside import RecordingLevel
from gradviz.model.jacobian import JacobianReport
from gradviz.model.rules import RULES, Rule, kind_of, rule_of
from gradviz.model.source import user_line


def severity_word(severity: Severity) -> str:
    """Return the translated name of a severity, for example ``warning``."""
    words = {"error": _tr("error"), "warning": _tr("warning"), "info": _tr("hint")}
    return words[severity]


def rule_text(finding: Finding) -> str:
    """Return number and title of the finding's rule, or what else the finding is about."""
    rule = rule_of(finding.code)
    if rule is not None:
        return _tr("Rule {0}: {1}").format(rule.number, rule.title)
    return (
        _tr("About the recording")
        if kind_of(finding.code).recording
        else kind_of(finding.code).title
    )


def step_text(finding: Finding) -> str:
    """Return the finding's step, for example ``step 5``; empty if it has none."""
    return "" if finding.step is None else _tr("step {0:,}").format(finding.step)


def where_text(finding: Finding) -> str:
    """Return the finding's step and source line, as far as known."""
    line = user_line(finding.location)
    if line is None:
        return step_text(finding)
    name = line.path.replace("\\", "/").rpartition("/")[2]
    place = _tr("line {0} of {1}").format(line.line, name)
    return ", ".join(filter(None, (step_text(finding), place)))


def sought_text(level: RecordingLevel) -> str:
    """List the rules checked in a run, those checked elsewhere, and those not checked yet."""
    seen = [
        _tr("Checked in every run:"),
        *_titles(rule for rule in RULES if rule.sought == "run"),
        _tr("Also: a saved tensor that was modified before backward needs it."),
    ]
    if level == "nodes":
        text = _tr(
            "This run was recorded without the insides of its steps, so values computed "
            "outside torch are not detected."
        )
        seen.append(text)
    else:
        seen.append(_tr("Also reported: where values computed outside torch come in."))
    seen += [
        "",
        _tr("Checked by the Jacobian check:"),
        *_titles(rule for rule in RULES if rule.sought == "check"),
        "",
        _tr("Not checked yet:"),
        *_titles(rule for rule in RULES if rule.sought == "never"),
    ]
    return "\n".join(seen)


def checked_text(reports: Iterable[JacobianReport]) -> str:
    """Return the failures of the last check of each order; empty if there are none."""
    latest = {report.order: report for report in reports}
    failed = [each for each in latest.values() if each.verdict in ("match", "mismatch")]
    return "\n".join(_failed_text(each) for each in failed if not each.passed)


def _failed_text(report: JacobianReport) -> str:
    """Return that a check failed, with its first known diagnosis, if any."""
    said = next((each.message for each in report.diagnoses if each.code != "unknown"), "")
    if report.verdict == "match":
        text = _tr(
            "However, the check found a problem that gradcheck does not detect. {0} See the "
            "Jacobians tab."
        )
        return text.format(said or report.diagnoses[0].message)
    if not said:
        return _tr("However, the Jacobian check found a mismatch. See the Jacobians tab.")
    text = _tr("However, the Jacobian check found a mismatch. {0} See the Jacobians tab.")
    return text.format(said)


def _titles(rules: Iterable[Rule]) -> list[str]:
    return [_tr("  {0}  {1}").format(rule.number, rule.title) for rule in rules]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Doctor", text)
