"""An action is judged by when the screen changes, and repeated until it changes nothing."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from PIL import Image, ImageDraw

from tools.drive import actions
from tools.drive.__main__ import slow_lines
from tools.drive.actions import Action, Desk, Shot, accent, perform
from tools.drive.screen import Screen, filled_boxes


class ScriptedScreen:
    """Shows another picture some time after each press, as often as planned."""

    def __init__(self, *delays_s: float) -> None:
        self._delays = list(delays_s)
        self._changes: list[float] = []

    def press(self, *keys: str) -> None:
        """Plan the next change, if there is one."""
        if self._delays:
            self._changes.append(time.monotonic() + self._delays.pop(0))

    def grab(self) -> Image.Image:
        """The picture, which has a color of its own after each change."""
        shown = sum(each <= time.monotonic() for each in self._changes)
        return Image.new("RGB", (40, 30), (shown, 0, 0))


def shots_of(action: Action, screen: ScriptedScreen) -> list[Shot]:
    return list(perform(action, Desk(cast(Screen, screen), "light", Path())))


PRESS = replace(actions.key("F10"), pause_s=0.05, within_s=0.6)


@pytest.mark.parametrize("delay_s", [0.0, 0.2, 0.45])
def test_a_wait_is_the_time_until_the_screen_changes(delay_s: float) -> None:
    (shot,) = shots_of(PRESS, ScriptedScreen(delay_s))
    assert shot.waited_s is not None
    # A busy machine looks later, but never earlier.
    assert delay_s - 0.05 <= shot.waited_s
    assert not shot.fault
    is_slow = shot.waited_s > actions.SIGN_S
    assert slow_lines([shot]) == ([f"slow: 1. F10: after {shot.waited_s:.1f} s"] if is_slow else [])


def test_an_action_that_must_change_the_screen_but_does_not_is_a_fault() -> None:
    (shot,) = shots_of(PRESS, ScriptedScreen())
    assert (shot.waited_s, shot.fault) == (None, "the screen did not change within 0.6 s")
    (shot,) = shots_of(replace(PRESS, changes=False), ScriptedScreen())
    assert not shot.fault
    assert slow_lines([shot]) == ["slow: 1. F10: no change"]
    assert not slow_lines([replace(shot, waits=True)])


def test_a_lesson_that_stops_too_early_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "_IDLE_S", 0.7)
    screen = ScriptedScreen(0.0, 0.0, 0.0)
    shots = shots_of(actions.page_down(4, 0.05), screen)
    assert len(shots) == 3
    assert not any(each.fault for each in shots)
    shots = shots_of(actions.page_down(5, 0.05), ScriptedScreen(0.0, 0.0, 0.0))
    assert shots[-1].fault == "nothing changed after 3 times, but 4 were needed"


def test_filled_buttons_are_found_and_other_uses_of_the_color_are_not() -> None:
    color, picture = accent("light"), Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(picture)
    buttons = [(20, 40, 99, 69), (20, 140, 119, 169)]
    for left, top, right, bottom in buttons:
        draw.rounded_rectangle((left, top, right, bottom), 4, color)
        draw.text((left + 20, top + 8), "Run", "white")
    draw.line((150, 60, 250, 60), color, 3)  # Underline of a tab.
    draw.rectangle((150, 100, 250, 130), outline=color)  # Frame of a field.
    draw.rectangle((150, 200, 250, 290), color)  # A card.
    found = filled_boxes(picture, color)
    assert [(left, right) for left, _, right, _ in found] == [(20, 100), (20, 120)]


class TitledScreen(Screen):
    """A screen with a window below a title, which says where it is in one of two ways."""

    def __init__(self, reported_too_low: int) -> None:
        super().__init__(":0")
        self._too_low, self._is_maximized = reported_too_low, False

    def grab(self) -> Image.Image:
        """The whole screen."""
        return Image.new("RGB", (1920, 1080))

    def click(self, x: int, y: int, times: int = 1) -> None:
        """Maximize the window if the title was hit."""
        self._is_maximized |= times == 2 and 180 <= y < 200

    def _place(self, window: str) -> tuple[int, int, int]:
        return 100, 200 + self._too_low, 1920 if self._is_maximized else 1440


@pytest.mark.parametrize(("reported_too_low", "found"), [(0, True), (20, True), (90, False)])
def test_a_window_that_is_not_maximized_is_known(
    monkeypatch: pytest.MonkeyPatch, reported_too_low: int, found: bool
) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    assert TitledScreen(reported_too_low).maximize("1") is found
