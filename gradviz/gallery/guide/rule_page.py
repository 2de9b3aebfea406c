"""Guide pages of the doctor's rules, written from what each rule declares."""

from __future__ import annotations

from gradviz.catalogue.messages import say, say_list
from gradviz.catalogue.rules.declaration import DoctorRule


def rule_page_source(rule: DoctorRule) -> str:
    """The page of a rule, as Markdown."""
    evidence = say_list([say(f"doctor.evidence.{each}") for each in rule.evidence])
    facts = say(
        "doctor.page.facts",
        severity=say(f"doctor.severity.{rule.severity}"),
        evidence=evidence,
        code=rule.code,
    )
    parts = [
        f"# {rule.id}: {rule.title}",
        rule.summary,
        facts,
        *([say("doctor.page.likely")] if rule.confidence == "likely" else []),
        f"## {say('doctor.page.why')}",
        rule.why,
        f"## {say('doctor.page.bad')}",
        f"```python\n{rule.bad}```",
        f"## {say('doctor.page.good')}",
        rule.remedy,
        f"```python\n{rule.good}```",
        say("doctor.page.ignore", rule=rule.id),
    ]
    return "\n\n".join(parts) + "\n"
