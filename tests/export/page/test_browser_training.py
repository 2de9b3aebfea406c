"""The page of a training in Chromium: its curves, and the iterations to which they lead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.page.document import run_page
from tests.export.page.browser_page import opened
from tests.training_traces import training_trace


def test_a_training_opens_on_its_curves_which_lead_to_iterations(tab: Any, tmp_path: Path) -> None:
    trace, pairs = training_trace([1.0, 0.5, 0.25], [[2.0], [1.0], [0.5]])
    values = {record.id: value for record, value in pairs}
    opened(tab, tmp_path / "run.html", run_page(index_trace(trace, values.get)))
    assert tab.locator("#training .iterations tr").count() == 4
    assert not tab.locator("#steps").is_visible()
    third = tab.locator("#training svg").first.locator("a").nth(2).bounding_box()
    tab.mouse.click(third["x"] + third["width"] / 2, third["y"] + 5)
    # The browser follows a link a little later.
    tab.get_by_text("Iteration 3 · Update · Step 18 of 18").wait_for()
    where = tab.locator("#where")
    tab.keyboard.press("p")
    assert str(where.text_content()).startswith("Iteration 2 · Update · Step 12 of 18")
    tab.keyboard.press("Home")
    assert tab.locator("#previous-iteration").is_disabled()
    tab.locator("#next-iteration").click()
    assert tab.locator("#iteration").text_content() == "Iteration 2"
    assert tab.locator("#graph").count() == 1
    tab.locator("#tab-training").click()
    assert tab.locator("tr.current").text_content().startswith("2")
