"""The stage paints a picture alike however it came there."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.export.frame_svg import frame_svg
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.model.item import object_item
from gradviz.model.tensor import TensorValue
from gradviz.story.frame import SLIDE, Frame
from gradviz.story.frames import Progress, story_frames
from gradviz.story.run import StoryRun
from gradviz.story.step_clicks import step_clicks
from gradviz.story.summary import summary_frames
from gradviz.story.values import ShownValue, value_block
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.stage.frame_view import FrameView
from gradviz.viewer.theme.theme import APP_THEME, DARK, LIGHT
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.viewer.pixels import pixels_of

VALUES = {record.id: value for record, value in LINEAR_TENSORS}


@pytest.fixture(scope="module")
def frames() -> tuple[Frame, ...]:
    index = index_trace(linear_trace(), VALUES.get)
    place = TracePosition(step=5)
    run = StoryRun(index=index)
    clicks = step_clicks(run, place, asks=False)
    return story_frames(clicks, run, place, Progress(at=1, count=3))


@pytest.fixture
def view(qtbot: QtBot) -> FrameView:
    preferences = Preferences(stored=False)
    preferences.motion = "on"
    made = FrameView(APP_THEME, preferences)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    return made


def test_a_picture_to_which_objects_have_moved_is_the_picture(
    view: FrameView, frames: tuple[Frame, ...], qtbot: QtBot
) -> None:
    plain = []
    for frame in frames:
        view.show_frame(frame)
        plain.append(pixels_of(view))
    view.show_frame(frames[0])
    for number in (1, 0, 1):
        view.show_frame(frames[number], moves=True)
        assert view.is_moving
        qtbot.waitUntil(lambda: not view.is_moving)
        assert np.array_equal(pixels_of(view), plain[number])


@pytest.mark.parametrize("size", [(1280, 800), (1024, 768), (1920, 1080), (2560, 1080)])
def test_each_screen_has_room_for_a_whole_slide(size: tuple[int, int], view: FrameView) -> None:
    view.resize(*size)
    width, height = view.wanted_size
    assert width / height == pytest.approx(size[0] / size[1])
    assert width >= SLIDE[0] - 1e-6
    assert height >= SLIDE[1] - 1e-6


@pytest.mark.parametrize("size", [(1280, 720), (900, 900)])
def test_a_click_on_a_link_opens_its_page_and_nothing_else_does(
    size: tuple[int, int], view: FrameView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    page = "https://example.org/a?b=1"
    lesson = Lesson(title="A", page=page, stops=(LessonStop(headline="One", scene="exp"),))
    (frame,) = summary_frames(lesson, {})
    view.resize(*size)
    view.show_frame(frame)
    (link,) = (each for each in frame.drawn if each.link)
    scale = view.width() / frame.width
    x, y = link.x * scale, link.y * scale + (view.height() - frame.height * scale) / 2
    beside, inside = QPoint(int(x) + 40, int(y) - 12), QPoint(int(x) + 40, int(y) + 12)
    for place in (beside, inside):
        qtbot.mouseMove(view, place)
        hand = view.cursor().shape() == Qt.CursorShape.PointingHandCursor
        assert hand == (place is inside)
        assert opened == []
        qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=place)
        assert opened == ([page] if place is inside else [])


def test_an_impatient_click_shows_the_last_picture(
    view: FrameView, frames: tuple[Frame, ...], qtbot: QtBot
) -> None:
    view.show_frame(frames[0])
    plain = pixels_of(view)
    for number in (1, 0, 1, 0):
        view.show_frame(frames[number], moves=True)
    assert view.frame is frames[0]
    qtbot.waitUntil(lambda: not view.is_moving)
    assert np.array_equal(pixels_of(view), plain)


def test_a_picture_is_named_and_in_the_colors_of_the_theme(
    view: FrameView, frames: tuple[Frame, ...]
) -> None:
    view.show_frame(frames[0])
    assert "LinearFunction.backward" in view.accessibleName()
    light = pixels_of(view)
    APP_THEME.become(DARK)
    view.update_theme()
    assert not np.array_equal(pixels_of(view), light)
    APP_THEME.become(LIGHT)
    view.update_theme()
    assert np.array_equal(pixels_of(view), light)
    view.show_frame(None)
    assert view.accessibleName() == ""


def test_a_matrix_has_its_numbers_on_the_stage_if_it_has_them_on_a_slide(view: FrameView) -> None:
    # Digits of the window's font are wider than those of drawings.
    pictures = []
    for number in (-0.0116, -0.0119):
        array = np.array([[number, -0.164, -0.35], [-0.38, 0.52, -0.39]], np.float32)
        value = TensorValue(dtype="float32", shape=array.shape, data=array.tobytes())
        shown = ShownValue(item=object_item("weight", ""), shape="", value=value, ink="text")
        block = value_block(shown)
        frame = Frame(width=1280, height=720, drawn=block.drawn)
        assert str(number) in frame_svg(frame, theme_paint("light"))
        view.show_frame(frame)
        pictures.append(pixels_of(view).astype(int))
    # Both have the same size and almost the same colors; cells without numbers would have dashes.
    assert np.abs(pictures[0] - pictures[1]).max() > 90
