"""Manual edits survive saving the file, unless the file changed the same input."""

from __future__ import annotations

from msgspec import structs

from gradviz.model.inputs import BackwardStart, InputSpec, Offer, RunSubject
from gradviz.viewer.inputs.remembered_inputs import with_edits

X = InputSpec(name="x", shape=(3,), fill="given", values=(1.0, 2.0, 3.0))
W = InputSpec(name="w", shape=(2,))
OLD = Offer(subject=RunSubject(path="f.py", name="F"), title="F", inputs=(X, W), line=4)
EDITED = structs.replace(
    OLD,
    inputs=(X, structs.replace(W, shape=(5,))),
    start=BackwardStart(output=1, gradient="ones"),
    seed=7,
    device="cuda",
)


def test_edits_are_carried_over_to_what_is_unchanged() -> None:
    new = structs.replace(OLD, line=9)
    made = with_edits(new, OLD, EDITED)
    assert made == structs.replace(EDITED, line=9)


def test_what_the_file_has_changed_is_taken_from_the_file() -> None:
    longer = structs.replace(X, shape=(4,), values=(1.0, 2.0, 3.0, 4.0))
    other = structs.replace(W, shape=(6,))
    made = with_edits(structs.replace(OLD, inputs=(longer, other)), OLD, EDITED)
    assert made.inputs == (longer, other)
    assert (made.seed, made.start, made.device) == (7, EDITED.start, "cuda")


def test_inputs_may_come_and_go() -> None:
    b = InputSpec(name="b", shape=(1,))
    made = with_edits(structs.replace(OLD, inputs=(W, b)), OLD, EDITED)
    assert made.inputs == (EDITED.inputs[1], b)
