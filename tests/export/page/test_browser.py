"""The page in Chromium, offline and under its own policy: keys, links, numbers and names."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.compare.run_comparison import compare_runs
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.palette import color
from gradviz.export.check.html import check_html
from gradviz.export.compare.json_document import compare_document
from gradviz.export.page.document import notebook_html, run_page
from gradviz.export.steps.json_document import steps_document
from gradviz.gallery.guide.pages import page as guide_page
from gradviz.gallery.guide.pages import page_title
from gradviz.gallery.guide.traversal import formulas_on
from gradviz.model.finding import Finding
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.export.check_reports import REPORT, TENSORS
from tests.export.page.browser_page import (
    PATIENCE_MS,
    data_of,
    numbers,
    opened,
    sentence,
    shown_names,
    values_shown,
    wait_until,
)
from tests.inside_builder import INSIDE_TENSORS, inside_trace

INSIDE = {record.id: value for record, value in INSIDE_TENSORS}
LINEAR = {record.id: value for record, value in LINEAR_TENSORS}
MATRICES = {record.id: value for record, value in TENSORS}


def test_keys_walk_through_the_sentences_and_numbers_of_the_trace(tab: Any, tmp_path: Path) -> None:
    trace = inside_trace()
    # A call that has made two nodes, of which only the first has saved tensors.
    first = replace(trace.steps[0], nodes=(1, 2))
    index = index_trace(replace(trace, steps=(first, *trace.steps[1:])), INSIDE.get)
    document = json.loads(json.dumps(steps_document(index, "op")))
    page = run_page(index)
    data = data_of(page)
    whole = [place for place in data["places"] if place["level"] == "node"]
    opened(tab, tmp_path / "run.html", page)
    for step, place in zip(document["steps"], whole, strict=True):
        assert sentence(tab) == step["sentence"]
        assert tab.locator("#sentence").get_attribute("aria-live") == "polite"
        assert shown_names(tab) == [
            each["name"] for _, each in values_shown(data, place) if "name" in each
        ]
        texts = [
            data["tensors"][each["tensor"]]["texts"]
            for _, each in values_shown(data, place)
            if "tensor" in each
        ]
        assert tab.locator("#values td").all_text_contents() == list(chain(*texts))
        tab.keyboard.press("ArrowRight")
    tab.keyboard.press("Home")
    assert sentence(tab) == document["steps"][0]["sentence"]
    for _ in range(4):
        tab.keyboard.press("PageDown")
    backward = document["steps"][4]["stages"][0]
    tab.keyboard.press("ArrowDown")
    assert sentence(tab) == backward["sentence"]
    tab.keyboard.press("ArrowDown")
    assert sentence(tab) == backward["lines"][0]["sentence"]
    # The colors of the window's theme, here of a keyword.
    keyword = tab.locator(".line .code-keyword", has_text="return").first
    ink = "(each) => getComputedStyle(each).color"
    assert keyword.evaluate(ink) == "rgb{}".format(
        tuple(bytes.fromhex(color("code_keyword", "light")[1:]))
    )
    line = backward["lines"][0]["location"]["line"]
    assert tab.locator(".line.current .number").all_text_contents() == [str(line)]
    tab.keyboard.press("ArrowUp")
    tab.keyboard.press("ArrowUp")
    assert sentence(tab) == document["steps"][4]["sentence"]


def test_links_lead_to_places_and_the_address_follows(tab: Any, tmp_path: Path) -> None:
    index = index_trace(inside_trace(), INSIDE.get)
    opened(tab, tmp_path / "run.html", run_page(index), "1")
    assert sentence(tab).startswith("LinearFunction.forward")
    tab.evaluate("location.hash = '#5/backward/line6'")
    wait_until(tab, "places[current].path === '5/backward/line6'")
    assert sentence(tab).startswith("Line 26, `grad_input = torch.from_numpy")
    assert tab.locator("#levels [aria-pressed=true]").text_content() == "Line"
    place = TracePosition(step=5, stage="backward")
    opened(tab, tmp_path / "at.html", run_page(index, place))
    assert tab.evaluate("location.hash") == "#5/backward"
    assert tab.locator("#levels [aria-pressed=true]").text_content() == "Stage"
    tab.keyboard.press("End")
    assert tab.evaluate("location.hash").startswith("#8")
    tab.evaluate("location.hash = '#5/backward/op1'")
    wait_until(tab, "level === 'op'")
    assert tab.locator("#levels [aria-pressed=true]").text_content() == "Op"
    tab.evaluate("location.hash = '#77'")
    tab.get_by_text("This page has no step 77.").wait_for()
    # An address that was cut inside of an escape.
    opened(tab, tmp_path / "cut.html", run_page(index), "5%2")
    assert tab.get_by_text("This page has no step 5%2.").is_visible()


def test_graph_shows_the_step_and_both_themes(tab: Any, tmp_path: Path) -> None:
    index = index_trace(linear_trace(), LINEAR.get)
    opened(tab, tmp_path / "run.html", run_page(index), "4")
    shown = tab.locator("#graph text:visible").all_text_contents()
    assert "grad_output 2×3" in shown
    assert "grad_input 2×2" not in shown
    assert tab.locator("#halo-n2").is_visible()
    assert not tab.locator("#halo-n1").is_visible()
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#halo-n1").is_visible()
    assert "grad_input 2×2" in tab.locator("#graph text:visible").all_text_contents()
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = tab.evaluate(background)
    tab.locator("#theme").click()
    assert tab.evaluate(background) != light
    assert numbers(tab, "incoming") == [["1"]]


def test_jacobians_are_read_with_the_arrow_keys(tab: Any, tmp_path: Path) -> None:
    trace = replace(linear_trace(), reports=(REPORT,))
    page = run_page(index_trace(trace, lambda n: MATRICES.get(n) or LINEAR[n]))
    opened(tab, tmp_path / "run.html", page, "jacobians")
    readout = tab.locator(".readout")
    assert readout.text_content() == (
        "weight[1, 0] / output[0, 0]: numerical 1, analytical 2, difference (a − n) 1"
    )
    tab.locator(".map").first.focus()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("ArrowRight")
    assert readout.text_content() == (
        "weight[1, 1] / output[0, 1]: numerical 1, analytical 2, difference (a − n) 1"
    )
    tab.locator("#tab-run").click()
    assert tab.locator("#sentence").is_visible()


def test_compare_is_walked_by_addresses_keys_and_links(tab: Any, tmp_path: Path) -> None:
    index = index_trace(inside_trace(), INSIDE.get)
    other = INSIDE | {7: tensor(7, [[6.0, 24.0], [7.5, np.nan]])[1]}
    hostile = "</script><img src=x onerror=alert(1)>"
    trace = inside_trace()
    right = replace(trace, origin=replace(trace.origin, title=hostile))
    found = compare_runs(index, index_trace(right, other.get))
    document = json.loads(json.dumps(compare_document(found)))
    page = run_page(index, comparison=found)
    opened(tab, tmp_path / "run.html", page)
    # Without a place in the address, the page opens with the comparison.
    pairs = tab.locator(".pair-steps:visible")
    fifth = tab.locator(".pair-steps", has_text="5 ≠ 5")
    assert tab.locator(".outcome").text_content() == document["summary"]
    assert f"Right: {hostile} (" in tab.locator("#compare .check").text_content()
    assert tab.locator("img").count() == 0
    differing = [each for each in document["steps"] if each["verdict"] == "differs"]
    assert [each["left"] for each in differing] == [5, 6]
    assert pairs.locator(".numbers").all_text_contents() == ["5 ≠ 5", "6 ≠ 6"]
    label = "Step 5, step 5 on the right: differs"
    tab.get_by_role("button", name="Differences (2)", pressed=True).focus()
    tab.keyboard.press("Tab")
    tab.keyboard.press("Tab")
    assert tab.locator(":focus").get_by_label(label).is_visible()
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".compared")
    assert tab.evaluate("location.hash") == "#compare/5"
    texts = [each["text"] for each in differing[0]["values"] if each["differs"]]
    assert fifth.locator(".differing").all_text_contents() == texts
    value = fifth.locator(".compared", has_text="grad_input returned")
    assert value.locator(".value .item").all_text_contents() == [
        "Left 2×2 · float64 · 2 equal rows",
        "Right 2×2 · float64",
        "Right − left 2×2 · float64",
    ]
    cells = value.locator("td").all_text_contents()
    assert cells == ["6", "24", "6", "24", "7.5", "nan", "0", "0", "1.5", "nan"]
    colors = "all => all.map(each => getComputedStyle(each).backgroundColor)"
    light = value.locator("td").evaluate_all(colors)
    # The largest value and the largest difference share a color scale.
    assert light[1] == light[3] != light[8]
    tab.locator("#theme").click()
    assert value.locator("td").evaluate_all(colors)[0] != light[0]
    assert tab.evaluate("location.hash") == "#compare/5"
    fifth.locator("summary").focus()
    tab.keyboard.press("ArrowDown")
    assert tab.locator(":focus .numbers").text_content() == "6 ≠ 6"
    tab.keyboard.press("ArrowRight")
    assert not tab.locator("#sentence").is_visible()
    tab.get_by_text("First line that differs: LinearFunction.backward, line 26").click()
    wait_until(tab, "places[current].path === '5/backward/line6'")
    assert tab.locator("#sentence").is_visible()
    assert not tab.locator("#compare").is_visible()
    for _ in range(2):
        tab.go_back()
        tab.wait_for_selector(".compared")
        tab.get_by_text("Show Step 5").click()
        tab.wait_for_selector("#sentence")
        assert tab.evaluate("places[current].path") == "5"
    tab.evaluate("location.hash = '#compare/1'")
    wait_until(tab, "pairViews.get('compare/1').open")
    steps = [(each["left"], each["right"]) for each in document["steps"]]
    signs = ["≠" if left in (5, 6) else "=" for left, _ in steps]
    assert pairs.locator(".numbers").all_text_contents() == [
        f"{left} {sign} {right}" for (left, right), sign in zip(steps, signs, strict=True)
    ]
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("pairViews.get('compare/6').open = false")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert pairs.nth(5).locator(".compared").first.is_visible()
    assert value.locator("td").evaluate_all(colors) == light
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not pairs.nth(5).evaluate("each => each.open")


def test_guide_leads_to_steps_and_back(tab: Any, tmp_path: Path) -> None:
    trace = inside_trace()
    trace = replace(trace, origin=replace(trace.origin, subject="scene:linear"))
    page = run_page(index_trace(trace, INSIDE.get))
    opened(tab, tmp_path / "run.html", page, "guide")
    article = tab.locator("article#guide-page")
    assert article.get_by_role("heading").first.text_content() == page_title("linear")
    assert not tab.locator("#controls").is_visible()
    assert article.get_by_role("math").count() == len(list(formulas_on(guide_page("linear"))))
    assert [each.text_content() for each in article.locator(".now a").all()] == [
        "LinearFunction.forward"
    ]
    tab.evaluate("scrollTo(0, 700)")
    article.locator("[href='#5/backward/line4']").focus()
    tab.keyboard.press("Enter")
    tab.locator("#sentence").wait_for()
    assert tab.evaluate("places[current].path") == "5/backward/line4"
    assert not article.is_visible()
    tab.locator("#tab-guide").focus()
    tab.keyboard.press("Enter")
    assert tab.evaluate("location.hash") == "#guide"
    assert article.locator("li.now").count() == 2
    assert article.locator("[aria-current=step]").count() == 2
    tab.evaluate("scrollTo(0, 600)")
    article.locator("[href='#5']").click()
    tab.locator("#sentence").wait_for()
    assert tab.evaluate("[places[current].path, scrollY]") == ["5", 0]
    tab.go_back()
    article.wait_for()
    assert tab.evaluate("scrollY") > 500
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert article.is_visible()
    assert tab.locator("#handout article").count() == 8
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    tab.set_viewport_size({"width": 390, "height": 844})
    assert tab.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.sweep
def test_paper_has_a_picture_of_each_step(tab: Any, tmp_path: Path) -> None:
    index = index_trace(linear_trace(), LINEAR.get)
    opened(tab, tmp_path / "run.html", run_page(index), "5")
    tab.emulate_media(media="print", color_scheme="dark")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    articles = tab.locator("#handout article")
    assert articles.count() == 8
    assert articles.locator(".sentence").nth(4).text_content() == sentence(tab)
    assert "grad_input 2×2" not in articles.nth(3).text_content()
    assert "grad_input 2×2" in articles.nth(4).text_content()
    assert not tab.locator("#controls").is_visible()
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    assert articles.count() == 0


@pytest.mark.sweep
def test_a_wide_graph_opens_in_its_own_size(tab: Any, tmp_path: Path) -> None:
    index = index_trace(linear_trace(), LINEAR.get)
    page = run_page(index)
    opened(tab, tmp_path / "run.html", page)
    assert tab.locator("#zoom").get_attribute("aria-pressed") == "false"
    box = re.search('viewBox="([^"]*)"', page)
    assert box is not None
    left, top, _, height = box[1].split()
    wide = page.replace(box[1], f"{left} {top} 5000 {height}")
    opened(tab, tmp_path / "wide.html", wide, "5")
    assert tab.locator("#zoom").get_attribute("aria-pressed") == "true"
    inside, around = (tab.locator(each).bounding_box() for each in ("#halo-n1", "#picture"))
    assert inside["x"] >= around["x"]
    assert inside["x"] + inside["width"] <= around["x"] + around["width"]
    tab.emulate_media(media="print")
    tab.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert tab.locator("#handout svg").first.bounding_box()["width"] <= 1280
    tab.evaluate("dispatchEvent(new Event('afterprint'))")
    tab.emulate_media(media="screen")
    tab.locator("#zoom").click()
    assert tab.locator("#graph").bounding_box()["width"] <= around["width"]


def test_names_stay_text(tab: Any, tmp_path: Path) -> None:
    trace = linear_trace()
    hostile = "</script><img src=x onerror=alert(1)>"
    title = hostile + "long" * 20
    nodes = tuple(replace(node, name=hostile) for node in trace.nodes)
    trace = replace(trace, origin=replace(trace.origin, title=title), nodes=nodes)
    tab.set_viewport_size({"width": 390, "height": 844})
    opened(tab, tmp_path / "run.html", run_page(index_trace(trace, LINEAR.get)), "5")
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.locator("#title").text_content() == title
    assert tab.locator("img").count() == 0
    assert hostile in tab.locator("#graph").text_content()


# VS Code's for outputs, if its setting for one is on.
VS_CODE_POLICY = (
    "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; "
    "script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src https: data:; "
    'child-src https: data:">'
)


@cache
def notebook_outputs() -> str:
    """What two recordings and a check display."""
    finding = Finding(
        id=1, code="zero_gradient", severity="warning", message="All zero.", step=5, node=1
    )
    first = index_trace(replace(linear_trace(), findings=(finding,)), LINEAR.get)
    second = index_trace(inside_trace(), INSIDE.get)
    runs = notebook_html(first) + notebook_html(second)
    return runs + check_html(linear_trace(), REPORT, MATRICES.get)


@pytest.mark.parametrize(
    ("outer", "head", "body"),
    [
        ("", "", "data-jp-theme-light='{light}'"),
        ("", VS_CODE_POLICY, "class='vscode-{name}'"),
        ("", VS_CODE_POLICY, "class='vscode-high-contrast{suffix}'"),
        (" theme='{name}'", "", ""),
        ("", "", "class='{name} {name}-theme'"),
    ],
    ids=["jupyterlab", "vscode", "vscode-high-contrast", "colab", "marimo"],
)
def test_a_notebook_steps_through_each_of_its_recordings(
    chromium: Any, tmp_path: Path, outer: str, head: str, body: str
) -> None:
    outputs = notebook_outputs()
    if "-theme" in body:
        outputs = outputs.replace("<iframe", "<div><iframe").replace("</iframe>", "</iframe></div>")
    context = chromium.new_context(viewport={"width": 1000, "height": 1500}, color_scheme="null")
    context.set_default_timeout(PATIENCE_MS)
    tab, trouble = context.new_page(), []
    tab.on("pageerror", lambda error: trouble.append(str(error)))
    tab.on("console", lambda message: trouble.append(message.text))
    backgrounds = {}
    for name, light, suffix in (
        ("light", "true", "-light vscode-high-contrast"),
        ("dark", "false", ""),
    ):
        attributes = [each.format(name=name, light=light, suffix=suffix) for each in (outer, body)]
        html = f"<!DOCTYPE html><html{attributes[0]}>{head}<body {attributes[1]}>{outputs}</body>"
        opened(tab, tmp_path / f"{name}.html", html)
        one, two = (tab.frame_locator(".gradviz-page").nth(at) for at in (0, 1))
        # A frame is empty until its page is there.
        for each in (one, two):
            each.locator("#sentence").wait_for()
        backgrounds[name] = one.locator("html").evaluate("e => getComputedStyle(e).backgroundColor")
        picture = tab.locator(".gradviz img:visible")
        assert picture.get_attribute("class") == f"gradviz-{name}"
        assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 400
    assert backgrounds == {"light": "rgb(245, 246, 249)", "dark": "rgb(20, 22, 28)"}
    one.locator("#sentence").click()
    tab.keyboard.press("ArrowRight")
    two.locator("#last").click()
    assert [each.locator("#position").text_content() for each in (one, two)] == ["2 / 8", "8 / 8"]
    one.locator("#remarks a").click()
    assert one.locator("#position").text_content() == "5 / 8"
    assert one.locator("#sentence").evaluate("() => [origin, location.href]") == [
        "null",
        "about:srcdoc",
    ]
    assert not tab.locator(".gradviz").first.is_visible()
    context.close()
    assert trouble == []


def page_with_finding(message: str = "It is summed.") -> str:
    """The run `inside`, whose backward has a finding about its line 26."""
    trace = inside_trace()
    inside = index_trace(trace, INSIDE.get).inside[5].part("backward")
    assert inside is not None
    location = inside.lines[5].location
    finding = Finding(
        id=1, code="silent_reduction", severity="warning", message=message, step=5, node=1
    )
    finding = replace(finding, location=location)
    return run_page(index_trace(replace(trace, findings=(finding,)), INSIDE.get))


IS_SEEN = """(each) => {
  const box = each.getBoundingClientRect();
  const middle = box.left + box.width / 2;
  const ends = [box.top + 2, box.bottom - 2];
  return ends.every((y) => each.contains(document.elementFromPoint(middle, y)));
}"""


@pytest.mark.sweep
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_step_is_read_without_scrolling(
    tab: Any, tmp_path: Path, width: int, height: int
) -> None:
    tab.set_viewport_size({"width": width, "height": height})
    opened(tab, tmp_path / "run.html", page_with_finding(), "5")
    assert tab.evaluate("document.documentElement.scrollWidth") == width
    parts = "#sentence, #notices .finding, #notices .line, .incoming .value, .returned .value"
    buttons = "#first, #previous, #next, #last, #slider, #position"
    for part in f"{parts}, {buttons}".split(", "):
        found = tab.locator(part)
        assert found.count()
        assert found.evaluate_all(f"all => all.every({IS_SEEN})"), part
    assert tab.locator("#notices .line .text").text_content().startswith("grad_input = ")


def test_large_values_leave_a_long_finding_and_its_line_whole(tab: Any, tmp_path: Path) -> None:
    tab.set_viewport_size({"width": 1280, "height": 640})
    opened(tab, tmp_path / "run.html", page_with_finding("It is summed.\n" * 7), "5")
    assert tab.evaluate("part('values').scrollHeight > part('values').clientHeight")
    for part in ("#sentence", "#notices .finding", "#notices .line"):
        assert tab.locator(part).evaluate(IS_SEEN), part


@pytest.mark.sweep
def test_the_keyboard_scrolls_a_box_that_it_came_to_and_else_steps(
    tab: Any, tmp_path: Path
) -> None:
    tab.set_viewport_size({"width": 1280, "height": 560})
    opened(tab, tmp_path / "run.html", page_with_finding(), "5")
    boxes = "[...document.querySelectorAll('body *')].filter(each => each.checkVisibility() && "
    boxes += "/auto|scroll/.test(getComputedStyle(each).overflowY) && "
    boxes += "each.scrollHeight > each.clientHeight).map(each => [each.id, each.tabIndex])"
    assert dict(tab.evaluate(boxes)).items() >= {"values": 0, "code": 0}.items()
    assert {index for _, index in tab.evaluate(boxes)} == {0}
    tab.locator("#values").click(position={"x": 300, "y": 5})
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#position").text_content() == "6 / 8"
    tab.keyboard.press("ArrowLeft")
    tab.locator("#quiz").focus()
    while tab.evaluate("document.activeElement.id") != "values":
        tab.keyboard.press("Tab")
    tab.keyboard.press("ArrowDown")
    wait_until(tab, "part('values').scrollTop > 0")
    assert tab.evaluate("places[current].path") == "5"
    # It has no place to go to the right.
    tab.keyboard.press("ArrowRight")
    assert tab.locator("#position").text_content() == "6 / 8"


def test_a_finding_leads_to_its_page_of_the_guide(tab: Any, tmp_path: Path) -> None:
    found = Finding(id=1, code="freed_graph", severity="error", message="Freed.", step=8, node=None)
    trace = inside_trace()
    mine = replace(trace.origin, subject="net.py:EXAMPLES")
    index = index_trace(replace(trace, origin=mine, findings=(found,)), INSIDE.get)
    opened(tab, tmp_path / "run.html", run_page(index))
    tab.locator("#remarks a", has_text="Open in Guide").click()
    assert tab.locator("#guide-page h2").inner_text() == page_title("carried-state")
    assert tab.locator("#guide-page").is_visible()
    assert not tab.locator("#steps").is_visible()
