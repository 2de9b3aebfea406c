"""The function raises an error because a dimension has no or only one element."""

from __future__ import annotations

from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo

FAILS_FOR_SIZE = DiagnosisInfo(
    code="fails_for_size",
    title="Fails for an empty or single element",
    is_observation=True,
    guide="raises an error for a dimension of size 0 or 1, but not for larger ones",
    messages={
        "fails_for_size.empty": (
            "{stage} raises an error for the empty {dimension}. Look for code that takes an "
            "element, a maximum or a mean of it, and handle this size separately."
        ),
        "fails_for_size.one": (
            "{stage} raises an error because {dimension} has only one element. Look for an index "
            "other than 0, a difference of neighbors, or a squeeze() that removes this dimension."
        ),
        "fails_for_size.evidence": (
            "With size {larger} instead of {size}, forward and backward run without an error."
        ),
        "fails_for_size.agree": "With that size, all Jacobians agree.",
    },
)
