"""Quiz mode of the page in Chromium: what it hides, and what reveals it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.export.page.document import run_page
from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.export.check_reports import REPORT, TENSORS
from tests.export.page.browser_page import numbers, opened, sentence

LINEAR = {record.id: value for record, value in LINEAR_TENSORS}


def quiz_page(secret: float) -> str:
    """The run `linear`, whose step 5 says its secret in values, output and a finding."""
    record, value = tensor(8, np.full((2, 3), secret))
    trace = linear_trace()
    tensors = tuple(record if each.id == 8 else each for each in trace.tensors)
    console = ConsoleText(
        id=9, step=5, stream="stdout", activity="run", text=f"the secret is {secret}\n"
    )
    finding = Finding(
        id=1,
        code="silent_reduction",
        severity="warning",
        message=f"The secret {secret} was summed.",
        step=5,
        node=1,
    )
    trace = replace(trace, tensors=tensors, console=(console,), findings=(finding,))
    values = {**LINEAR, 8: value}
    matrices = {each.id: found for each, found in TENSORS}
    trace = replace(trace, reports=(REPORT,))
    return run_page(index_trace(trace, lambda n: matrices.get(n) or values[n]))


def shown_texts(tab: Any) -> list[str]:
    graph = tab.locator("#graph text:visible").all_text_contents()
    names = tab.evaluate("[...document.querySelectorAll('[aria-label]')].map((e) => e.ariaLabel)")
    parts = ("header", "#sentence-box", "#values", "#code-box", "#remarks", "#controls")
    return [*(tab.locator(each).inner_text() for each in parts), *graph, *names]


def test_quiz_hides_the_answer_until_it_is_revealed(tab: Any, tmp_path: Path) -> None:
    looks = []
    for secret in (86.25, -3.0):
        opened(tab, tmp_path / f"{secret}.html", quiz_page(secret), "5?quiz")
        looks.append(shown_texts(tab))
    assert looks[0] == looks[1]
    asked = "What does LinearFunction.backward return for grad_output 2×3 (all ones)?"
    assert sentence(tab) == asked
    assert tab.locator("#where").text_content() == "Backward · Step 5 of 8 · hidden until revealed"
    shown = tab.locator("#graph text:visible").all_text_contents()
    assert {"grad_input ?", "grad_weight ?", "grad_output 2×3"} <= set(shown)
    assert numbers(tab, "incoming") == [["1"]]
    hidden = tab.locator(".returned").get_by_role("img", name="hidden until revealed")
    assert hidden.all_text_contents() == ["?", "?", "?"]
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("places[current].path") == "5"
    tab.locator("#tab-jacobians").click()
    assert tab.locator("#jacobians").inner_text() == (
        "Hidden until the gradient of this step is revealed."
    )
    tab.locator("#tab-run").click()
    # A key reveals, and goes on only then.
    tab.keyboard.press("ArrowRight")
    assert sentence(tab).startswith("LinearFunction.backward receives")
    assert numbers(tab, "returned")[1] == ["-3"]
    assert tab.get_by_text("The secret -3.0 was summed.").count() == 2
    assert tab.locator(".group pre").text_content() == "the secret is -3.0\n"
    tab.keyboard.press("ArrowDown")
    assert tab.evaluate("places[current].path") == "5/backward"
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("[location.hash, level]") == ["#5/engine?quiz", "stage"]
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("[location.hash, level]") == ["#6?quiz", "node"]
    # What was revealed stays so, until H hides it again.
    tab.keyboard.press("ArrowLeft")
    assert not tab.locator("#reveal").is_visible()
    tab.keyboard.press("h")
    assert sentence(tab) == asked
    tab.locator("#reveal").focus()
    tab.keyboard.press("Enter")
    assert sentence(tab) != asked
    assert tab.evaluate("document.activeElement.id") == "next"
    tab.keyboard.press("h")
    tab.locator(".returned").click()
    assert sentence(tab) != asked
    tab.keyboard.press("h")
    tab.locator("#quiz").click()
    assert sentence(tab) != asked
    assert tab.evaluate("location.hash") == "#5"
    tab.locator("#quiz").click()
    assert sentence(tab) == asked
    assert tab.locator("#quiz").get_attribute("aria-pressed") == "true"
    tab.keyboard.press("Home")
    tab.keyboard.press("End")
    tab.keyboard.press("Home")
    assert "secret" in tab.locator("#remarks").inner_text()


def test_paper_hides_what_the_screen_hides(tab: Any, tmp_path: Path) -> None:
    papers = []
    for secret in (86.25, -3.0):
        opened(tab, tmp_path / f"{secret}.html", quiz_page(secret), "5?quiz")
        shown = shown_texts(tab)
        tab.evaluate("dispatchEvent(new Event('beforeprint'))")
        steps = tab.locator("#handout article")
        papers.append(steps.all_text_contents())
        assert steps.locator(".sentence").last.text_content() == sentence(tab)
        assert tab.locator("#handout > p").text_content() == "3 more steps are not printed."
        tab.evaluate("dispatchEvent(new Event('afterprint'))")
        assert shown_texts(tab) == shown
    assert papers[0] == papers[1]
    assert len(papers[0]) == 5
    assert "hidden until revealed" in papers[0][4]
    assert "grad_weight ?" in papers[0][4]
    # What is revealed is printed, also after the current step.
    tab.keyboard.press("End")
    tab.keyboard.press("Home")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert steps.count() == 8
    assert "grad_weight 2×3" in steps.nth(4).text_content()
    assert "The secret -3.0 was summed." in steps.nth(4).text_content()


def test_quiz_hides_comparison_and_facts_until_all_steps_are_revealed(
    tab: Any, tmp_path: Path
) -> None:
    trace = linear_trace()
    trace = replace(trace, origin=replace(trace.origin, subject="scene:linear"))
    index = index_trace(trace, LINEAR.get)
    page = run_page(index, comparison=compare_runs(index, index))
    opened(tab, tmp_path / "run.html", page, "compare?quiz")
    assert tab.locator("#compare").inner_text() == (
        "Hidden in quiz mode until all steps are revealed."
    )
    tab.locator("#tab-guide").click()
    guide = tab.locator("#guide-page")
    hint = "Hidden in quiz mode until all steps are revealed."
    marks = guide.get_by_role("img", name=hint).count()
    assert marks == guide.locator(".hidden-value").count() > 5
    # Not in a tip either.
    assert guide.locator(".formula, [title*='recorded from']").count() == 0
    formulas = guide.locator("math").count()
    tab.locator("#tab-run").click()
    tab.keyboard.press("End")
    assert guide.locator(".hidden-value").count() == 0
    assert guide.locator(".fact, .formula").count() == marks
    assert guide.locator("math").count() > formulas
    tab.keyboard.press("Home")
    tab.keyboard.press("h")
    assert guide.locator(".hidden-value").count() == marks
    tab.keyboard.press("End")
    tab.locator("#tab-compare").click()
    assert tab.locator("#compare .outcome").is_visible()
    assert not tab.locator("#compare .quiz-hint").is_visible()
