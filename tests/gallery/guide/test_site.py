"""The documentation site shows the guide's pages with formulas, code and links."""

from __future__ import annotations

import re

import pytest

from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.guide.pages import page
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.registry import SCENES
from tools.site.gallery import gallery_index
from tools.site.guide_markdown import guide_markdown

TEXT = """# A *title*

Both `x < y` and $x^2$: see [the cube](page:cube), [its step](step:2 "sum") and **more**.

## The first_name

1. `{{[1, 2]|step 1 output output}}`

```python
x = 1
```
"""


def test_a_page() -> None:
    text = guide_markdown(read_page("cube", TEXT))
    heading, paragraph, second, items, code = text.strip().split("\n\n")
    assert heading == r"# A \*title\*"
    assert paragraph.startswith("<p>Both <code>x &lt; y</code> and <math")
    assert '<a href="cube.html">the cube</a>' in paragraph
    assert "its step (step 2)" in paragraph
    assert paragraph.endswith("<strong>more</strong>.</p>")
    assert second == r"## The first\_name"
    assert items == "<ol><li><code>[1, 2]</code></li></ol>"
    assert code == "````python\nx = 1\n````"


@pytest.mark.parametrize("name", ["linear", "rules", "common-mistakes"])
def test_links_lead_to_pages(name: str) -> None:
    text = guide_markdown(page(name))
    linked = set(re.findall(r'href="([^"]+)\.html"', text))
    assert linked
    assert linked <= set(PAGES)


def test_the_gallery_lists_each_scene_once_below_its_heading() -> None:
    found = gallery_index()
    links = re.findall(r"^- \[.*?\]\((.*?)\.html\)", found, re.MULTILINE)
    assert links == [scene.id for scene in SCENES]
    headings = re.findall(r"^## (.*)$", found, re.MULTILINE)
    assert headings == list(dict.fromkeys(scene.group.title for scene in SCENES))
