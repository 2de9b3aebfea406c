"""Each error of autograd has a page, whose program shows it, and which torch's message finds."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

import gradviz
from gradviz.catalogue.error_pages import ERROR_PAGES, RAISED_ERRORS, SILENT_ERRORS
from gradviz.catalogue.finding_kinds import finding_kind
from gradviz.catalogue.language import available_languages, load_language
from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.gallery.guide.contents import PAGES, PROGRAM_PAGES
from gradviz.gallery.guide.facts import facts_in
from gradviz.gallery.guide.pages import page, page_source, page_text, page_title, pages_about
from gradviz.gallery.guide.pictures import drawn_graph_of
from gradviz.gallery.guide.traversal import graphs_on
from gradviz.gallery.registry import scene
from gradviz.model.step import ErrorStep
from gradviz.model.trace import Trace
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from tests.sweeps import thinned
from tools.guide.pictures import drawn_graph
from tools.guide.recordings import Recordings, programs_of, record_program

_CODE = re.compile(r"""(?:RefusalExplanation\(|code=|\.report\(|problem\()\s*f?"(\w+)[".{]""")
_NUMBER = re.compile(r"-?[\d.]+|nan")
_EXPLAINING = ("recorder/errors", "linter/training", "recorder/training")


def reported_codes() -> set[str]:
    """The codes of all findings about errors of torch and about training, as their sources say."""
    package = Path(gradviz.__file__).parent
    files = [each for folder in _EXPLAINING for each in (package / folder).glob("*.py")]
    return {code for each in files for code in _CODE.findall(each.read_text(encoding="utf-8"))}


def texts_of(svg: str) -> Counter[str]:
    """The texts in a drawing."""
    return Counter(each.text or "" for each in ElementTree.fromstring(svg).iter() if each.text)


def problem_codes(trace: Trace) -> list[str]:
    """The codes of what is said about a run, except that a hook changed a gradient."""
    return [each.code for each in trace.findings if each.code != "gradient_hooked"]


def test_every_error_has_a_page() -> None:
    codes = reported_codes()
    assert {"no_history", "hook_result", "graph_kept", "history_hidden"} <= codes
    assert codes | {"freed_graph", "saved_modified"} == ERROR_PAGES.keys()
    assert [code for code, name in ERROR_PAGES.items() if finding_kind(code).page != name] == []
    assert len(set(ERROR_PAGES.values())) == len(ERROR_PAGES)


def test_every_rule_leads_to_a_page() -> None:
    pages = [finding_kind(rule.code).page for rule in DOCTOR_RULES]
    assert [each for each in pages if each not in PAGES] == []


@pytest.mark.parametrize("language", available_languages())
def test_every_page_is_there_in_each_language_and_listed_in_the_chapter(language: str) -> None:
    load_language(language)
    try:
        chapter = page_text("errors", language)
        rows = [
            f"](page:{name}) | {finding_kind(code).about}" for code, name in ERROR_PAGES.items()
        ]
    finally:
        load_language("en")
    assert [each for each in rows if each not in chapter] == []
    for code, name in ERROR_PAGES.items():
        assert (resource_path("guide") / language / f"{name}.md").is_file()
        assert f"finding {code}" in [fact.query for _, fact in facts_in(page_source(name))]


@pytest.mark.parametrize("code", RAISED_ERRORS)
def test_torchs_message_finds_the_page_first(code: str, recordings: Recordings) -> None:
    name = RAISED_ERRORS[code]
    (error,) = [each for each in recordings.run(name).trace.steps if isinstance(each, ErrorStep)]
    for language in available_languages():
        whole = f"{error.exception}: {error.message}"
        assert pages_about(whole, language)[0] == name
        assert pages_about(page_title(name, language).upper(), language)[0] == name


@pytest.mark.parametrize("language", available_languages())
def test_what_torch_does_not_refuse_is_found_by_its_title(language: str) -> None:
    for name in SILENT_ERRORS.values():
        assert pages_about(page_title(name, language), language)[0] == name


@pytest.mark.parametrize("code", thinned(ERROR_PAGES))
def test_the_program_shows_the_error(code: str, recordings: Recordings) -> None:
    trace = recordings.run(ERROR_PAGES[code]).trace
    assert problem_codes(trace) == [code]
    raised = [each for each in trace.steps if isinstance(each, ErrorStep)]
    assert bool(raised) == (code in RAISED_ERRORS)


@pytest.mark.parametrize("name", thinned(ERROR_PAGES.values()))
def test_the_graph_is_that_of_the_program_at_its_last_step(
    name: str, recordings: Recordings
) -> None:
    index = recordings.run(name)
    if not index.trace.nodes:
        assert graphs_on(page(name)) == ()
        return
    (figure,) = graphs_on(page(name))
    assert figure.step == len(index.trace.steps)
    shown = drawn_graph_of(name, figure.step, "en").svg
    assert texts_of(shown) == texts_of(drawn_graph(index, figure.step).svg), "run make guide"
    for language in available_languages()[1:]:
        translated = drawn_graph_of(name, figure.step, language).svg
        numbers = {each for each in texts_of(shown) if _NUMBER.fullmatch(each)}
        assert numbers <= texts_of(translated).keys()
        assert len(ElementTree.fromstring(translated)[1]) > 3


@pytest.mark.parametrize("name", sorted(set(ERROR_PAGES.values()) - {*PROGRAM_PAGES}))
def test_the_page_of_a_scene_shows_its_program(name: str) -> None:
    (program,) = programs_of(name)
    assert program in inspect.getsource(importlib.import_module(scene(name).module))


@pytest.mark.parametrize("name", thinned(PROGRAM_PAGES))
def test_the_remedy_helps(name: str, tmp_path: Path) -> None:
    first, second = programs_of(name)
    assert first != second
    record_program(second, tmp_path / "run.gradviz")
    with open_trace(tmp_path / "run.gradviz") as reader:
        trace = reader.trace()
    assert trace.steps
    assert problem_codes(trace) == []
    assert [each for each in trace.steps if isinstance(each, ErrorStep)] == []
