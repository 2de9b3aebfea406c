"""Each message on the page about errors of autograd is raised by the program below it."""

from __future__ import annotations

import re

import pytest
import torch

from gradviz.catalogue.error_pages import ERROR_PAGES
from gradviz.gallery.guide.pages import pages_about
from tests.site.pages import text_of

_SECTION = re.compile(r"^## (.+?)\n.*?^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SECTIONS = _SECTION.findall(text_of("reference/errors.md"))


def test_each_section_has_a_program() -> None:
    assert len(SECTIONS) == text_of("reference/errors.md").count("\n## ")
    assert len(SECTIONS) >= 10


def test_no_message_is_one_that_the_guide_explains() -> None:
    chapter = set(ERROR_PAGES.values())
    assert {name for message, _ in SECTIONS for name in pages_about(message)} & chapter == set()


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")
@pytest.mark.parametrize(("message", "program"), SECTIONS, ids=[each for each, _ in SECTIONS])
def test_the_program_raises_the_message(message: str, program: str) -> None:
    with pytest.raises(Exception, match=re.escape(message)):
        exec(program, {"torch": torch})
