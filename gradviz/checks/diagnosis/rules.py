"""Rules that recognize a mistake by the values of one pair, the most certain ones first.

A rule is a function in its own module: it takes the pair, and returns a diagnosis only if the
values allow no other explanation. A false diagnosis is worse than none.
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
"""Tried last, because what they recognize can have many causes."""


def diagnose(pair: Pair) -> Diagnosis:
    """The diagnosis of the first rule that matches; ``unknown`` if none does."""
    rules = (*RULES, *PATTERNS)
    return next((found for rule in rules if (found := rule(pair)) is not None), unknown(pair))
