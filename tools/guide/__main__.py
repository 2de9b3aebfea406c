"""``make guide``: fills in the guide's numbers, and draws its graphs and formulas."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from gradviz.catalogue.language import available_languages, load_language
from gradviz.gallery.guide.facts import facts_in, fill_facts
from gradviz.gallery.guide.formulas import FORMULAS
from gradviz.gallery.guide.pages import page, page_names, page_source
from gradviz.gallery.guide.pictures import FigureDrawing, picture_key
from gradviz.gallery.guide.traversal import graphs_on
from gradviz.resource import resource_path
from tools.guide.formulas import formulas_json, formulas_of
from tools.guide.pictures import drawn_graph, write_pictures
from tools.guide.query import QueryError, answer
from tools.guide.recordings import Recordings


def main(names: list[str]) -> int:
    """Rewrites the pages of these names and their graphs in all languages; 1 if a query is wrong.

    Without names, these are all pages. All formulas are rendered anew.
    """
    wrong = 0
    formulas: set[tuple[str, bool]] = set()
    for language in available_languages():
        load_language(language)
        with tempfile.TemporaryDirectory(prefix="gradviz-guide-") as folder:
            # A trace stores its findings and diagnoses in the language of its recording.
            recordings = Recordings(Path(folder))
            try:
                wrong += sum(_fill(name, language, recordings) for name in names or page_names())
                page.cache_clear()
                write_pictures(_drawn(names or page_names(), language, recordings), language)
            finally:
                recordings.close()
        formulas |= formulas_of(language)
    resource_path(FORMULAS).write_text(formulas_json(formulas), encoding="utf-8")
    return min(wrong, 1)


def _drawn(names: Iterable[str], language: str, recordings: Recordings) -> dict[str, FigureDrawing]:
    """Draws the graphs on pages."""
    return {
        picture_key(name, each.step): drawn_graph(recordings.run(name), each.step)
        for name in names
        for each in graphs_on(page(name, language))
    }


def _fill(name: str, language: str, recordings: Recordings) -> int:
    """Fills in one page; returns how many queries had no answer and kept their text."""
    text = page_source(name, language)
    answers: dict[str, str] = {}
    wrong = 0
    for line, fact in facts_in(text):
        try:
            answers[fact.query] = answer(fact.query, name, recordings)
        except QueryError as error:
            answers[fact.query] = fact.text
            wrong += 1
            sys.stderr.write(f"{language}/{name}.md:{line}: {fact.query}: {error}\n")
    new = fill_facts(text, lambda query: answers[query])
    if new != text:
        resource_path(f"guide/{language}/{name}.md").write_text(new, encoding="utf-8")
        sys.stdout.write(f"{language}/{name}.md: filled in anew\n")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
