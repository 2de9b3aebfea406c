"""The page contains the guide's page of its scene, or those about what was found in the run."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.position_paths import position_path
from gradviz.catalogue.language import load_language, use_language
from gradviz.export.page.document import run_page
from gradviz.export.page.guide_articles import guide_articles
from gradviz.export.page.page_steps import page_parts
from gradviz.export.page.run_data import places_of, run_data
from gradviz.export.steps.html import steps_html
from gradviz.gallery.guide.pages import page_title
from gradviz.model.finding import Finding
from gradviz.model.trace import Trace
from tests.builders import linear_trace
from tests.export.check_reports import REPORT
from tests.inside_builder import INSIDE_TENSORS, inside_trace

INSIDE = {record.id: value for record, value in INSIDE_TENSORS}


@pytest.fixture
def english() -> Iterator[None]:
    yield
    use_language("en", {})


def run_of(subject: str, trace: Trace) -> Trace:
    return replace(trace, origin=replace(trace.origin, subject=subject))


def article_in(page: str) -> str:
    (found,) = re.findall(r'<article id="guide-page">(.*?)</article>', page, re.DOTALL)
    return str(found)


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_the_guide_is_in_the_language_of_the_page(language: str) -> None:
    load_language(language)
    index = index_trace(run_of("scene:linear", inside_trace()), INSIDE.get)
    page = run_page(index)
    assert f'<html lang="{language}">' in page
    article = article_in(page)
    assert article.startswith(
        f'<section data-page="linear"><h2>{page_title("linear", language)}</h2>'
    )
    assert len(page.encode()) < 250_000
    paths = {position_path(place) for place in places_of(index, range(1, 9), 8)}
    links = re.findall(r'<a href="#(.*?)">', article)
    assert len(links) >= 7
    assert "5/backward/line4" in links
    assert set(links) <= paths


def test_links_lead_to_the_step_if_the_run_lacks_the_place_in_it() -> None:
    trace = linear_trace()
    article = guide_articles(index_trace(trace), {"1", "5"})
    assert re.findall(r'href="#(.*?)"', article) == ["1", "5", "5"]
    assert "sum (step 2) makes the scalar" in article
    wrong = run_of("scene:linear-wrong", trace)
    assert "(check of order 1)" in guide_articles(index_trace(wrong), ())
    checked = replace(wrong, reports=(REPORT,))
    assert '<a href="#jacobians">' in guide_articles(index_trace(checked), ())


@pytest.mark.parametrize("subject", ["model.py:EXAMPLES", "scene:../../en/linear", "scene:", ""])
def test_other_runs_without_problems_have_no_guide(subject: str) -> None:
    index = index_trace(run_of(subject, inside_trace()), INSIDE.get)
    assert article_in(run_page(index)) == ""


def test_a_run_with_an_error_has_the_page_about_it_and_findings_lead_there() -> None:
    found = (
        Finding(id=1, code="freed_graph", severity="error", message="Freed.", step=8, node=None),
        Finding(id=2, code="unheard_of", severity="error", message="Unknown.", step=8, node=None),
    )
    trace = replace(run_of("model.py:EXAMPLES", inside_trace()), findings=found)
    index = index_trace(trace, INSIDE.get)
    pages = [each["page"] for each in run_data(index, page_parts(index))["findings"]]
    assert sorted(pages, key=str) == [None, "carried-state"]
    article = article_in(run_page(index))
    assert article.startswith(
        f'<section data-page="carried-state"><h2>{page_title("carried-state")}'
    )
    # The steps are those of the page's own program, and another page is not there.
    assert "<a " not in article


def test_a_notebook_without_scripts_names_the_page_below_the_findings() -> None:
    found = Finding(id=1, code="freed_graph", severity="error", message="F", step=8, node=None)
    index = index_trace(replace(inside_trace(), findings=(found,)), INSIDE.get)
    shown, _, folded = steps_html(index).partition("<details")
    assert "gradviz guide carried-state" in shown
    assert "gradviz guide carried-state" in folded
