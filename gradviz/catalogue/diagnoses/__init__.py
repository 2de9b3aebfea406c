"""All diagnoses, declared by the tables of the guide: codes, titles and sentences."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.changed_operation import CHANGED_OPERATION
from gradviz.catalogue.diagnoses.conclusions import CONCLUSIONS
from gradviz.catalogue.diagnoses.declaration import DiagnosisSeverity
from gradviz.catalogue.diagnoses.trials import TRIALS
from gradviz.catalogue.diagnoses.wrong_gradients import WRONG_GRADIENTS
from gradviz.catalogue.diagnoses.wrong_terms import WRONG_TERMS

GROUPS = {
    "numbers": (*WRONG_GRADIENTS, *WRONG_TERMS),
    "trials": TRIALS,
    "conclusions": CONCLUSIONS,
}
"""Declarations by the table of the guide that explains them."""

DIAGNOSES = {each.code: each for group in GROUPS.values() for each in group}
"""Declarations by code, in the guide's order."""

MESSAGES_DIAGNOSES = {
    **{f"{code}.title": each.title for code, each in DIAGNOSES.items()},
    **{f"{code}.guide": each.guide for code, each in DIAGNOSES.items()},
    **{key: text for each in DIAGNOSES.values() for key, text in each.messages.items()},
    **CHANGED_OPERATION,
    "diagnosis.moved": "With other input values, the result is the same.",
    "diagnosis.only_element": "in the only element",
    "diagnosis.all_elements": "in all {count} elements",
    "diagnosis.dimension": "dimension {dimensions}",
    "diagnosis.dimensions": "dimensions {dimensions}",
    "diagnosis.of": "{dimensions} of {name}",
    "diagnosis.after_division": "After division by {factor}: {found}",
    "diagnosis.and_operation": "{found} {operation}",
    "diagnosis.untried.values": "It could not be tried with other input values.",
    "diagnosis.untried.size": "It could not be tried with a larger size.",
    "diagnosis.unconfirmed.values": "With other input values, the same was not found again.",
    "diagnosis.unconfirmed.signs": "With values of both signs, the same was not found again.",
    "diagnosis.unconfirmed.size": "With a larger size, the same was not found again.",
    "diagnosis.shared": "All of {inputs} show it, so look for one cause.",
    "diagnosis.overwritten": (
        "In the gradient of {inputs}, {line} ({operation}) overwrites values where an index occurs "
        "more than once. They have to be added up: use index_add_, scatter_add_ or "
        "index_put_(accumulate=True)."
    ),
    "diagnosis.rejected.evidence": (
        "Backward was called for each element of {output}, and the result was compared "
        "with the numerical Jacobian of {input}."
    ),
    "diagnosis.backward_agrees": "Backward agrees with the numerical Jacobian.",
}
"""Templates of the sentences of all diagnoses."""


def severity_of(code: str) -> DiagnosisSeverity:
    """Severity of a diagnosis; a fault if its code comes from a newer gradviz."""
    return DIAGNOSES[code].severity if code in DIAGNOSES else "fault"
