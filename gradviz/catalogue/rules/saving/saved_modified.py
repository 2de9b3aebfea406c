"""A saved tensor is changed in place before backward reads it."""

from __future__ import annotations

from gradviz.catalogue.rules.declaration import DoctorRule

SAVED_MODIFIED = DoctorRule(
    id="GV103",
    code="saved_modified",
    title="Saved tensor changed in place",
    severity="error",
    evidence=("run",),
    summary="A saved tensor is changed in place before backward reads it.",
    why=(
        "Each tensor counts its in-place changes in a version counter. Saving remembers the "
        "counter, and reading compares it: if it has changed, torch raises an error, because "
        "a gradient computed from the new values would be wrong."
    ),
    remedy="Change a copy instead, or save a clone.",
    bad="""\
y = x.exp()
y.mul_(2)
y.sum().backward()
""",
    good="""\
y = x.exp() * 2
y.sum().backward()
""",
)
