"""A notebook opens without running, at the cell that it is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver

CELLS = (
    "import torch",
    "x = torch.tensor([1.0, 2.0], requires_grad=True)\nopen({marker!r}, 'w')",
    "(x * x).sum().backward()",
    "x.grad",
)


@pytest.mark.quick
def test_run_executes_the_cell_that_a_notebook_opens_at(
    driver: WindowDriver, tmp_path: Path
) -> None:
    marker, path = tmp_path / "ran", tmp_path / "a.ipynb"
    sources = [each.format(marker=str(marker)) for each in CELLS]
    cells = [{"cell_type": "code", "source": each, "metadata": {}} for each in sources]
    path.write_text(json.dumps({"cells": cells, "nbformat": 4, "metadata": {}}))
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    notice = driver.window.parts[GraphPanel].notice
    assert notice.text.startswith(
        "Cell 3: (x * x).sum().backward(): a.ipynb was only read, not run."
    )
    assert driver.window.messages.text == ""
    assert not marker.exists()
    notice.button.click()
    driver.wait()
    index = driver.state.index
    assert index is not None
    assert index.trace.origin.subject == "a.ipynb:cell_3"
    assert marker.exists()
