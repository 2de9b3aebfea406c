"""All values are wrong by a factor that changes with a size."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FACTOR_BATCH_SIZE = DiagnosisInfo(
    code="factor_batch_size",
    title="Wrong by a factor of the batch size",
    guide="wrong by the size of a dimension: a mean instead of a sum, or the other way round",
    messages={
        "factor_batch_size.size": (
            "The factor changes with the size {size} ({where}): look for a mean where a sum is "
            "needed, or the reverse."
        ),
        "factor_batch_size.other": "The factor changes with the size {size} ({where}).",
        "factor_batch_size.corrected": (
            "The factor changes with the size {size} ({where}): look for a variance divided by n "
            "in one place and by n - 1 in another."
        ),
        "factor_batch_size.guessed": (
            "The factor matches a size, {size}: look for a mean where a sum is needed, or the "
            "reverse."
        ),
        "factor_batch_size.evidence": (
            "With size {larger} instead of {size}, the factor is {factor}."
        ),
        "factor_batch_size.some_dimension": "a dimension of an argument",
    },
)
