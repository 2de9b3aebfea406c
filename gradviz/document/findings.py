"""The findings of a run as a document, and what the Doctor says without any."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.catalogue.rules.declaration import RuleEvidence, RuleNeed
from gradviz.document.document import Document, Field, Row
from gradviz.model.finding import Finding, Severity
from gradviz.model.inside import RecordingLevel, records_ops
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.source import user_line
from gradviz.text.repeated_findings import finding_text


def severity_word(severity: Severity) -> str:
    """Return the translated name of a severity, for example ``warning``."""
    return say(f"severity.{severity}")


def rule_text(finding: Finding) -> str:
    """Return id and title of the finding's rule, or what else the finding is about."""
    kind = finding_kind(finding.code)
    if kind.recording:
        return say("doctor_list.about_recording")
    return f"{kind.rule}  {kind.title}".strip()


def step_text(finding: Finding) -> str:
    """Return the finding's step, for example ``step 5``; empty if it has none."""
    return "" if finding.step is None else say("doctor_list.step", step=format_count(finding.step))


def finding_place_text(finding: Finding) -> str:
    """Return the finding's step and source line, as far as known."""
    line = user_line(finding.location)
    if line is None:
        return step_text(finding)
    name = line.path.replace("\\", "/").rpartition("/")[2]
    place = say("doctor_list.line", line=line.line, name=name)
    return ", ".join(filter(None, (step_text(finding), place)))


def checked_rules_text(level: RecordingLevel) -> str:
    """List the rules checked in a run, those checked elsewhere, and those not checked yet."""
    seen = [
        say("doctor_list.checked"),
        *_titles("run", "torch"),
    ]
    ops = "with_ops" if records_ops(level) else "without_ops"
    seen.append(say(f"doctor_list.checked.{ops}"))
    twice = say("doctor_list.checked.second_order")
    seen += ["", twice, *_titles("run", "torch", needs="second_order")]
    transform = say("doctor_list.checked.transform")
    seen += ["", transform, *_titles("run", "torch", needs="transform")]
    seen += ["", say("doctor_list.checked.source"), *_titles("source")]
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
        cause = diagnosis_text or report.diagnoses[0].message
        return say("doctor_list.unseen_problem", cause=cause)
    if not diagnosis_text:
        return say("doctor_list.mismatch")
    return say("doctor_list.mismatch_cause", cause=diagnosis_text)


def _titles(*evidence: RuleEvidence, needs: RuleNeed = "") -> list[str]:
    found = [
        doctor_rule(each.id)
        for each in DOCTOR_RULES
        if each.evidence[0] in evidence and each.needs == needs
    ]
    return [f"  {rule.id}  {rule.title}" for rule in found if rule is not None]


def findings_document(groups: tuple[tuple[Finding, ...], ...]) -> Document:
    """Return one row for each group of findings that tell the same, by its first one."""
    known = {group[0]: group for group in groups}

    def row(key: Hashable) -> Row:
        assert isinstance(key, Finding)
        severity, title, text = (
            severity_word(key.severity),
            finding_kind(key.code).title,
            finding_text(known[key]),
        )
        fields = (
            Field(text=severity, tip=text, icon=key.severity),
            Field(text=step_text(key), tip=text, tone="muted"),
            Field(text=title, tip=text),
            Field(text=text, tone="muted"),
        )
        spoken = (severity, text, rule_text(key), step_text(key))
        return Row(fields=fields, spoken=", ".join(filter(None, spoken)))

    titles = (
        say("doctor_list.severity"),
        say("doctor_list.where"),
        say("doctor_list.finding"),
        say("doctor_list.details"),
    )
    return Document(titles=titles, keys=tuple(known), row=row)
