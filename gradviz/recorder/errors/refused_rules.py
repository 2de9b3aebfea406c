"""Exceptions of torch that enforce a rule of the doctor, explained as that rule."""

from __future__ import annotations

import re

from gradviz.catalogue.messages import say
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.model.step import ErrorStep
from gradviz.recorder.finding_reporter import FindingReporter
from gradviz.recorder.forward.forward_rules import SourceRuleReporter
from gradviz.recorder.forward.function_source import definition_line
from gradviz.recorder.forward.open_function_call import CallFacts


def report_refusal(
    reporter: FindingReporter,
    source_rules: SourceRuleReporter,
    error: ErrorStep,
    call: CallFacts | None,
) -> None:
    """Report the rule that torch enforced with the exception that ended the run, if any.

    It is located at the line that violates the rule if the source shows it, or else where torch
    raised. If that is not in the Function, it is located at the Function's ``forward``.

    Args:
        reporter: Records the finding.
        source_rules: Knows what the source shows.
        error: The exception.
        call: The call of a custom Function that it came from; None if it came from none.
    """
    for declared in DOCTOR_RULES:
        if not declared.refusal or not re.search(declared.refusal, error.message):
            continue
        read = source_rules.violation(declared.code)
        if not (declared.refusal_is_clear or read or reporter.has_found(declared.code)):
            continue
        rule = doctor_rule(declared.id) or declared
        refused = say("finding.refused", summary=rule.summary, remedy=rule.remedy)
        message, line = read or (refused, error.location)
        line = line or error.location
        if call is not None and not (line and f"{call.function}." in line.function):
            line = reporter.line(call.forward, definition_line(call.forward)) or line
        # A warning of what torch has then refused is the same problem.
        reporter.report(
            rule.code,
            message,
            "error",
            step=error.number,
            node=error.node,
            location=line,
            replaces=True,
        )
