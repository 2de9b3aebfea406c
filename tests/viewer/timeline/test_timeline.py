from collections.abc import Iterator
from itertools import combinations
from typing import get_args

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.finding import Finding
from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import DARK, LIGHT, Theme
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.timeline.timeline_marks import MarkKind, TimelineMark, marks_of, paint_marks
from gradviz.viewer.timeline.timeline_track import TimelineScale, kinds_of
from gradviz.viewer.timeline.visible_span import timeline_metrics, whole_span
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor
from tests.viewer.pixels import pixels_of
from tests.viewer.traces import MemoryReader, failed_reader, linear_reader
from tests.viewer.widget_texts import texts_of

Opened = tuple[TimelinePanel, ViewerState]


def test_phases_are_forward_then_backward() -> None:
    assert index_trace(linear_trace()).phases == (
        RunPhase(first=1, last=2, kind="forward", pass_id=None),
        RunPhase(first=3, last=8, kind="backward", pass_id=1),
    )


def test_custom_steps_and_prints_are_marked() -> None:
    index = index_trace(linear_trace())
    assert kinds_of(index).tolist() == [1, 0, 0, 0, 1, 0, 0, 0]
    assert [(mark.number, mark.kind) for mark in marks_of(index)] == [(1, "print"), (5, "print")]


def test_findings_and_the_end_by_an_error_are_marked() -> None:
    trace = replace(
        failed_reader().trace(),
        findings=(finding(1, "warning", 2), finding(2, "info", 3), finding(3, "error", None)),
    )
    marks = marks_of(index_trace(trace))
    assert [(mark.number, mark.kind) for mark in marks if mark.kind != "print"] == [
        (2, "finding"),
        (5, "error"),
    ]


def finding(number: int, severity: str, step: int | None) -> Finding:
    return Finding(
        id=number,
        code="odd",
        severity=severity,  # type: ignore[arg-type]
        message=f"Something <b>odd</b> {number}.",
        step=step,
        node=None,
    )


@pytest.mark.parametrize("width", [200.0, 1000.0, 3000.0])
def test_each_step_is_found_where_it_is_drawn(width: float) -> None:
    scale = TimelineScale(whole_span(8), width)
    numbers = np.arange(1, 9)
    assert [scale.number_at(scale.x_of(n)) for n in numbers] == list(numbers)
    assert scale.number_at(-50) == 1
    assert scale.number_at(width + 50) == 8


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[Opened]:
    owner = QObject()
    state = ViewerState(LIGHT)
    panel = TimelinePanel(state, Actions(owner))
    qtbot.addWidget(panel)
    panel.resize(1000, 110)
    panel.show()
    state.show(linear_reader())
    yield panel, state
    state.show(None)


def test_words_say_where_we_are(panel: Opened) -> None:
    timeline, state = panel
    state.go_to(5)
    assert timeline.where.text() == "step 5 of 8"
    assert timeline.controls.next_tip.splitlines()[1].startswith("next: ")
    assert timeline.bar.value() == 5
    spoken = timeline.bar.accessibleDescription()
    assert spoken.startswith("backward · step 5 of 8. LinearFunction.backward receives")
    assert not any("LinearFunction.backward receives" in text for text in shown_texts(timeline))
    state.last_step()
    assert timeline.controls.next_tip.endswith("end of run")
    state.first_step()
    assert timeline.where.text() == "step 1 of 8"


class CountedClicks:
    """Build steps of which each is only a number."""

    at, count = 0, 4

    def go_to(self, at: int) -> None:
        self.at = at


def test_build_steps_come_before_the_next_step(panel: Opened) -> None:
    timeline, state = panel
    actions = timeline._actions  # noqa: SLF001
    state.last_step()
    assert not actions.next.isEnabled()
    clicks = CountedClicks()
    state.clicks.show_steps(clicks)
    seen = []
    while actions.next.isEnabled():
        actions.next.trigger()
        seen.append(clicks.at)
    assert seen == [1, 2, 3]
    number = state.number
    for _ in range(3):
        actions.previous.trigger()
    assert (clicks.at, state.number) == (0, number)
    actions.previous.trigger()
    assert state.number == number - 1
    state.last_step()
    state.clicks.show_steps(None)
    assert not actions.next.isEnabled()


def shown_texts(timeline: TimelinePanel) -> list[str]:
    return [label.text() for label in timeline.findChildren(QLabel) if label.isVisible()]


