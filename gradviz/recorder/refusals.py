"""Exceptions of torch that enforce a rule of the doctor, explained as that rule."""

from __future__ import annotations

import re

from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.model.step import ErrorStep
from gradviz.recorder.finding_reporter import FindingReporter


def report_refusal(reporter: FindingReporter, error: ErrorStep) -> None:
    """Report the rule that torch enforced with the exception that ended the run, if any."""
    for declared in DOCTOR_RULES:
        if not declared.refusal or not re.search(declared.refusal, error.message):
            continue
        rule = doctor_rule(declared.id) or declared
        message = say("finding.refused", summary=rule.summary, remedy=rule.remedy)
        reporter.report(
            rule.code,
            message,
            "error",
            step=error.number,
            node=error.node,
            location=error.location,
        )
