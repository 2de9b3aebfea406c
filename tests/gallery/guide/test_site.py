"""The documentation site shows the guide's pages with formulas, code and links."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gradviz.catalogue.language import available_languages, load_language
from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.guide.pages import page
from gradviz.gallery.guide.parser import read_page
from gradviz.gallery.registry import GROUPS, SCENES, scene
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from tools.site.gallery import gallery_index, write_scene
from tools.site.guide_markdown import guide_markdown, guide_pictures
from tools.site.lesson_pages import checked_scenes, lesson_page

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
    assert re.sub("</?span.*?>", "", items) == "<ol><li><code>[1, 2]</code></li></ol>"
    assert 'title="[1, 2]: recorded from the scene cube (step 1 output output)"' in items
    assert code == "````python\nx = 1\n````"


@pytest.mark.parametrize("name", ["linear", "rules", "common-mistakes"])
def test_links_lead_to_pages(name: str) -> None:
    text = guide_markdown(page(name))
    linked = set(re.findall(r'href="([^"]+)\.html"', text))
    assert linked
    assert linked <= set(PAGES)


def test_the_gallery_lists_each_scene_once_below_its_heading() -> None:
    found = gallery_index()
    lessons = re.findall(r"^- \[.*?\]\(lessons/(.*?)\.md\)", found, re.MULTILINE)
    assert lessons == [*LESSONS]
    links = re.findall(r"^- \[.*?\]\(([\w-]*?)\.md\)", found, re.MULTILINE)
    assert links == [scene.id for scene in SCENES]
    headings = re.findall(r"^## (.*)$", found, re.MULTILINE)
    assert headings[0] == "Lessons"
    assert headings[1:] == [group.title for group in GROUPS]


def test_a_graph_is_a_file_for_each_theme() -> None:
    text = guide_markdown(page("nan-masked"))
    shown = re.findall(r"^!\[(.*?)\]\((.*?)#only-(light|dark)\)$", text, re.MULTILINE)
    assert {title for title, _, _ in shown} == {"Graph at step 9: NaN in a gradient"}
    files = dict(guide_pictures(page("nan-masked")))
    assert [name for _, name, _ in shown] == [*files]
    light, dark = files.values()
    assert light != dark
    for svg in (light, dark):
        assert "var(" not in svg
        assert "SqrtBackward0" in svg


def written_scene(folder: Path, name: str) -> str:
    for each in ("pictures", "runs"):
        (folder / each).mkdir()
    write_scene(folder, scene(name))
    return (folder / f"{name}.md").read_text(encoding="utf-8")


def test_the_page_of_a_scene_leads_to_its_files_and_has_the_check_of_a_lesson(
    tmp_path: Path,
) -> None:
    text = written_scene(tmp_path, "linear-wrong")
    assert text.startswith(f"# {scene('linear-wrong').title}\n")
    links = re.findall(r"\]\(([^)#]+)", text)
    inside = [each for each in links if "/" in each and not each.startswith("..")]
    assert {*inside} == {
        "pictures/linear-wrong-dark.svg",
        "pictures/linear-wrong-light.svg",
        "runs/linear-wrong.html",
    }
    files = {name: (tmp_path / name).read_text(encoding="utf-8") for name in inside}
    assert all("LinearFunction" in each for each in files.values())
    assert {*links} - {*inside} == {
        "../guide/linear-wrong.md",
        *(f"{name}.md" for name in scene("linear-wrong").compare_with),
    }

    page = files["runs/linear-wrong.html"]
    assert '<article id="guide-page"><section data-page="linear-wrong"><h2>' in page
    data = page.split('<script type="application/json" id="run">')[1].split("</script>")[0]
    run = json.loads(data)
    steps = [each for each in run["places"] if each["path"].isdecimal()]
    assert run["total"] == len(steps) == 8
    assert len(run["checks"]) == 1


def test_a_run_without_a_graph_has_no_picture(tmp_path: Path) -> None:
    text = written_scene(tmp_path, "scalar-tensor")
    assert "pictures/" not in text
    assert [*(tmp_path / "pictures").iterdir()] == []


def test_a_lesson_has_its_stops_with_hidden_answers() -> None:
    stops = (
        LessonStop(
            headline="The __first__",
            scene="cube",
            step="3/backward",
            question="Is x < {{2|cube: x}}?",
            solution="No, {{3|cube: x}}.\n\nIt is <b>.",
            notes="Wait.",
        ),
        LessonStop(headline="Two", scene="linear-wrong", step="5", tab="jacobians", notes="See."),
        LessonStop(headline="Three", scene="linear-wrong", step="5", compare="linear"),
    )
    head, *parts = lesson_page(Lesson(title="A *lesson*", stops=stops)).strip().split("\n\n")
    assert head == r"# A \*lesson\*"
    assert parts == [
        r"## 1. The \_\_first\_\_",
        "<p><strong>Is x &lt; 2?</strong></p>",
        '<p><a href="../runs/cube.html#3/backward">MyCube: step 3/backward</a></p>',
        "<details><summary>Answer</summary><p>No, 3.</p><p>It is &lt;b&gt;.</p></details>",
        "## 2. Two",
        '<p><a href="../runs/linear-wrong.html#jacobians">LinearFunction, wrong on purpose: '
        "Jacobians</a></p>",
        "<details><summary>Explanation</summary><p>See.</p></details>",
        "## 3. Three",
        '<p><a href="../runs/linear-wrong.html#5">LinearFunction, wrong on purpose: step 5</a>, '
        '<a href="../runs/linear.html#5">LinearFunction, merged: step 5</a></p>',
    ]


@pytest.mark.parametrize("name", available_languages()[1:])
def test_gallery_and_lessons_are_in_the_current_language(name: str) -> None:
    texts = re.compile(r"^#+ (.*)|: (.*)$", re.MULTILINE)
    english = texts.findall(gallery_index())
    load_language(name)
    try:
        found, lesson = texts.findall(gallery_index()), shipped_lesson(LESSONS[0])
        text = lesson_page(lesson)
    finally:
        load_language("en")
    assert not set(english) & set(found)
    assert text.startswith(f"# {lesson.title}\n")
    assert not re.search("Answer|Explanation|: step", text)


def test_every_link_of_a_lesson_leads_to_the_page_of_a_scene() -> None:
    for name in LESSONS:
        lesson = shipped_lesson(name)
        text = lesson_page(lesson)
        linked = re.findall(r'href="\.\./runs/([^"#]+)\.html#([^"]+)"', text)
        assert len(linked) == sum(1 + bool(stop.compare) for stop in lesson.stops)
        assert {scene for scene, _ in linked} <= {scene.id for scene in SCENES}
        assert {scene for scene, place in linked if place == "jacobians"} <= checked_scenes()
        assert text.count("<details>") == len(lesson.stops)
