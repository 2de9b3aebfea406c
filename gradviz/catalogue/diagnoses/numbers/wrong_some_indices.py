"""The gradient is right except at some elements."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

WRONG_SOME_INDICES = DiagnosisInfo(
    code="wrong_some_indices",
    title="Wrong for some indices only",
    guide="right except for some rows, columns or elements: a mask, a slice, padding",
    messages={
        "wrong_some_indices.shifted.later": (
            "The gradient of {input} from {output} is shifted: along {along}, each value is found "
            "one index too late. Look for an index that is one too large, such as t + 1 for t."
        ),
        "wrong_some_indices.shifted.earlier": (
            "The gradient of {input} from {output} is shifted: along {along}, each value is found "
            "one index too early. Look for an index that is one too small, such as t - 1 for t."
        ),
        "wrong_some_indices.shifted.evidence": (
            "In all {count} rows, the analytical values are the numerical ones of the next index."
        ),
        "wrong_some_indices.reordered.halves": (
            "The gradient of {input} from {output} has the right values, but its two halves along "
            "{along} are exchanged: index {index} has the values of index {other}. Exchange them "
            "back."
        ),
        "wrong_some_indices.reordered.other": (
            "The gradient of {input} from {output} has the right values, but in the wrong order "
            "along {along}: index {index} has the values of index {other}. Look for a permutation "
            "that should be inverted, or for a gradient that is written to another index."
        ),
        "wrong_some_indices.reordered.evidence": (
            "For {count} of {size} indices, the analytical values are the numerical ones of "
            "another index, and of no other."
        ),
        "wrong_some_indices.wrong": (
            "The gradient of {input} from {output} is wrong only at some indices: {where}; it is "
            "correct elsewhere. Look for a mask, a slice or padding that backward handles "
            "differently from forward."
        ),
        "wrong_some_indices.lost": (
            "The gradient of {input} from {output} is wrong only at some indices: {where}; no "
            "gradient comes back there. Look for a mask, a slice or padding that backward handles "
            "differently from forward."
        ),
        "wrong_some_indices.evidence.input.one": (
            "{wrong} of {count} elements of {name} is wrong; all others are correct."
        ),
        "wrong_some_indices.evidence.input": (
            "{wrong} of {count} elements of {name} are wrong; all others are correct."
        ),
        "wrong_some_indices.evidence.output": (
            "The gradient that comes from {wrong} of {count} elements of {name} is wrong; from "
            "all others, it is correct."
        ),
        "wrong_some_indices.where": "where {condition}",
        "wrong_some_indices.where_too": "{indices} (that is, {condition})",
        "wrong_some_indices.zero": "{name} is zero",
        "wrong_some_indices.not_zero": "{name} is not zero",
        "wrong_some_indices.negative": "{name} is negative",
        "wrong_some_indices.positive": "{name} is positive",
        "wrong_some_indices.at_least": "{name} is {bound:.3g} or more",
        "wrong_some_indices.at_most": "{name} is {bound:.3g} or less",
        "wrong_some_indices.on_diagonal": "on the diagonal of {name}",
        "wrong_some_indices.off_diagonal": "off the diagonal of {name}",
        "wrong_some_indices.above_diagonal": "above the diagonal of {name}",
        "wrong_some_indices.below_diagonal": "below the diagonal of {name}",
        "wrong_some_indices.on_or_above_diagonal": "on or above the diagonal of {name}",
        "wrong_some_indices.on_or_below_diagonal": "on or below the diagonal of {name}",
        "wrong_some_indices.on_border": "on the border of {name}",
        "wrong_some_indices.more": "{elements} and {count} more",
    },
)
