"""All kinds of differences that can be told by their numbers, the surest first.

A kind is a function in a module of its own: it gets the pair, and answers with a diagnosis only
where the numbers leave no other reading. A false diagnosis is worse than none.
"""

from __future__ import annotations

from collections.abc import Callable

from gradviz.checks.diagnosis.constant_forward import constant_forward
from gradviz.checks.diagnosis.elementwise_only import elementwise_only
from gradviz.checks.diagnosis.extra_sum import extra_sum
from gradviz.checks.diagnosis.missing_sum import missing_sum
from gradviz.checks.diagnosis.mixed_rows import mixed_rows
from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.straight_through import straight_through
from gradviz.checks.diagnosis.transposed import transposed
from gradviz.checks.diagnosis.transposed_inside import transposed_inside
from gradviz.checks.diagnosis.unknown import unknown
from gradviz.checks.diagnosis.wrong_some_indices import (
    lost_for_some_indices,
    wrong_for_some_indices,
)
from gradviz.model.diagnosis import Diagnosis

Rule = Callable[[Pair], Diagnosis | None]

RULES: tuple[Rule, ...] = (
    straight_through,
    constant_forward,
    missing_sum,
    extra_sum,
    transposed,
    mixed_rows,
    transposed_inside,
    lost_for_some_indices,
)


PATTERNS: tuple[Rule, ...] = (wrong_for_some_indices, elementwise_only)
"""Tried last, as what they see may have one of many reasons."""


def diagnose(pair: Pair) -> Diagnosis:
    """What the first rule says that fits; ``unknown`` where none does."""
    rules = (*RULES, *PATTERNS)
    return next((found for rule in rules if (found := rule(pair)) is not None), unknown(pair))
