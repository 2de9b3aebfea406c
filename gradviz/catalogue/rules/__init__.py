"""All rules of the doctor, declared by subject."""

from __future__ import annotations

from dataclasses import replace

from gradviz.catalogue.language import translated
from gradviz.catalogue.rules.arguments import ARGUMENTS
from gradviz.catalogue.rules.changes import CHANGES
from gradviz.catalogue.rules.declaration import DoctorRule
from gradviz.catalogue.rules.received_gradients import RECEIVED_GRADIENTS
from gradviz.catalogue.rules.returned_gradients import RETURNED_GRADIENTS
from gradviz.catalogue.rules.saving import SAVING
from gradviz.catalogue.rules.second_order import SECOND_ORDER
from gradviz.catalogue.rules.transforms import TRANSFORMS

_SUBJECTS = (
    SAVING,
    RETURNED_GRADIENTS,
    RECEIVED_GRADIENTS,
    CHANGES,
    ARGUMENTS,
    SECOND_ORDER,
    TRANSFORMS,
)

DOCTOR_RULES: tuple[DoctorRule, ...] = tuple(
    sorted((rule for rules in _SUBJECTS for rule in rules), key=lambda rule: rule.id)
)
"""All rules, in the order of their ids."""

_TEXTS = ("title", "summary", "why", "remedy")

MESSAGES_RULES = {
    **{f"rule.{rule.id}.{name}": getattr(rule, name) for rule in DOCTOR_RULES for name in _TEXTS},
    **{f"finding.{case}.title": text for rule in DOCTOR_RULES for case, text in rule.cases.items()},
    **{key: text for rule in DOCTOR_RULES for key, text in rule.messages.items()},
}
"""Texts of all rules, and templates of the sentences that report violations."""

_BY_CODE = {code: rule for rule in DOCTOR_RULES for code in (rule.code, *rule.cases)}
_BY_ID = {rule.id: rule for rule in DOCTOR_RULES}


def doctor_rule(name: str) -> DoctorRule | None:
    """The rule with an id or code, in the current language; None if there is none."""
    rule = _BY_CODE.get(name) or _BY_ID.get(name.upper())
    if rule is None:
        return None
    return replace(
        rule,
        title=translated(f"rule.{rule.id}.title", rule.title),
        summary=translated(f"rule.{rule.id}.summary", rule.summary),
        why=translated(f"rule.{rule.id}.why", rule.why),
        remedy=translated(f"rule.{rule.id}.remedy", rule.remedy),
        cases={
            code: translated(f"finding.{code}.title", text) for code, text in rule.cases.items()
        },
    )
