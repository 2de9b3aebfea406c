"""A violation as the doctor reports it, whether it was observed in a run or read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, structs
from msgspec.structs import replace

from gradviz.catalogue.rules import doctor_rule
from gradviz.catalogue.rules.declaration import DoctorRule, RuleEvidence, RuleSeverity
from gradviz.catalogue.visible_text import visible_text
from gradviz.linter.source_findings import ExaminedMethods, source_findings
from gradviz.model.finding import Finding
from gradviz.model.source import Location, user_line
from gradviz.model.step import ErrorStep, PassBeginStep
from gradviz.model.trace import Trace


class DoctorFinding(Struct, frozen=True, kw_only=True):
    """A violation of a rule.

    Attributes:
        rule: The rule.
        severity: How serious this violation is.
        message: One sentence for people.
        path: Path of the file.
        line: Line in the file, from 1; 0 if it is unknown.
        evidence: How it was found.
    """

    rule: DoctorRule
    severity: RuleSeverity
    message: str
    path: str
    line: int
    evidence: RuleEvidence

    def __repr__(self) -> str:
        """Rule, file, line and message in one line."""
        place = f"{self.path}:{self.line}" if self.line else self.path
        return visible_text(
            f"<DoctorFinding {self.rule.id} {self.severity} {place} {self.message}>"
        )

    @property
    def is_observed_error(self) -> bool:
        """Whether it is an error that the run showed, so that it can be why the run failed."""
        return self.severity == "error" and self.evidence != "source"


def findings_of_source(
    path: str, source: str, methods: ExaminedMethods | None = None
) -> tuple[DoctorFinding, ...]:
    """Violations that can be read from a file.

    Args:
        path: Path of the file.
        source: Its text.
        methods: The only methods to look at; None for all.
    """
    return tuple(
        DoctorFinding(
            rule=rule,
            severity=each.severity,
            message=each.message,
            path=path,
            line=each.line,
            evidence="source",
        )
        for each in source_findings(source)
        if (methods is None or methods.include(each))
        and (rule := doctor_rule(each.code)) is not None
    )


def findings_of_run(path: str, trace: Trace) -> tuple[DoctorFinding, ...]:
    """Violations among the findings of a recorded run.

    Args:
        path: Path of the file that ran, for findings without a line.
        trace: The run.
    """
    found = [
        (rule, each)
        for each in violations_of_run(path, trace)
        if (rule := doctor_rule(each.code)) is not None
    ]
    raised = _raising_lines(trace)
    # A recording reports what it did not observe as the source has it.
    needed = raised or any("source" in rule.evidence for rule, _ in found)
    in_source = [
        each
        for source in (trace.sources if needed else ())
        for each in findings_of_source(source.path, source.text)
    ]
    read = {each.message for each in in_source}
    reported = {each.message for _, each in found}
    failed = {each.number for each in trace.steps if isinstance(each, ErrorStep)}

    def is_only_read(finding: Finding) -> bool:
        has_shown = finding.step in failed or _place(finding.location) in raised
        return finding.message in read and not has_shown

    return (
        *(
            DoctorFinding(
                rule=rule,
                severity=each.severity,
                message=each.message,
                path=path if each.location is None else each.location.path,
                line=0 if each.location is None else each.location.line,
                evidence="source" if is_only_read(each) else observed_as(rule),
            )
            for rule, each in found
        ),
        # A Function that is never applied is not recorded: only its source can tell why it raised.
        *(
            replace(each, severity="error", evidence="run")
            for each in in_source
            if (each.path, each.line) in raised and each.message not in reported
        ),
    )


def observed_as(rule: DoctorRule) -> RuleEvidence:
    """How a rule's violation was found that a run has shown."""
    return next((each for each in rule.evidence if each != "source"), "run")


def differentiates_twice(trace: Trace) -> bool:
    """Whether a backward pass recorded its own graph, as for a second derivative."""
    return any(isinstance(each, PassBeginStep) and each.create_graph for each in trace.steps)


def violations_of_run(path: str, trace: Trace) -> Iterator[Finding]:
    """Violations among the findings of a recorded run, each at a line of the user or at none.

    Args:
        path: Path of the file that ran.
        trace: The run.
    """
    raised = _raising_lines(trace)
    for each in trace.findings:
        rule = doctor_rule(each.code)
        if rule is None or each.code in rule.notes:
            continue
        line, forward = user_line(each.location), _forward_line(trace, each)
        # A line in neither file belongs to a library.
        if forward is not None and (line is None or line.path not in (path, forward.path)):
            line = forward
        # Whatever the rule says in general: here, the run ended with an exception.
        severity = "error" if line is not None and _place(line) in raised else each.severity
        yield structs.replace(each, location=line, severity=severity)


def _raising_lines(trace: Trace) -> frozenset[tuple[str, int]]:
    """Path and line of the user's code at which the run ended with an exception."""
    lines = (user_line(each.location) for each in trace.steps if isinstance(each, ErrorStep))
    return frozenset(_place(each) for each in lines if each is not None)


def _place(line: Location | None) -> tuple[str, int]:
    return ("", 0) if line is None else (line.path, line.line)


def _forward_line(trace: Trace, finding: Finding) -> Location | None:
    """Line of the Function that was called in the finding's step; None if there is none."""
    steps = trace.steps[finding.step - 1 : finding.step] if finding.step else ()
    calls = {call.id: call for call in trace.calls}
    call = calls.get(next((getattr(step, "call", None) for step in steps), None) or 0)
    return None if call is None else user_line(call.forward)


def merged(findings: Iterable[DoctorFinding]) -> tuple[DoctorFinding, ...]:
    """Findings by file and line, each violation once.

    A violation that was observed and read is listed as observed, at the lines that were read: a
    run often knows only in which method it was.
    """
    findings = list(findings)
    read = {(each.path, each.rule.id) for each in findings if each.evidence == "source"}
    groups: dict[tuple[str, str, str], list[DoctorFinding]] = {}
    for each in findings:
        # Torch refuses a Function without naming the line, which the source shows.
        if (
            each.evidence == "torch"
            and " (" not in each.message
            and (each.path, each.rule.id) in read
        ):
            continue
        method = each.message.partition(" (")[0]
        groups.setdefault((each.path, each.rule.id, method), []).append(each)
    found = {each for group in groups.values() for each in _joined(group)}
    return tuple(sorted(found, key=lambda each: (each.path, each.line, each.rule.id)))


def _joined(group: list[DoctorFinding]) -> list[DoctorFinding]:
    observed = [each for each in group if each.evidence != "source"]
    read = [each for each in group if each.evidence == "source"]
    if not observed or not read:
        return group
    # At its own line, a run knows more than the source; elsewhere it knows only the method.
    at = {each.line: each for each in observed}
    return [
        at.get(each.line)
        or replace(each, evidence=observed[0].evidence, severity=observed[0].severity)
        for each in read
    ]
