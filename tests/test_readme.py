"""The README in other languages has the commands, links and pictures of the English one."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from gradviz.catalogue.language import available_languages

ROOT = Path(__file__).parents[1]
_CODE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_KEPT = {
    "links": re.compile(r"\]\((?!README)([^)]*)\)"),
    "options": re.compile(r"--[a-z][a-z-]+"),
    "headings": re.compile(r"^#+ ", re.MULTILINE),
    "steps": re.compile(r"^\d+\. ", re.MULTILINE),
    "rows": re.compile(r"^\|", re.MULTILINE),
}


def kept_parts(name: str) -> dict[str, object]:
    """What a translation leaves as it is, by its kind."""
    source = (ROOT / name).read_text("utf-8")
    text = _CODE.sub("", source)
    found = {kind: Counter(pattern.findall(text)) for kind, pattern in _KEPT.items()}
    return {**found, "code": _CODE.findall(source)}


@pytest.mark.parametrize("language", available_languages()[1:])
def test_the_readme_is_the_same_in_every_language(language: str) -> None:
    name = f"README.{language}.md"
    assert f"({name})" in (ROOT / "README.md").read_text("utf-8")
    assert kept_parts(name) == kept_parts("README.md")
