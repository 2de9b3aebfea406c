"""Cells of notebooks, as the window runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import gradviz
from gradviz.model.inputs import Offer, RunSubject
from gradviz.protocol.messages import DescribeRequest, RunRequest
from gradviz.worker.describe import describe
from gradviz.worker.load import load
from gradviz.worker.notebook.notebook_file import without_magics
from gradviz.worker.run import run
from gradviz.worker.user_errors import WorkError

CELLS = (
    "%matplotlib inline\n!pip install torch\nimport torch",
    "x = torch.tensor([1.0, 2.0], requires_grad=True)\nprint('above')",
    "",
    "%%time\ny = (x\n     % 1.5)\ny.sum().backward()\ndisplay(x.grad)",
    "%%bash\necho hi",
    "x.no_such_name",
)


def written(folder: Path, *cells: str, language: str = "python") -> Path:
    path = folder / "note book.ipynb"
    document: dict[str, Any] = {
        "cells": [{"cell_type": "markdown", "source": ["# Title"]}],
        "metadata": {"language_info": {"name": language}},
        "nbformat": 4,
    }
    for cell in cells:
        document["cells"].append(
            {"cell_type": "code", "source": cell.splitlines(keepends=True), "outputs": []}
        )
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def offers(path: Path) -> dict[str, Offer]:
    found = describe(DescribeRequest(path=str(path))).offers
    return {each.title.partition(":")[0]: each for each in found}


def test_each_cell_with_code_is_offered_and_magics_are_listed(tmp_path: Path) -> None:
    described = describe(DescribeRequest(path=str(written(tmp_path, *CELLS))))
    assert [each.title for each in described.offers] == [
        "Cell 1: import torch",
        "Cell 2: x = torch.tensor([1.0, 2.0],…",
        "Cell 4: y = (x",
        "Cell 6: x.no_such_name",
    ]
    assert not described.is_broken
    assert described.problem == (
        "These lines are for Jupyter and are ignored: %matplotlib inline (cell 1), "
        "!pip install torch (cell 1), %%time (cell 4) and %%bash (cell 5)."
    )


@pytest.mark.parametrize(
    ("cells", "title"),
    [
        (CELLS, "Cell 4: y = (x"),
        (("import torch", "x = 1", "# backward()"), "Cell 2: x = 1"),
        (
            ("a = 1", "torch.autograd.grad(y, x)", "y.backward()"),
            "Cell 2: torch.autograd.grad(y, x)",
        ),
    ],
)
def test_a_notebook_opens_at_the_first_cell_that_computes_gradients(
    tmp_path: Path, cells: tuple[str, ...], title: str
) -> None:
    described = describe(DescribeRequest(path=str(written(tmp_path, *cells))))
    assert [each.title for each in described.offers if each.opens] == [title]


def test_a_cell_is_recorded_after_those_above_it(tmp_path: Path) -> None:
    path = written(tmp_path, *CELLS)
    offer = offers(path)["Cell 4"]
    result = run(RunRequest(offer=offer, trace=str(tmp_path / "run.gradviz"), level="all"))
    assert result.problem == ""
    with gradviz.load(tmp_path / "run.gradviz") as trace:
        first = trace.steps[0].record
        assert first.op == "remainder"
        (source,) = [each for each in trace.records.sources if each.path == str(path)]
        lines = source.text.splitlines()
        assert lines[first.location.line - 1] == "y = (x"
        assert "# Cell 4" in lines
        # The cells above are not recorded.
        assert [each.text for each in trace.records.console] == ["tensor([1., 1.])\n"]


def test_a_cell_that_raises_names_its_line(tmp_path: Path) -> None:
    path = written(tmp_path, *CELLS)
    result = run(RunRequest(offer=offers(path)["Cell 6"], trace=str(tmp_path / "a.gradviz")))
    assert result.problem.startswith("AttributeError (note book.ipynb, line 22): ")
    assert result.line == 22


@pytest.mark.parametrize("above", ["1 / 0", "if:"])
def test_a_cell_above_that_cannot_be_run_is_named(above: str, tmp_path: Path) -> None:
    path = written(tmp_path, "a = 1", above, "b = 2")
    result = run(RunRequest(offer=offers(path)["Cell 3"], trace=str(tmp_path / "a.gradviz")))
    assert result.problem.startswith("Cell 2 cannot be run: ")
    assert "line 5" in result.problem
    assert result.line == 5


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "a.ipynb is not a Jupyter notebook of version 4."),
        ("[]", "a.ipynb is not a Jupyter notebook of version 4."),
        ('{"cells": []}', "a.ipynb contains no code."),
        (
            '{"cells": [], "metadata": {"language_info": {"name": "R"}}}',
            "a.ipynb is a notebook for R; only Python can be run.",
        ),
        ("{", "a.ipynb: Expecting property name"),
        ("[" * 100_000, "a.ipynb is too deeply nested to be read."),
        ('{"cells": [3, null, {"cell_type": "code", "source": [5]}]}', "contains no code."),
        ('{"cells": [], "metadata": [{}]}', "a.ipynb contains no code."),
        ('{"cells": [], "metadata": {"language_info": []}}', "a.ipynb contains no code."),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_notebook_gets_a_sentence(
    text: str | None, problem: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / "a.ipynb").write_text(text)
    described = describe(DescribeRequest(path=str(tmp_path / "a.ipynb")))
    assert problem in described.problem
    assert described.is_broken


def test_a_cell_has_no_jacobians(tmp_path: Path) -> None:
    subject = RunSubject(path=str(written(tmp_path, *CELLS)), name="cell_1")
    with pytest.raises(WorkError, match="A cell of a notebook has no Jacobians"):
        load(subject, checked=True)


@pytest.mark.parametrize(
    ("source", "text", "magics"),
    [
        ("a = b\\\n% c", "a = b\\\n% c", ()),
        ("if x:\n    !ls", "if x:\n    pass  # !ls", ("!ls",)),
        ("files = !ls\nx?", "# files = !ls\n# x?", ("files = !ls", "x?")),
        ("%%html\n<b>%x</b>", "# %%html\n# <b>%x</b>", ("%%html",)),
        ("%%capture out\nprint(1)", "# %%capture out\nprint(1)", ("%%capture out",)),
    ],
)
def test_magics_become_comments(source: str, text: str, magics: tuple[str, ...]) -> None:
    assert without_magics(source) == (text, magics)
