"""What the Doctor says besides the findings' own sentences."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from gradviz.model.finding import Finding, Severity
from gradviz.model.inside import RecordingLevel
from gradviz.model.jacobian import JacobianReport
from gradviz.model.rules import RULES, Rule, kind_of, rule_of
from gradviz.model.source import user_line


def severity_word(severity: Severity) -> str:
    """Like ``warning``."""
    words = {"error": _tr("error"), "warning": _tr("warning"), "info": _tr("hint")}
    return words[severity]


def rule_text(finding: Finding) -> str:
    """The rule that a finding is about, by number and title; or what else it is about."""
    rule = rule_of(finding.code)
    if rule is not None:
        return _tr("Rule {0}: {1}").format(rule.number, rule.title)
    return _tr("the recording") if kind_of(finding.code).recording else kind_of(finding.code).title


def step_text(finding: Finding) -> str:
    """Like ``step 5``; empty where it belongs to none."""
    return "" if finding.step is None else _tr("step {0:,}").format(finding.step)


def where_text(finding: Finding) -> str:
    """Step and line of the source, as far as there are any."""
    line = user_line(finding.location)
    if line is None:
        return step_text(finding)
    name = line.path.replace("\\", "/").rpartition("/")[2]
    place = _tr("line {0} of {1}").format(line.line, name)
    return ", ".join(filter(None, (step_text(finding), place)))


def sought_text(level: RecordingLevel) -> str:
    """Which rules are looked for in a run, which elsewhere, and which not yet."""
    seen = [
        _tr("Looked for in every run:"),
        *_titles(rule for rule in RULES if rule.sought == "run"),
        _tr("Besides: a saved tensor that was changed before backward needs it."),
    ]
    if level == "nodes":
        text = _tr(
            "This run was recorded without what is inside of its steps: where elements come in that"
            " were computed outside of torch is not seen in it."
        )
        seen.append(text)
    else:
        seen.append(_tr("Also told: where elements come in that were computed outside of torch."))
    seen += [
        "",
        _tr("Looked for by the check of Jacobians:"),
        *_titles(rule for rule in RULES if rule.sought == "check"),
        "",
        _tr("Not looked for yet:"),
        *_titles(rule for rule in RULES if rule.sought == "never"),
    ]
    return "\n".join(seen)


def checked_text(reports: Iterable[JacobianReport]) -> str:
    """What the last check of each order says against the run; empty where none does."""
    latest = {report.order: report for report in reports}
    failed = [each for each in latest.values() if each.verdict in ("match", "mismatch")]
    return "\n".join(_failed_text(each) for each in failed if not each.passed)


def _failed_text(report: JacobianReport) -> str:
    """That a check failed, with its first diagnosis, if it has one."""
    said = next((each.message for each in report.diagnoses if each.code != "unknown"), "")
    if report.verdict == "match":
        text = _tr("But the check found what gradcheck does not see. {0} See the tab Jacobians.")
        return text.format(said or report.diagnoses[0].message)
    if not said:
        return _tr("But the check of Jacobians found a mismatch: see the tab Jacobians.")
    text = _tr("But the check of Jacobians found a mismatch. {0} See the tab Jacobians.")
    return text.format(said)


def _titles(rules: Iterable[Rule]) -> list[str]:
    return [_tr("  {0}  {1}").format(rule.number, rule.title) for rule in rules]


def _tr(text: str) -> str:
    return QCoreApplication.translate("Doctor", text)
