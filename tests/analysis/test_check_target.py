"""What of an opened file can be checked."""

from __future__ import annotations

from gradviz.analysis.check_target import check_target
from gradviz.model.inputs import Offer, RunSubject


def test_a_cell_of_a_notebook_has_nothing_to_check_and_a_function_has() -> None:
    cell, function = (
        Offer(subject=RunSubject(path=path, name="3"), title="", inputs=())
        for path in ("/a/b.ipynb", "/a/b.py")
    )
    found = check_target(cell, None, 1)
    assert found.offer is None
    assert found.problem.startswith("A cell of a notebook has no Jacobians.")
    assert check_target(function, None, 1).offer is function