def test_steps_are_painted_as_done_up_to_here(panel: Opened) -> None:
    timeline, state = panel
    state.go_to(5)
    image = timeline.bar.grab().toImage()
    ratio = image.devicePixelRatio()
    height = timeline_metrics(LIGHT).middle

    def at(number: int) -> str:
        x = timeline.bar.x_of(number)
        return image.pixelColor(round(x * ratio), round(height * ratio)).name()

    assert at(2) == LIGHT.color("status_done").name()
    assert at(5) == LIGHT.color("status_now").name()
    assert at(7) == LIGHT.color("panel").name()
    state.set_theme(DARK)
    assert timeline.bar.grab().toImage() != image


def test_an_error_is_a_mark_of_its_own() -> None:
    trace = linear_trace()
    error = error_step(8, "ValueError", "<b>no</b>")
    broken = replace(trace, steps=(*trace.steps[:7], error))
    assert kinds_of(index_trace(broken)).tolist()[-1] == 2


def test_every_kind_of_mark_has_its_own_shape() -> None:
    scale, heights = TimelineScale(whole_span(1), 24.0), timeline_metrics(LIGHT)
    shapes = []
    for kind in get_args(MarkKind):
        image = QImage(24, heights.height, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        marks = [TimelineMark(number=1, kind=kind, text="")]
        paint_marks(painter, marks, np.array([], dtype=np.int64), scale, LIGHT, heights)
        painter.end()
        size = image.width() * image.height()
        shapes.append(np.frombuffer(image.constBits(), dtype=np.uint8)[3 : 4 * size : 4] > 100)
    for one, other in combinations(shapes, 2):
        assert (one ^ other).sum() > 0.3 * (one | other).sum()


def test_it_fits_into_a_strip_beside_a_status(panel: Opened, qtbot: QtBot) -> None:
    timeline, state = panel
    work, facts = QLabel("Running"), QLabel("cpu")
    work.hide()
    timeline.place_status(work, facts)
    state.go_to_place(TracePosition(step=5, stage="backward", line=1), "line")
    timeline.resize(1280, timeline.sizeHint().height())
    QApplication.processEvents()
    assert timeline.height() <= 88
    assert timeline.bar.width() > 1200
    metrics = timeline.where.fontMetrics()
    assert metrics.horizontalAdvance(timeline.where.text()) <= timeline.where.width()
    assert facts.isVisible()
    work.show()
    timeline.hide_where(True)
    assert work.isVisible()
    assert not timeline.where.isVisible()
    timeline.resize(1024, timeline.height())
    QApplication.processEvents()
    assert timeline.width() == 1024
    assert timeline.crumbs.buttons[-1].isVisible()


def test_large_fonts_increase_the_height(panel: Opened) -> None:
    timeline, state = panel
    timeline.resize(1400, timeline.height())
    before = timeline.sizeHint().height()
    state.set_theme(Theme(name="light", scale=2.0))
    QApplication.processEvents()
    assert timeline.sizeHint().height() > 1.6 * before
    assert timeline.where.font().pixelSize() == 26
    # Without a window, Qt would not let it become narrower than its content.
    timeline.setMinimumWidth(timeline.minimumSizeHint().width())
    timeline.resize(900, timeline.height())
    assert timeline.where.font().pixelSize() == 18, "no larger than what fits"
    timeline.resize(1400, timeline.height())
    assert timeline.where.font().pixelSize() == 26


def test_keys_step_and_ends_are_reached(panel: Opened, qtbot: QtBot) -> None:
    timeline, state = panel
    for key, number in (
        (Qt.Key.Key_Right, 2),
        (Qt.Key.Key_Right, 3),
        (Qt.Key.Key_Left, 2),
        (Qt.Key.Key_End, 8),
        (Qt.Key.Key_Right, 8),
        (Qt.Key.Key_Home, 1),
        (Qt.Key.Key_Left, 1),
    ):
        qtbot.keyClick(timeline.bar, key)
        assert state.number == number
    qtbot.keyClick(timeline.bar, Qt.Key.Key_Space)
    assert timeline.player.playing
    qtbot.keyClick(timeline.bar, Qt.Key.Key_Space)
    assert not timeline.player.playing


def wheel(timeline: TimelinePanel, x: float, turned: int, *, shift: bool = False) -> None:
    place = QPointF(x, 30)
    modifier = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        place,
        QPointF(timeline.bar.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, turned),
        Qt.MouseButton.NoButton,
        modifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(timeline.bar, event)


def test_the_wheel_zooms_where_the_mouse_is(panel: Opened) -> None:
    timeline, _ = panel
    bar = timeline.bar
    x = bar.x_of(6)
    wheel(timeline, x, 120)
    assert bar.span.length < 8
    assert bar.x_of(6) == pytest.approx(x)
    start = bar.span.start
    wheel(timeline, x, 240, shift=True)
    assert bar.span.start < start
    for _ in range(5):
        wheel(timeline, x, -120)
    assert bar.span == whole_span(8)


def test_stepping_brings_the_step_into_the_part_that_is_shown(panel: Opened, qtbot: QtBot) -> None:
    timeline, state = panel
    qtbot.keyClick(timeline.bar, "+")
    assert not timeline.bar.span.is_all
    for number in (8, 1, 5):
        state.go_to(number)
        assert 0 <= timeline.bar.x_of(number) <= timeline.bar.width()
    qtbot.keyClick(timeline.bar, "0")
    assert timeline.bar.span.is_all


def test_a_double_click_on_its_name_shows_a_phase_alone(panel: Opened, qtbot: QtBot) -> None:
    timeline, _ = panel
    bar = timeline.bar
    place = QPoint(round(bar.x_of(5)), 6)
    qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert (bar.span.start, bar.span.end) == (2, 8)
    qtbot.mouseDClick(bar, Qt.MouseButton.LeftButton, pos=place)
    assert bar.span.is_all


def hover(timeline: TimelinePanel, place: QPointF) -> int:
    seen: list[int] = []
    timeline.bar.hovered.connect(lambda number, _: seen.append(number))
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        place,
        QPointF(timeline.bar.mapToGlobal(place.toPoint())),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(timeline.bar, event)
    return seen[-1]


def test_the_mouse_means_the_step_below_it_and_a_mark_that_is_near(panel: Opened) -> None:
    timeline, state = panel
    bar = timeline.bar
    middle = timeline_metrics(LIGHT)
    assert hover(timeline, QPointF(bar.x_of(5) + 4, middle.middle)) == 5
    # Zoomed out, a pixel is many steps: among the marks the nearest one is meant.
    state.show(long_reader(4000, print_at=1999))
    x = bar.x_of(1999)
    assert bar.x_of(2001) - x < 1
    assert hover(timeline, QPointF(x + 3, middle.label + middle.band + 8)) == 1999
    assert hover(timeline, QPointF(x + 3, middle.middle)) != 1999


def long_reader(count: int, print_at: int = 0) -> MemoryReader:
    trace = linear_trace()
    step = trace.steps[1]
    steps = tuple(
        replace(step, number=number, node=None, nodes=()) for number in range(1, count + 1)
    )
    console = tuple(replace(text, step=print_at) for text in trace.console[:1] if print_at)
    return MemoryReader(replace(trace, steps=steps, console=console), LINEAR_TENSORS)


def test_a_step_repaints_only_itself(panel: Opened) -> None:
    timeline, state = panel
    state.show(long_reader(4000, print_at=1999))
    bar = timeline.bar
    before = bar.grab().toImage()
    pictures = bar._pictures  # noqa: SLF001
    state.go_to(3000)
    assert bar.grab().toImage() != before
    assert bar._pictures is pictures  # noqa: SLF001
    bar.zoom(0.5)
    bar.grab()
    assert bar._pictures is not pictures  # noqa: SLF001


def test_values_that_are_not_finite_are_counted_and_gone_to(panel: Opened, qtbot: QtBot) -> None:
    timeline, state = panel
    assert timeline.chips.isHidden()
    bad = tensor(8, [[2.0, np.nan, 2.0], [4.0, np.inf, np.nan]])
    pairs = (*(pair for pair in LINEAR_TENSORS if pair[0].id != 8), bad)
    findings = (finding(1, "warning", 2), finding(2, "warning", 4))
    state.show(MemoryReader(replace(linear_trace(), findings=findings), pairs))
    # One chip for both, named by the worst.
    (several,) = timeline.chips.chips
    assert several.text() == "NaN or Inf: 1 step"
    assert several.accessibleDescription().endswith("First at step 5: weight has 2 NaN and 1 Inf")
    assert "2 findings" in several.accessibleDescription()
    with qtbot.waitSignal(timeline.chips.doctor_requested):
        qtbot.mouseClick(several, Qt.MouseButton.LeftButton)
    marks = {mark.number: mark.kind for mark in timeline.alerts.marks if mark.kind != "print"}
    assert marks == {2: "finding", 4: "finding", 5: "not finite"}
    assert several.tag.tone == "error"
    state.show(MemoryReader(linear_trace(), pairs))
    (values,) = timeline.chips.chips
    qtbot.mouseClick(values, Qt.MouseButton.LeftButton)
    assert state.number == 5
    for severity, tone in (("warning", "warning"), ("error", "error")):
        findings = (finding(1, "warning", 2), finding(2, severity, 4))
        state.show(MemoryReader(replace(linear_trace(), findings=findings), LINEAR_TENSORS))
        (chip,) = timeline.chips.chips
        assert (chip.text(), chip.tag.tone) == ("2 findings", tone)


@pytest.mark.parametrize("fails", [False, True])
def test_quiz_mode_does_not_tell_whether_a_later_step_replaces_a_value(
    panel: Opened, fails: bool
) -> None:
    timeline, state = panel
    changed = {3: tensor(3, [[2.0, 2.0, 2.0], [4.0, -np.inf, -np.inf]])}
    if fails:
        changed[4] = tensor(4, np.array(-np.inf))
    pairs = tuple(changed.get(pair[0].id, pair) for pair in LINEAR_TENSORS)
    state.show(MemoryReader(linear_trace(), pairs))
    state.set_quiz_mode()
    state.go_to(1)
    assert [chip.text() for chip in timeline.chips.chips] == ["isolated NaN or Inf: 1 step"]
    state.set_quiz_mode(quiz_mode=False)
    texts = [chip.text() for chip in timeline.chips.chips]
    assert texts == (["NaN or Inf: 2 steps"] if fails else ["isolated NaN or Inf: 1 step"])


def test_quiz_mode_reveals_nothing_ahead(panel: Opened) -> None:
    timeline, state = panel
    bad = tensor(8, [[2.0, np.nan, 2.0], [4.0, np.inf, np.nan]])
    pairs = (*(pair for pair in LINEAR_TENSORS if pair[0].id != 8), bad)
    state.show(MemoryReader(linear_trace(), pairs))
    state.go_to(4)
    state.set_quiz_mode()
    assert timeline.chips.chips == ()
    assert timeline.controls.next_tip.endswith("next: LinearFunction.backward")
    state.go_to(5)
    assert "What does LinearFunction.backward return for" in timeline.bar.accessibleDescription()
    told = " ".join(texts_of(timeline))
    assert "NaN" not in told
    assert "2×2" not in told
    assert timeline.controls.next_tip.endswith("next: the answer")
    state.next_step()
    assert [chip.text() for chip in timeline.chips.chips] == ["isolated NaN or Inf: 1 step"]
    assert timeline.controls.next_tip.endswith("next: input.grad")


def test_the_last_answer_can_be_revealed(panel: Opened) -> None:
    timeline, state = panel
    trace = linear_trace()
    state.show(MemoryReader(replace(trace, steps=trace.steps[:5]), LINEAR_TENSORS))
    state.set_quiz_mode()
    state.last_step()
    actions = timeline._actions  # noqa: SLF001
    assert state.revealed.hides_answer
    assert actions.next.isEnabled()
    actions.next.trigger()
    assert not state.revealed.hides_answer
    assert not actions.next.isEnabled()


def test_playing_reveals_before_it_goes_on(panel: Opened, qtbot: QtBot) -> None:
    timeline, state = panel
    state.go_to(4)
    state.set_quiz_mode()
    timeline.player.set_speed(200.0)
    seen: list[tuple[int, bool]] = []
    state.step_changed.connect(lambda number: seen.append((number, state.revealed.hides_answer)))
    state.revealed_changed.connect(lambda now: seen.append((state.number, now.hides_answer)))
    timeline.player.toggle()
    qtbot.waitUntil(lambda: not timeline.player.playing)
    assert seen[:3] == [(5, True), (5, True), (5, False)]
    assert state.number == 8


def test_the_labels_of_neighboring_phases_do_not_touch(panel: Opened) -> None:
    timeline, state = panel
    bar, heights = timeline.bar, timeline_metrics(state.theme)
    # The mark of the current step has the color of the backward pass.
    state.go_to(state.count)
    together = 0
    for width in range(180, 200):
        bar.resize(width, bar.sizeHint().height())
        labels = pixels_of(bar)[: round(heights.label) - 1, :, :3].astype(int)
        ends = []
        for role in ("forward", "backward"):
            ink = state.theme.color(role).getRgb()[:3]  # type: ignore[arg-type]
            near = np.abs(labels - ink).max(axis=-1) < 60
            ends.append(np.flatnonzero(near.any(axis=0)))
        if all(len(each) for each in ends):
            together += 1
            assert ends[1].min() - ends[0].max() >= 5, width
    assert together > 5
