"""Folded groups of the page in Chromium: what opens and closes them, and what they show."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.appearance.palette import color
from gradviz.drawing.content.drawn_graph import DrawnGraph, group_graph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.page import drawing as page_drawing
from gradviz.export.page.document import notebook_html, run_page
from tests.drawing.graphs import layered, users_of_one, with_backward
from tests.export.page.browser_page import numbers, opened, wait_until
from tests.export.page.folded_run import folded_run
from tests.export.page.page_shapes import laid_out


@pytest.fixture(scope="module")
def layers_page() -> str:
    """The page of 30 layers, whose graph has one folded group with a group for each layer."""
    return run_page(with_backward(layered(30)))


@pytest.fixture(scope="module")
def folded_page() -> str:
    """The page of 26 layers with values, compared with itself."""
    index = folded_run()
    return run_page(index, comparison=compare_runs(index, index))


def path(tab: Any) -> list[str]:
    """The path above the graph; a folded group at its end is in parentheses."""
    return tab.evaluate(
        "[...document.querySelectorAll('#path > :not(.muted)')]"
        ".map((e) => e.className === 'folded' ? `(${e.textContent})` : e.textContent)"
    )


def box(tab: Any, title: str) -> Any:
    """The folded group with a title in the shown drawing."""
    return tab.locator("#graph").get_by_role(
        "button", name=re.compile(rf" Open {re.escape(title)}( ·|$)")
    )


def test_keys_open_and_close_groups_and_name_them(
    tab: Any, tmp_path: Path, layers_page: str
) -> None:
    opened(tab, tmp_path / "run.html", layers_page, "4")
    focused = tab.locator(":focus")
    assert path(tab) == ["Graph", "(layers.0–29)"]
    tab.locator("#path button").focus()
    assert (
        focused.get_attribute("aria-label")
        == "Open layers.0–29 · 30 × Layer · 120 nodes · 60 leaves"
    )
    # From the path to the only folded box of the graph, which need not be scrolled.
    tab.keyboard.press("Tab")
    group = focused.get_attribute("id")
    assert focused.evaluate("e => e.getAttribute('role')") == "button"
    tab.keyboard.press("Enter")
    assert path(tab) == ["Graph", "layers.0–29", "(layers.0)"]
    assert tab.get_by_role("region", name="Graph: layers.0–29").evaluate(
        "e => e === document.activeElement"
    )
    # The first box in the order of the graph is a layer; the arrow keys still step.
    tab.keyboard.press("Tab")
    name = focused.get_attribute("aria-label")
    tab.keyboard.press(" ")
    # The name begins with what is read in the box.
    assert name.startswith("layers.")
    assert name.endswith(f"Open {path(tab)[2]} · Layer · 4 nodes · 2 leaves")
    tab.keyboard.press("Escape")
    assert path(tab)[:2] == ["Graph", "layers.0–29"]
    assert focused.get_attribute("aria-label") == name
    tab.keyboard.press("Escape")
    assert path(tab) == ["Graph", "(layers.0–29)"]
    assert focused.get_attribute("id") == group
    tab.keyboard.press("Escape")
    assert tab.evaluate("location.hash") == "#4"
    assert "Esc: close it." in tab.locator("#remarks").inner_text()


def test_the_walk_enters_and_leaves_open_groups(tab: Any, tmp_path: Path, layers_page: str) -> None:
    opened(tab, tmp_path / "run.html", layers_page, "4")
    box(tab, "layers.0–29").click()
    box(tab, "layers.0").click()
    now = tab.locator("#graph [id^=halo-]:visible")

    def marked() -> list[str]:
        return [each.get_attribute("id") for each in now.all()]

    assert path(tab) == ["Graph", "layers.0–29", "layers.0"]
    assert marked() == ["halo-n7"]
    # Out of the layer, into the next one, which is folded in the drawing around both.
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert path(tab) == ["Graph", "layers.0–29", "(layers.1)"]
    assert len(marked()) == 1
    assert box(tab, "layers.1").get_attribute("id") == marked()[0].removeprefix("halo-")
    # Back into it: what was opened stays open.
    tab.keyboard.press("ArrowLeft")
    assert path(tab) == ["Graph", "layers.0–29", "layers.0"]
    tab.keyboard.press("Home")
    assert path(tab) == ["Graph"]
    # The backward pass comes by here too.
    tab.evaluate("location.hash = '#307'")
    wait_until(tab, "places[current].path === '307'")
    assert path(tab) == ["Graph", "layers.0–29", "layers.0", "(linear)"]
    # A place that is opened by hand stays until the walk goes on.
    tab.get_by_role("button", name="Back to the whole graph").click()
    assert path(tab) == ["Graph", "(layers.0–29)"]
    tab.keyboard.press("ArrowLeft")
    assert path(tab) == ["Graph", "(layers.0–29)"]
    box(tab, "layers.0–29").click()
    box(tab, "layers.7").click()
    assert path(tab) == ["Graph", "layers.0–29", "layers.7"]
    assert marked() == []
    tab.locator("#theme").click()
    assert path(tab) == ["Graph", "layers.0–29", "layers.7"]
    # The next layer is beside it.
    box(tab, "layers.8").click()
    assert path(tab) == ["Graph", "layers.0–29", "layers.8"]
    tab.keyboard.press("ArrowRight")
    assert path(tab) == ["Graph", "layers.0–29", "(layers.0)"]
    # Both stay open.
    tab.evaluate("location.hash = '#33'")
    wait_until(tab, "places[current].path === '33'")
    assert path(tab) == ["Graph", "layers.0–29", "layers.7"]
    tab.keyboard.press("ArrowRight")
    assert path(tab) == ["Graph", "layers.0–29", "layers.8", "(linear)"]


@pytest.mark.sweep
def test_a_step_without_a_node_changes_nothing_and_the_end_shows_the_graph(
    tab: Any, tmp_path: Path
) -> None:
    trace = with_backward(layered(14)).trace
    (relu,) = (each for each in trace.steps if each.number == 4)
    without = replace(relu, node=None, nodes=())  # type: ignore[call-arg]
    steps = tuple(without if each is relu else each for each in trace.steps)
    page = run_page(index_trace(replace(trace, steps=steps)))
    opened(tab, tmp_path / "run.html", page, "3")
    for _ in range(2):
        tab.locator("#path .folded").click()
    inner = ["Graph", "layers.0", "linear"]
    assert path(tab) == inner
    tab.keyboard.press("ArrowRight")
    assert path(tab) == inner
    assert tab.locator("#graph [id^=halo-]:visible").count() == 0
    tab.keyboard.press("ArrowRight")
    assert path(tab) == inner[:2]
    tab.keyboard.press("End")
    assert path(tab) == ["Graph"]


def test_nodes_of_the_shown_drawing_lead_to_steps(
    tab: Any, tmp_path: Path, layers_page: str
) -> None:
    opened(tab, tmp_path / "run.html", layers_page, "2")
    for _ in range(3):
        tab.locator("#path .folded").click()
    assert path(tab) == ["Graph", "layers.0–29", "layers.0", "linear"]
    tab.locator("#groups summary").focus()
    tab.keyboard.press("Enter")
    assert tab.locator("#nodes li").all_text_contents() == [
        "weight · step 310",
        "TBackward0 · step 2 · step 309",
        "weight · step 308",
        "AddmmBackward0 · step 3 · step 307",
    ]
    (current,) = tab.locator("#nodes li.now").all()
    assert current.locator("[aria-current=step]").text_content() == "step 2"
    for _ in range(3):
        tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")
    wait_until(tab, "places[current].path === '309'")
    assert path(tab) == ["Graph", "layers.0–29", "layers.0", "linear"]
    assert current.locator("[aria-current=step]").text_content() == "step 309"
    # On a phone, neither the heading nor the controls cover what has the focus.
    tab.set_viewport_size({"width": 390, "height": 800})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.locator("#groups > summary").focus()
    covered = """() => {
      const rect = (each) => each.getBoundingClientRect();
      const {top, bottom} = rect(document.activeElement);
      const controls = rect(document.getElementById("controls"));
      return top < rect(document.querySelector("#groups > summary")).bottom - 1
        || bottom > controls.top + 1;
    }"""
    for key in (*["Tab"] * 6, *["Shift+Tab"] * 5):
        tab.keyboard.press(key)
        assert not tab.evaluate(covered), (key, tab.locator(":focus").text_content())


@pytest.mark.sweep
def test_contents_are_where_the_layout_puts_them(
    tab: Any, tmp_path: Path, folded_page: str
) -> None:
    index = folded_run()
    opened(tab, tmp_path / "run.html", folded_page, "100")
    whole = drawn_graph(index)
    assert isinstance(whole, DrawnGraph)
    (key,) = (node.group for node in whole.nodes if node.title == "3")
    whole = drawn_graph(index, folds=FoldState(opened=frozenset([key])))
    assert isinstance(whole, DrawnGraph)
    figure = laid_out(index, group_graph(whole, key))
    box(tab, "3").click()
    first = """(id) => {
      const shape = document.querySelector(`[id="${id}"] > :not(.off)`);
      const box = shape.getBBox();
      return [box.x, box.y, box.width, box.height];
    }"""
    checked = [node for node in figure.graph.nodes if node.kind in ("builtin", "saved")]
    assert len(checked) == 2
    for node in checked:
        rect = figure.boxes[node.id]
        assert tab.evaluate(first, node.id) == [rect.x, rect.y, rect.width, rect.height]
    # Its colors follow the theme of the page.
    (saved,) = (node for node in checked if node.kind == "saved")
    look = "e => getComputedStyle(e).fill"
    for theme in ("light", "dark"):
        fill = tab.locator(f"[id='{saved.id}'] text").first.evaluate(look)
        assert fill == "rgb({}, {}, {})".format(*bytes.fromhex(color("saved_text", theme)[1:]))
        tab.locator("#theme").click()


def test_quiz_mode_hides_answers_in_the_contents_too(
    tab: Any, tmp_path: Path, folded_page: str
) -> None:
    index = folded_run()
    square = next(
        step
        for step in index.visits[
            max(n for n, each in index.node.items() if each.name == "SquareBackward")
        ]
    )
    opened(tab, tmp_path / "run.html", folded_page, f"{square}?quiz")
    tab.locator("#path .folded").click()
    shown = tab.locator("#graph text:visible").all_text_contents()
    assert "grad_x ?" in shown
    tab.keyboard.press("ArrowRight")
    answer = tab.locator("#graph text:visible").all_text_contents()
    assert "grad_x ?" not in answer
    assert "grad_x 1×2" in answer
    assert numbers(tab, "returned")
    tab.keyboard.press("h")
    assert tab.locator("#graph text:visible").all_text_contents() == shown
    # Closed and opened again, it still hides the answer.
    tab.keyboard.press("Escape")
    tab.locator("#path .folded").click()
    assert tab.locator("#graph text:visible").all_text_contents() == shown


@pytest.mark.sweep
def test_paper_has_the_whole_graph(tab: Any, tmp_path: Path, layers_page: str) -> None:
    opened(tab, tmp_path / "run.html", layers_page, "4")
    box(tab, "layers.0–29").click()
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    articles = tab.locator("#handout article")
    assert "SumBackward0" in articles.nth(3).locator("svg").text_content()
    assert articles.locator("[id], [tabindex], [role=button]").count() == 0
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    assert path(tab) == ["Graph", "layers.0–29", "(layers.0)"]
    assert tab.locator("#graph").is_visible()
    # What has the focus keeps it.
    box(tab, "layers.7").focus()
    assert tab.evaluate(
        """() => {
          const [focused, top] = [document.activeElement, part("picture").scrollTop];
          for (const name of ["beforeprint", "afterprint"]) dispatchEvent(new Event(name));
          return top > 0 && part("picture").scrollTop === top && document.activeElement === focused;
        }"""
    )


@pytest.mark.sweep
def test_links_from_a_comparison_lead_into_open_groups(
    tab: Any, tmp_path: Path, folded_page: str
) -> None:
    opened(tab, tmp_path / "run.html", folded_page, "compare")
    tab.evaluate("location.hash = '#2'")
    wait_until(tab, "places[current].path === '2'")
    assert path(tab) == ["Graph", "(0)"]
    tab.locator("#path .folded").click()
    tab.locator("#tab-compare").click()
    tab.keyboard.press("Escape")
    tab.evaluate("location.hash = '#3'")
    wait_until(tab, "places[current].path === '3'")
    assert path(tab) == ["Graph", "0"]


@pytest.mark.sweep
def test_groups_open_in_a_notebook(chromium: Any, tmp_path: Path) -> None:
    html = notebook_html(with_backward(layered(14)))
    context = chromium.new_context(viewport={"width": 1000, "height": 900})
    tab, trouble = context.new_page(), []
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("console", lambda message: trouble.append(message.text))
    opened(tab, tmp_path / "notebook.html", f"<!DOCTYPE html><html><body>{html}</body></html>")
    frame = tab.frame_locator(".gradviz-page")
    frame.get_by_role("button", name="Open layers.0 ·").click()
    frame.locator("#groups summary").click()
    frame.locator("#nodes a").first.click()
    assert frame.locator("#path > :not(.muted)").all_text_contents() == ["Graph", "layers.0"]
    context.close()
    assert trouble == []


def test_hostile_names_of_groups_stay_text(tab: Any, tmp_path: Path) -> None:
    hostile = '"></template><img>'
    trace = with_backward(layered(14)).trace
    modules = tuple(
        replace(each, path=each.path.replace("layers.", hostile + "."), class_name=hostile)
        for each in trace.modules
    )
    index = index_trace(replace(trace, modules=modules))
    opened(tab, tmp_path / "run.html", run_page(index), "4")
    for depth in range(2):
        tab.locator("#graph").get_by_role("button").nth(0).click()
        assert len(path(tab)) > depth + 1
    assert tab.locator("img").count() == 0
    assert hostile in tab.locator("#graph").text_content()
    assert hostile in tab.locator("#path").text_content()
    assert hostile in tab.locator("#nodes-of").text_content()


@pytest.mark.sweep
def test_a_group_whose_title_says_all_has_no_other_text(tab: Any, tmp_path: Path) -> None:
    # Many nodes of one kind in a row.
    page = run_page(with_backward(users_of_one("builtin", 100)))
    opened(tab, tmp_path / "run.html", page, "4")
    box(tab, "MmBackward0 × 100").click()
    assert tab.locator("#nodes-of").text_content() == "MmBackward0 × 100"


def test_groups_without_a_drawing_are_counted_and_not_offered(
    tab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_drawing, "MOST_GROUP_MARKUP", 150_000)
    page = run_page(with_backward(layered(30)))
    opened(tab, tmp_path / "run.html", page, "1")
    box(tab, "layers.0–29").click()
    count = tab.evaluate("Object.keys(run.drawings).length - 1")
    assert 1 < count < 31
    # The outer group and the first layers; the layers after them, and the module in each of these.
    assert (
        "The contents of 30 folded groups are not in this page"
        in tab.locator("#notices").text_content()
    )
    assert tab.locator("#graph [role=button]").count() == count - 1
    # The nodes of the others are listed with those of the drawing around them.
    assert tab.locator("#nodes li").count() == (30 - (count - 1)) * 6
