"""The page of a run says and draws what the other exports do, and takes nothing for markup."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_reader, index_trace
from gradviz.analysis.position.navigation import next_place, positions_in_step
from gradviz.analysis.position.position_paths import position_at_path, position_path
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.numbers import number_text
from gradviz.document.facts.current_facts import current_facts
from gradviz.document.facts.fact_rows import ChangeRow, FactRow, ValueRow
from gradviz.drawing.appearance.color_map import color_table
from gradviz.drawing.appearance.syntax_colors import syntax_spans
from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.check.verdict import diagnosis_sentence, outcome_sentence
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import graph_svg
from gradviz.export.page import drawing
from gradviz.export.page.document import run_page
from gradviz.export.page.jacobian_data import jacobian_data
from gradviz.export.page.page_steps import MOST_STEPS
from gradviz.export.page.page_tensors import MOST_WHOLE
from gradviz.export.page.run_data import CODE_COLORS
from gradviz.export.steps.json_document import steps_document
from gradviz.model.diagnosis import Diagnosis
from gradviz.resource import resource_path
from gradviz.store.reader import open_trace
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.deceptive_trace import DECEPTIVE, VISIBLE, deceptive_trace
from tests.drawing.graphs import layered, with_backward
from tests.export.check_reports import ANALYTICAL, NUMERICAL, REPORT, TENSORS, report_of
from tests.export.page.browser_page import data_of
from tests.export.page.page_shapes import facts, leaves, looks, shown_in
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.second_order_builder import CUBE_TENSORS, cube_trace

SVG = "{http://www.w3.org/2000/svg}"
LINEAR = {record.id: value for record, value in LINEAR_TENSORS}
TENSORS_BY_ID = [(record.id, value) for record, value in TENSORS]
NON_FINITE = tensor(1, [[np.nan, 1.0], [np.inf, -np.inf]])[1]
INSIDE = {record.id: value for record, value in INSIDE_TENSORS}


def inside_page() -> tuple[TraceIndex, str]:
    index = index_trace(inside_trace(), INSIDE.get)
    return index, run_page(index)


RUNS = {
    "inside": index_trace(inside_trace(), INSIDE.get),
    "not finite": index_trace(linear_trace(), (LINEAR | {1: NON_FINITE}).get),
    "second order": index_trace(
        cube_trace(whole=True), {record.id: value for record, value in CUBE_TENSORS}.get
    ),
}


def graph_of(page: str) -> ElementTree.Element:
    (svg,) = re.findall(r'<svg id="graph".*?</svg>', page, re.S)
    return ElementTree.fromstring(svg)


def values_in(row: FactRow) -> list[ValueRow]:
    if isinstance(row, ChangeRow):
        return [row.before] if row.before.item == row.after.item else [row.before, row.after]
    return [row] if isinstance(row, ValueRow) else []


@pytest.mark.parametrize("run", RUNS)
def test_places_say_what_steps_and_inspector_do(run: str) -> None:
    index = RUNS[run]
    data = data_of(run_page(index))
    document = json.loads(json.dumps(steps_document(index, "op")))
    said = {str(step["number"]): step["sentence"] for step in document["steps"]}
    for stage in (stage for step in document["steps"] for stage in step["stages"]):
        inner = (*stage.get("lines", ()), *stage.get("ops", ()))
        said |= {each["place"]: each["sentence"] for each in (stage, *inner)}
    assert {place["path"]: place["sentence"] for place in data["places"]} == said
    for place in data["places"]:
        facts = current_facts(
            RevealedTrace.of_all(index),
            place["step"],
            place=position_at_path(index, place["path"]),
        )
        assert facts is not None
        sections = [data["sections"][each] for each in place["sections"]]
        assert [(each["key"], each["title"]) for each in sections] == [
            (each.key, each.title) for each in facts.sections if each.key != "scale" and each.rows
        ]
        for section, expected in zip(sections, facts.sections, strict=False):
            values = [
                value
                for row in section["rows"]
                for value in ([row["before"], row["after"]] if "before" in row else [row])
                if "name" in value
            ]
            rows = [value for row in expected.rows for value in values_in(row)]
            assert [each["name"] for each in values] == [row.name for row in rows]
            for value, row in zip(values, rows, strict=True):
                if row.item.tensor is not None:
                    check_elements(data["tensors"][value["tensor"]], index, row.item.tensor)


def check_elements(shown: dict[str, Any], index: TraceIndex, tensor: int) -> None:
    """Compare the texts of a tensor, of which equal elements and rows are there once."""
    found = index.value(tensor)
    assert found is not None
    texts = [number_text(each) for each in found.array().ravel().tolist()]
    count = 1 if not shown["equal"] else len(texts) // len(shown["texts"])
    assert shown["texts"] * count == texts
    marked = [heat for heat, text in zip(shown["heat"], texts, strict=False) if text == "nan"]
    assert set(marked) <= {len(color_table("light"))}


def test_places_and_orders_are_those_of_stepping() -> None:
    index, page = inside_page()
    data = data_of(page)
    paths = [place["path"] for place in data["places"]]
    assert len(set(paths)) == len(paths)
    for level in ("node", "stage", "line", "op"):
        expected = [
            position_path(place)
            for number in range(1, 9)
            for place in positions_in_step(index, number, level)
        ]
        assert [paths[at] for at in data["orders"][level]] == expected
    nested = [place for place in data["places"] if "beside" in place]
    assert nested
    for place in nested:
        after = next_place(index, position_at_path(index, place["path"]), "line")
        at = place["beside"][1]
        assert (None if at is None else paths[at]) == (after and position_path(after))
    line = data["places"][paths.index("5/backward/line6")]
    source = data["sources"][str(line["source"]["file"])]
    assert [[*zip(*[iter(each)] * 3, strict=True)] for each in source["colors"]] == [
        [(start, length, CODE_COLORS.index(role)) for start, length, role in spans]
        for spans in syntax_spans(source["lines"], 2_000)
    ]
    assert "grad_input = torch.from_numpy" in source["lines"][line["source"]["first"] - 1]
    assert paths[line["out"]] == "5/backward"


@pytest.mark.parametrize("values", [LINEAR, LINEAR | {1: NON_FINITE}], ids=["finite", "nan"])
def test_graph_has_the_boxes_and_curves_of_the_svg_at_each_step(values: dict[int, Any]) -> None:
    index = index_trace(linear_trace(), values.get)
    page = run_page(index)
    data, parts = data_of(page)["drawings"][""], {}
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.S)
    classes = looks(style)
    # The light theme comes first.
    pairs = re.findall("--(heat-[0-9]+):([^;}]*)", style)
    colors = {name: (light, "") for name, light in reversed(pairs)}
    assert len(colors) > 2
    for element in graph_of(page).iter("g"):
        if "data-part" in element.attrib:
            parts[int(element.attrib["data-part"])] = element
    shown: dict[int, int] = {}
    for step in range(1, 9):
        shown |= dict(data["states"].get(str(step - 1), ()))
        found = {
            parts[part].attrib["id"]: [
                facts(each, classes, colors) for each in shown_in(parts[part], variant)
            ]
            for part, variant in shown.items()
            if variant >= 0
            and parts[part].attrib["id"][0] != "h"
            and "-" not in parts[part].attrib["id"]
        }
        plain = graph_svg(index, step).split("?>\n")[1]
        svg = ElementTree.fromstring(plain.replace(f' xmlns="{SVG[1:-1]}"', ""))
        expected = {
            group.attrib["id"]: [facts(each) for each in leaves(group)]
            for group in svg.iter("g")
            if group.attrib.get("id") in found
        }
        assert len(found) == 8 + 7  # boxes and edges
        assert found == expected


@pytest.mark.parametrize("elements", [np.full((2, 3), 3 + 4j), np.array(3 + 4j)])
def test_equal_complex_elements_are_one_number(elements: np.ndarray) -> None:
    record, value = tensor(6, elements)
    trace = linear_trace()
    mine = tuple(record if each.id == 6 else each for each in trace.tensors)
    page = run_page(index_trace(replace(trace, tensors=mine), (LINEAR | {6: value}).get))
    shown = [each for each in data_of(page)["tensors"] if each.get("texts") == ["3+4j"]]
    assert [each["is_picture"] for each in shown] == [False]


def test_an_empty_tensor_says_so_instead_of_statistics() -> None:
    record, value = tensor(6, np.zeros((0, 3)))
    trace = linear_trace()
    mine = tuple(record if each.id == 6 else each for each in trace.tensors)
    page = run_page(index_trace(replace(trace, tensors=mine), (LINEAR | {6: value}).get))
    notes = [each["notes"] for each in data_of(page)["tensors"] if each["shape"] == [0, 3]]
    assert notes == [["no elements"]]


def test_jacobians_are_those_of_the_check() -> None:
    found = Diagnosis(code="transposed", message="A transpose is missing.", output=0, input=1)
    report = replace(REPORT, diagnoses=(found,))
    (check,) = jacobian_data(
        index_trace(replace(linear_trace(), reports=(report,)), dict(TENSORS_BY_ID).get)
    )
    assert check["outcome"] == outcome_sentence(report)
    assert check["diagnoses"][0]["sentence"] == diagnosis_sentence(report, found)
    (pair,) = check["pairs"]
    matrices = np.rint(NUMERICAL), ANALYTICAL, ANALYTICAL - np.rint(NUMERICAL)
    for shown, matrix in zip(pair["maps"], matrices, strict=True):
        assert shown["shape"] == list(matrix.shape)
        assert shown["texts"] == [number_text(each) for each in matrix.ravel().tolist()]
    assert pair["worst"] == [3, 0]
    assert [3, 0] in pair["wrong"]
    assert len(pair["wrong"]) == 6
    assert pair["notes"] == []


def test_large_jacobians_say_that_cells_stand_for_several_elements() -> None:
    matrix = np.zeros((130, 10))
    matrix[129, 9] = 5
    report, matrices = report_of(("x", (130,), (10,), matrix, matrix * 0))
    (check,) = jacobian_data(
        index_trace(replace(linear_trace(), reports=(report,)), matrices.values)
    )
    (pair,) = check["pairs"]
    assert pair["notes"] == ["each cell shows the largest of 3×1 elements"]
    assert pair["maps"][0]["texts"][43 * 10 + 9] == "5"
    assert pair["maps"][0]["shape"] == [44, 10]


def test_page_loads_nothing_and_runs_only_its_own_script() -> None:
    _, page = inside_page()
    assert len(page.encode()) < 250_000
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="(.*?)"', page)[0])
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        (text,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
        assert "innerHTML" not in text
    markup = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    assert not re.search(r'\b(src|on\w+|style)="|\bhref="[^#]', markup)
    assert "://" not in page


@pytest.mark.parametrize("name", ["check", "lines", "training"])
def test_hostile_names_stay_text(name: str, tmp_path: Path) -> None:
    with open_trace(deceptive_trace(name, tmp_path / "run.gradviz")) as reader:
        page = run_page(index_reader(reader))
    assert DECEPTIVE not in page
    assert "<img" not in page
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", page)
    assert page.count("</script>") == 2
    assert VISIBLE in json.dumps(data_of(page)["places"], ensure_ascii=False).replace(
        '\\"', '"'
    ).replace("\\\\", "\\")
    graph_of(page)


def test_scripts_share_no_name() -> None:
    # They are one script, in which a second function of a name silently replaces the first.
    texts = [path.read_text("utf-8") for path in resource_path("page").glob("*.js")]
    names = re.findall(r"^(?:function|const|let) (\w+)", "\n".join(texts), re.M)
    assert sorted(names) == sorted(set(names))


def test_script_end_in_a_name_does_not_end_the_data() -> None:
    trace = linear_trace()
    title = "</script><script>alert(1)</script>$data$"
    trace = replace(trace, origin=replace(trace.origin, title=title))
    page = run_page(index_trace(trace, LINEAR.get))
    assert data_of(page)["title"] == title
    assert page.count("<script>") == 1
    assert "<title>&lt;/script&gt;" in page


def test_large_traces_say_what_is_left_out() -> None:
    record, value = tensor(1, np.arange(MOST_WHOLE + 1, dtype=np.float64))
    trace = linear_trace()
    tensors = tuple(record if each.id == 1 else each for each in trace.tensors)
    more = tuple(
        replace(trace.steps[-1], number=number)  # type: ignore[type-var]
        for number in range(len(trace.steps) + 1, MOST_STEPS + 20)
    )
    trace = replace(trace, tensors=tensors, steps=(*trace.steps, *more))
    page = run_page(index_trace(trace, lambda n: value if n == 1 else LINEAR[n]))
    data = data_of(page)
    assert data["count"] == MOST_STEPS
    assert data["notes"] == ["This page contains the first 1,000 of 1,019 steps."]
    (large,) = [each for each in data["tensors"] if each["shape"] == [MOST_WHOLE + 1]]
    assert "texts" not in large
    note, statistics = large["notes"]
    assert note == "1,025 elements, which are not in this page; the window shows them"
    assert statistics.startswith("min 0, max 1024, ")
    assert len(page) < 1_000_000


def test_the_graph_stays_if_the_contents_of_its_groups_cannot_be_laid_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Any) -> Any:
        raise LayoutError("timed_out", seconds="30")

    monkeypatch.setattr(drawing, "lay_out_all", fail)
    page = run_page(with_backward(layered(30)))
    data = data_of(page)
    assert graph_of(page).find(".//g[@data-group]") is not None
    assert list(data["drawings"]) == [""]
    assert data["notes"] == ["The contents of 1 folded group are not in this page."]


def test_without_a_graph_the_page_says_why_and_without_steps_there_is_no_page() -> None:
    trace = linear_trace()
    forward = replace(trace.steps[0], node=None, nodes=(), call=None)  # type: ignore[call-arg]
    plain = replace(trace, steps=(forward,), nodes=(), edges=(), calls=(), saved=(), findings=())
    page = run_page(index_trace(plain, LINEAR.get))
    assert "This trace has no graph: nothing in it was differentiable." in page
    assert data_of(page)["drawings"] == {"": {"states": {}, "hidden": {}}}
    with pytest.raises(ExportError, match="no steps"):
        run_page(index_trace(replace(plain, steps=()), LINEAR.get))
