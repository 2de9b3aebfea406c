"""Links between files of the repository lead to the same pages on the site."""

from __future__ import annotations

import posixpath
import re

import pytest

from gradviz.catalogue.diagnoses import DIAGNOSES
from tests.site.pages import PAGES, ROOT, text_of
from tools.site.references import GENERATED, command_help, schema_files
from tools.site.sources import PROJECT, linked_pages, page_path, with_generated_parts

_LINK = re.compile(r"\]\(([^)\s#]+)")
_ELSEWHERE = re.compile(r"https:|(\.\./)?gallery/")
"""The web, and pages that are written from the program, which have no file in the repository."""


@pytest.mark.parametrize(
    ("name", "link", "address"),
    [
        ("docs/how-to/check.md", "doctor.md", "doctor.md"),
        ("docs/how-to/check.md", "../reference/json.md#tensors", "../reference/json.md#tensors"),
        ("docs/how-to/check.md", "../../SECURITY.md", "../project/SECURITY.md"),
        ("docs/index.md", "../resources/guide/en/cube.md", "guide/cube.md"),
        ("CONTRIBUTING.md", "docs/contributing/words.md", "../contributing/words.md"),
        ("CONTRIBUTING.md", "README.md", "../index.md"),
        ("README.de.md", "docs/window.png", "window.png"),
        ("README.de.md", "README.md", "index.md"),
        ("README.de.md", "https://example.org/a.md", "https://example.org/a.md"),
    ],
)
def test_a_link_leads_to_the_page(name: str, link: str, address: str) -> None:
    assert linked_pages(f"See [this]({link}).", name) == f"See [this]({address})."
    assert linked_pages(f"![this]({link})", name) == f"![this]({address})"


def test_a_link_to_a_file_without_a_page_is_its_text() -> None:
    assert linked_pages("See [the tests](tests/schemas).", "README.de.md") == "See the tests."


def test_code_is_left_alone() -> None:
    text = "```python\nx[0](tests/schemas)\n```\n"
    assert linked_pages(text, "CONTRIBUTING.md") == text


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_page_leads_to_a_file_of_the_repository(page: str) -> None:
    """So that the pages can be read there too."""
    for link in _LINK.findall(text_of(page)):
        if not _ELSEWHERE.match(link):
            path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
            assert (ROOT / path).is_file(), link
            assert page_path(path) is not None, link


def test_every_generated_part_is_on_a_page() -> None:
    pages = "".join(map(text_of, PAGES))
    for name in GENERATED:
        mark = f"<!-- generated: {name} -->"
        assert mark in pages
        file = f"a\n\n{mark}\nIt is on the site.\n<!-- end -->\n\nb\n"
        assert with_generated_parts(file) == f"a\n\n{GENERATED[name]()}\n\nb\n"


def test_generated_parts_are_complete() -> None:
    codes = "\n".join(part() for name, part in GENERATED.items() if name.startswith("diagnoses"))
    assert set(re.findall(r"^### `(\w+)`$", codes, re.MULTILINE)) == set(DIAGNOSES)
    assert "## gradviz doctor\n" in command_help()
    assert "--select GV1" in command_help()
    assert {path.name for path in schema_files()} > {"check.schema.json", "steps.schema.json"}


def test_files_at_the_root_exist() -> None:
    for name in PROJECT:
        assert (ROOT / name).is_file()
