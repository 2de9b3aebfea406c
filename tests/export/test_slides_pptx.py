"""Slides for PowerPoint have the texts and shapes of the stage, which can be edited."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.analysis.index.trace_index import index_trace
from gradviz.drawing.appearance.palette import PaletteTheme, theme_paint
from gradviz.drawing.display.parts import Outline, Pen, RoundedRect, Shape, ValuePlane, polyline
from gradviz.drawing.geometry.rect import Rect
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.story.frame import Drawn, Frame
from gradviz.story.frames import Progress, stop_frames
from gradviz.story.run import StoryRun
from gradviz.story.summary import summary_frames
from tests.builders import LINEAR_TENSORS, linear_trace, tensor
from tests.story.shipped import texts

pptx = pytest.importorskip("pptx", reason="needs the packages of the slides extra")
slides_pptx = pytest.importorskip("gradviz.export.slides_pptx")

PIXEL = 9525
VALUES = {record.id: value for record, value in LINEAR_TENSORS}
STOP = LessonStop(
    headline="The gradients",
    scene="linear",
    step="5",
    question="Which shape has the gradient of weight, and which shape has the gradient of input?",
    answer="That of weight.",
    show=("{step 5 returned weight}", "graph", "code"),
    solution="Always.",
    notes="Ask <twice> & wait.",
)


def slides_of(stop: LessonStop) -> list[Frame]:
    run = StoryRun(index=index_trace(linear_trace(), VALUES.get))
    return [*stop_frames(stop, 6, run, Progress(at=0, count=1))]


def written(folder: Path, slides: list[Frame], theme: PaletteTheme = "light") -> Any:
    path = folder / "a.pptx"
    count = slides_pptx.write_slides(path, slides, theme_paint(theme), "A <lesson>" + "x" * 300)
    assert count == len(slides)
    return pptx.Presentation(str(path))


@pytest.fixture(scope="module")
def slides() -> list[Frame]:
    return slides_of(STOP)


@pytest.fixture(scope="module")
def made(slides: list[Frame], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """They are written once, as that takes most of the time."""
    return written(tmp_path_factory.mktemp("slides"), slides)


def leaves(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from leaves(shape.shapes)
        else:
            yield shape


def texts_of(slide: Any) -> Counter[str]:
    """The lines of text on a slide."""
    found = [each.text_frame.text for each in leaves(slide.shapes) if each.has_text_frame]
    return Counter(line for text in found for line in text.split("\v") if line)


def test_each_text_of_a_frame_is_on_its_slide_once_and_unchanged(
    slides: list[Frame], made: Any
) -> None:
    assert len(made.slides) == len(slides) == 6
    for slide, new in zip(slides, made.slides, strict=True):
        wanted = Counter(text for text, _, _ in texts(slide) if text.strip())
        shown = texts_of(new)
        assert wanted - shown == Counter()
        numbers = sum((shown - wanted).values())
        parts = [part for each in slide.drawn for part in each.parts]
        assert (numbers > 0) == any(isinstance(part, ValuePlane) for part in parts)


def test_the_title_is_the_headline_and_the_notes_are_the_speakers(
    tmp_path: Path, made: Any
) -> None:
    asked, answered, *_, step = made.slides
    assert asked.shapes.title.text_frame.text.replace("\v", " ") == STOP.question
    assert "\v" in asked.shapes.title.text_frame.text
    assert answered.shapes.title.text_frame.text == STOP.answer
    # In a wider font, some programs wrap a title at its edge.
    title = answered.shapes.title
    assert title.left + title.width == made.slide_width - title.left
    assert asked.notes_slide.notes_text_frame.text == "Always.\n\nAsk <twice> & wait."
    assert not step.has_notes_slide
    assert made.core_properties.title.startswith("A <lesson>")
    (untitled,) = written(tmp_path, [Frame(width=1280, height=720, drawn=())]).slides
    assert untitled.shapes.title is None


def test_nothing_is_outside_of_the_slide_and_sizes_are_those_of_the_stage(
    slides: list[Frame], made: Any
) -> None:
    assert (made.slide_width, made.slide_height) == (1280 * PIXEL, 720 * PIXEL)
    for slide, new in zip(slides, made.slides, strict=True):
        for shape in leaves(new.shapes):
            assert -1 <= shape.left / PIXEL <= (shape.left + shape.width) / PIXEL <= 1281
            assert -1 <= shape.top / PIXEL <= (shape.top + shape.height) / PIXEL <= 721
        # Numbers are also in cells, where they have other sizes.
        sizes = {text: size for text, size, _ in texts(slide) if not text.isdigit()}
        for shape in leaves(new.shapes):
            if shape.has_text_frame and shape.text_frame.text in sizes:
                frame = shape.text_frame
                size = frame.paragraphs[0].runs[0].font.size.pt
                assert size == pytest.approx(sizes[frame.text] * 0.75, abs=0.01)
                assert (frame.word_wrap, frame.margin_left) == (False, 0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colors_are_those_of_the_theme(
    theme: PaletteTheme, tmp_path: Path, slides: list[Frame], made: Any
) -> None:
    paint = theme_paint(theme)
    for new in (made if theme == "light" else written(tmp_path, slides, theme)).slides:
        assert f"#{new.background.fill.fore_color.rgb}".lower() == paint("canvas")
        title = new.shapes.title.text_frame.paragraphs[0].runs[0]
        assert f"#{title.font.color.rgb}".lower() == paint("text")


def test_shapes_stay_shapes(tmp_path: Path) -> None:
    box = Rect(x=10, y=10, width=100, height=40)
    curve = Outline((("M", ((0, 0),)), ("C", ((0, 100), (100, 100), (100, 0))), ("Z", ())))
    parts = (
        Shape(RoundedRect(box, 8), "canvas", Pen("accent", 2, (4, 3))),
        Shape(RoundedRect(box), "accent", opacity=0.5),
        Shape(RoundedRect(Rect(x=0, y=0, width=9, height=9), 4.5), "accent"),
        Shape(polyline((0, 0), (50, 0)), pen=Pen("accent", 3)),
        Shape(polyline((0, 0), (50, 0), (50, 50), closed=True), "accent"),
        Shape(curve, pen=Pen("accent")),
    )
    frame = Frame(width=1280, height=720, drawn=(Drawn(key="a", parts=parts, x=20, scale=2),))
    (slide,) = written(tmp_path, [frame]).slides
    (group,) = slide.shapes
    rounded, faded, circle, line, triangle, curved = group.shapes
    assert [each.name for each in (group, rounded, line)] == ["a"] * 3
    assert (rounded.left / PIXEL, rounded.width / PIXEL) == (40, 200)
    assert rounded.adjustments[0] == pytest.approx(0.2)
    assert rounded.line.width.pt == pytest.approx(3)
    assert rounded.line.dash_style is not None
    assert 'alpha val="50000"' in pptx.oxml.xmlchemy.serialize_for_reading(faded.element)
    assert circle.auto_shape_type == pptx.enum.shapes.MSO_SHAPE.OVAL
    assert (line.begin_x / PIXEL, line.end_x / PIXEL, line.end_y) == (20, 120, 0)
    assert triangle.fill.fore_color.rgb == rounded.line.color.rgb
    # The middle of the curve is at three quarters of the height of its control points.
    assert curved.height / PIXEL == pytest.approx(150, abs=1)


def test_few_elements_are_rectangles_with_numbers_and_many_a_picture(tmp_path: Path) -> None:
    def drawn(rows: int, columns: int) -> list[Any]:
        value = tensor(1, np.arange(rows * columns, dtype=float).reshape(rows, columns))[1]
        plane = ValuePlane(value, Rect(x=0, y=0, width=200, height=100))
        frame = Frame(width=1280, height=720, drawn=(Drawn(key="v", parts=(plane,)),))
        (slide,) = written(tmp_path, [frame]).slides
        return [*leaves(slide.shapes)]

    few = drawn(2, 3)
    numbers = [each.text_frame.text for each in few if each.has_text_frame and each.text_frame.text]
    assert numbers == ["0", "1", "2", "3", "4", "5"]
    cells = [each for each in few if each.has_text_frame and not each.text_frame.text]
    colors = {str(each.fill.fore_color.rgb) for each in cells}
    assert len(colors) >= 6
    (picture,) = (each for each in drawn(40, 40) if hasattr(each, "image"))
    assert min(picture.image.size) >= 640
    assert (picture.width / PIXEL, picture.height / PIXEL) == (200, 100)


def test_a_link_can_be_clicked(tmp_path: Path) -> None:
    page = "https://example.org/?a=1&b=2"
    frames = summary_frames(Lesson(title="A", page=page, stops=(STOP,)), {})
    made = written(tmp_path, [*frames])
    runs = [
        run
        for shape in leaves(made.slides[0].shapes)
        if shape.has_text_frame
        for run in shape.text_frame.paragraphs[0].runs
    ]
    assert {run.text: run.hyperlink.address for run in runs if run.hyperlink.address} == {
        f"Continue at home: {page}": page
    }


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    hostile = '<a:t>&amp;"\x1b[31m\u202e</p:sp>'
    stop = replace(STOP, headline=hostile, question=hostile, notes=hostile)
    asked = written(tmp_path, slides_of(stop)).slides[0]
    assert asked.shapes.title.text_frame.text.startswith('<a:t>&amp;"')
    assert "\x1b" not in asked.notes_slide.notes_text_frame.text
