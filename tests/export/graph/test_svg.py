"""The exported SVG is well-formed, escaped, and shows the facts of its step."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import color, theme_paint
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.grouping.groups import FoldState
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import graph_figures, graph_svg, laid_out_graph
from gradviz.export.graph.svg_figure import SvgStyle, arrange_frame
from gradviz.model.finding import Finding
from gradviz.model.trace import Trace
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace
from tests.drawing.graphs import layered
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.second_order_builder import CUBE_TENSORS, cube_trace

SVG = "{http://www.w3.org/2000/svg}"
VALUES = {record.id: value for record, value in LINEAR_TENSORS}


def exported(step: int | None = None, trace: Trace | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(graph_svg(index_trace(trace or linear_trace(), VALUES.get), step))


def texts(root: ElementTree.Element) -> list[str]:
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def group(root: ElementTree.Element, name: str) -> ElementTree.Element:
    (found,) = [each for each in root.iter(f"{SVG}g") if each.get("id") == name]
    return found


def test_it_shows_the_step_its_sentence_and_its_gradients():
    root = exported(5)
    found = texts(root)
    for text in ("Step 5 of 8 · backward", "LinearFunctionBackward", "L = 54", "grad_weight 2×3"):
        assert text in found
    assert "LinearFunction.backward receives grad_output 2×3" in " ".join(found)
    assert group(root, "n1").get("class") == "custom now"
    assert group(root, "n2").get("class") == "builtin done"
    assert group(root, "e2").get("class") == "gradient now"
    assert group(root, "a3").get("class") == "leaf to come"


def test_place_inside_the_step_is_reported_in_its_own_sentence():
    values = {record.id: value for record, value in INSIDE_TENSORS}
    index = index_trace(inside_trace(), values.get)
    place = TracePosition(step=5, stage="backward", line=5)
    root = ElementTree.fromstring(graph_svg(index, 5, place=place, level="line"))
    sentence = "Line 26, `grad_input = torch.from_numpy(…`, sets grad_input to a 2×2 tensor."
    assert sentence in " ".join(texts(root))
    assert [each.text for each in root.iter(f"{SVG}desc")] == [sentence]
    assert "Step 5 of 8 · backward" in texts(root)
    root = ElementTree.fromstring(graph_svg(index, 5, level="pass"))
    assert "The backward pass executes 2 nodes and reaches 2 leaves" in " ".join(texts(root))


def test_without_a_step_it_is_the_last_one():
    root = exported()
    assert "Step 8 of 8 · backward" in texts(root)
    assert group(root, "l4").get("class") == "leaf done"


def test_figures_of_steps_have_the_graph_at_one_place():
    index = index_trace(linear_trace(), VALUES.get)
    drawing = laid_out_graph(index)
    places = [TracePosition(step=number) for number in (2, 5, 8)]
    style = SvgStyle(paint=theme_paint("dark"), transparent=True)
    figures = [ElementTree.fromstring(each) for each in graph_figures(drawing, places, style)]
    assert [f"Step {place.step} of 8" in " ".join(texts(each)) for place, each in
            zip(places, figures, strict=True)] == [True] * 3  # fmt: skip
    # The sentence of step 5 has more lines than the others.
    assert len({len(group(each, "caption")) for each in figures}) > 1
    assert len({(each.get("width"), each.get("height")) for each in figures}) == 1
    moves = [[g.get("transform") for g in each.iter(f"{SVG}g")][1:3] for each in figures]
    assert moves[0] == moves[1] == moves[2]
    assert [next(each.iter(f"{SVG}rect")).get("fill") for each in figures] == ["none"] * 3


@pytest.mark.parametrize("size", [(1280, 720), (2560, 1440), (720, 1280), (300, 200), (100, 100)])
def test_a_figure_with_a_size_is_filled(size: tuple[int, int]):
    drawing = laid_out_graph(index_trace(linear_trace(), VALUES.get))
    places = [TracePosition(step=number) for number in (2, 5)]
    style = SvgStyle(paint=theme_paint("light"), size=size)
    frame = arrange_frame(drawing, places, style)
    for each in map(ElementTree.fromstring, graph_figures(drawing, places, style)):
        box = [float(number) for number in each.attrib["viewBox"].split()]
        assert box == [0, 0, *size]
    # Its texts can be read on a screen of that size, and cover nothing.
    assert frame.scale == pytest.approx({(1280, 720): 1.4, (2560, 1440): 2.8}.get(size, 1)) or (
        min(size) < 400 and frame.scale < 1
    )
    layout, (left, top) = drawing.layout, frame.graph_at
    assert frame.caption_height < frame.margin + top
    assert top + layout.height * frame.graph_scale < frame.bottom_at < size[1]
    assert 0 <= left < left + layout.width * frame.graph_scale <= size[0] - 2 * frame.margin + 1e-6


@pytest.mark.parametrize("size", [None, (800, 600)])
def test_a_bare_figure_is_the_graph_alone(size: tuple[int, int] | None):
    drawing = laid_out_graph(index_trace(linear_trace(), VALUES.get))
    style = SvgStyle(paint=theme_paint("light"), size=size, bare=True)
    (svg,) = graph_figures(drawing, [TracePosition(step=5)], style)
    root = ElementTree.fromstring(svg)
    assert {"caption", "legend"}.isdisjoint(each.get("id") for each in root.iter())
    assert "grad_weight 2×3" in texts(root)
    assert "Step 5 of 8 · backward" not in texts(root)
    # What cannot be seen is still described.
    assert "receives grad_output" in (root.findtext(f"{SVG}desc") or "")
    if size is None:
        space = float(root.attrib["height"]) - drawing.layout.height
        assert space == float(root.attrib["width"]) - drawing.layout.width == 44


def test_the_graph_is_not_much_larger_than_the_texts():
    drawing = laid_out_graph(index_trace(linear_trace(), VALUES.get))
    style = SvgStyle(paint=theme_paint("light"), size=(1280, 7200))
    frame = arrange_frame(drawing, [TracePosition(step=2)], style)
    assert frame.graph_scale == pytest.approx(1.5 * frame.scale)


def test_texts_keep_their_width_in_any_font():
    measure = font_measure()
    for each in exported(5).iter(f"{SVG}text"):
        style = "line" if each.get("font-weight") == "400" else "title"
        expected = measure(each.text or "", style)[0] * float(each.attrib["font-size"])
        expected /= FONTS[style].size
        assert float(each.attrib["textLength"]) == pytest.approx(expected, abs=0.01)
        assert each.get("lengthAdjust") == "spacingAndGlyphs"


def test_labels_come_with_their_gradients():
    assert "grad_input 2×2" not in texts(exported(4))
    assert "grad_output 2×3" in texts(exported(4))


def test_kinds_have_their_colors():
    root = exported(5)
    for name, role in (
        ("l3", "leaf_fill"),
        ("s1", "saved_fill"),
        ("o2", "output_fill"),
        ("n2", "builtin_fill"),
        ("n1", "custom_fill"),
    ):
        outline = group(root, name)[0]
        assert outline.get("fill") == color(role, "light")  # type: ignore[arg-type]
    # The pass frees what the node has saved as soon as it is done.
    freed = group(exported(8), "s1")[0]
    assert freed.get("fill") == color("canvas", "light")
    assert freed.get("stroke-dasharray")
    assert "freed tensors" in texts(exported(8))
    assert group(root, "n1")[0].tag == f"{SVG}path"
    assert group(root, "n2")[0].tag == f"{SVG}rect"


def test_a_thumbnail_shows_the_elements():
    weight = group(exported(8), "l4")
    assert texts(weight) == ["weight", "2×3 · float64", "0", "1", "2", "3", "4", "5"]


def test_text_from_outside_is_only_text():
    trace = linear_trace()
    hostile = '<img src=x>"];\x1b[31m'
    trace = structs.replace(
        trace,
        origin=structs.replace(ORIGIN, title=hostile),
        nodes=tuple(structs.replace(n, name=hostile, variable_name=hostile) for n in trace.nodes),
    )
    root = exported(5, trace)
    assert not [each for each in root.iter() if "img" in each.tag]
    assert texts(root).count('<img src=x>"];\\x1b[31m') == 7


@pytest.mark.parametrize("step", [0, 9, -1])
def test_a_step_that_is_not_there_is_refused(step: int):
    with pytest.raises(ExportError, match="steps 1 to 8"):
        exported(step)


def test_a_trace_without_a_graph_is_refused():
    with pytest.raises(ExportError, match="no graph"):
        exported(trace=Trace(origin=ORIGIN))


def test_groups_have_frames_and_folded_ones_say_how_far_they_are():
    index = layered(30)
    folds = FoldState(opened=frozenset(group.key for group in hierarchy_of(index).around(10)))
    root = ElementTree.fromstring(graph_svg(index, 7, folds=folds))
    frames = [each.get("id") for each in root.iter(f"{SVG}g") if each.get("class") == "frame"]
    assert {"fm1", "fr4n120", "fm5", "fm6"} <= set(frames)
    assert frames[0] == "fm1"
    found = texts(root)
    assert {"Net", "layers.0–29", "30 × Layer", "layers.1", "layers.1.linear"} <= set(found)
    # Step 7 makes layers.1's addmm: layers.0 is done, and layers.2 is to come.
    assert found.count("6 of 6 created") == 1
    assert found.count("0 of 6 created") == 28


def test_a_mark_shows_a_problem():
    trace = linear_trace()
    finding = Finding(id=1, code="x", severity="warning", message="m", step=None, node=1)
    root = exported(5, structs.replace(trace, findings=(finding,)))
    assert "warning" in texts(root)


def test_a_cut_is_dashed_red_and_crossed_and_in_the_legend() -> None:
    values = {record.id: value for record, value in CUBE_TENSORS}
    root = ElementTree.fromstring(graph_svg(index_trace(cube_trace(), values.get), 10))
    ways = [each for each in root.iter(f"{SVG}g") if each.get("class") == "cut"]
    assert len(ways) == 2
    for way in ways:
        line, *cross = way.iter(f"{SVG}path")
        strokes = {each.get("stroke") for each in (line, *cross)}
        assert strokes == {color("failing_border", "light")}
        assert line.get("stroke-dasharray") is not None
        assert len(cross) == 2
    shown = texts(root)
    assert "× cut: gradient for x" in shown
    assert "created by CubeBackward" in shown
    assert "cut: no history, so no second derivative" in shown


def test_what_is_current_has_the_halo_and_the_glow_of_the_window() -> None:
    root = exported(5)
    faint = [each for each in root.iter() if each.get("opacity")]
    (halo,) = (each for each in faint if each.get("fill") != "none")
    assert halo.get("fill") == color("status_now", "light")
    flowing = [each for each in root.iter(f"{SVG}g") if each.get("class") == "gradient now"]
    glows = [each.get("stroke") for line in flowing for each in line if each in faint]
    assert glows == [color("edge_now", "light")] * len(flowing) != []
    assert not [each for each in exported(1).iter() if each.get("fill") == color("error", "light")]
