"""What a person does in front of the window, and how long it waits for a sign."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image, ImageChops

from gradviz.drawing.appearance.palette import PALETTE
from tools.drive.screen import Box, Screen, filled_boxes

SIGN_S = 0.3
"""Within it, an action should have a visible effect."""

_GLANCE_S = 0.02
_PATIENCE_S = 90.0
_IDLE_S = 6.0
"""Time after which what is repeated and changes nothing is over."""
_TABS = {"Graph": -166, "Jacobians": -82, "Compare": 11, "Training": 99}
"""Distance of each tab from the middle of the window, which is as wide as the screen."""
_BUTTONS = ("Run", "Check")
"""The filled buttons, from top to bottom."""


class LostError(Exception):
    """What the next action needs does not appear on the screen."""


@dataclass(frozen=True)
class Desk:
    """The screen, the theme that is shown there, and the folder with the user's files."""

    screen: Screen
    theme: str
    folder: Path

    def button(self, name: str) -> Box:
        """Place of a filled button; waits until it is there, thus until nothing runs."""
        number, began = _BUTTONS.index(name), time.monotonic()
        while time.monotonic() - began < _PATIENCE_S:
            boxes = filled_boxes(self.screen.grab(), accent(self.theme))
            if len(boxes) > number:
                return boxes[number]
            time.sleep(0.2)
        raise LostError(f"no button {name} for {_PATIENCE_S:.0f} s")


@dataclass(frozen=True)
class Action:
    """An action, in words and in deeds.

    Attributes:
        says: Caption of the picture.
        do: The deed.
        changes: Whether the screen has to change, within `within_s`.
        pause_s: Time until the next action.
        within_s: How long a sign may take before the run fails.
        repeats: If not 0, the action is repeated until it changes nothing; how often that must be
            at least.
        waits: Whether it only waits.
    """

    says: str
    do: Callable[[Desk], None]
    changes: bool = False
    pause_s: float = 1.2
    within_s: float = 20.0
    repeats: int = 0
    waits: bool = False


@dataclass(frozen=True)
class Shot:
    """What an action led to; `waited_s` is None if nothing changed."""

    says: str
    picture: Image.Image
    waited_s: float | None
    fault: str = ""
    waits: bool = False


def perform(action: Action, desk: Desk) -> Iterator[Shot]:
    """Do an action, as often as it says."""
    if not action.repeats:
        yield _once(action, desk)
        return
    number = idle = 0
    # A press may come too early to change anything; the last stop changes no more for long.
    while idle * max(action.pause_s, SIGN_S) < _IDLE_S and number < 20 * action.repeats:
        number += 1
        shot = _once(replace(action, says=f"{action.says} ({number})"), desk)
        idle = 0 if shot.waited_s is not None else idle + 1
        if not idle:
            yield shot
    count = number - idle
    if count < action.repeats:
        fault = f"nothing changed after {count} times, but {action.repeats} were needed"
        yield replace(shot, fault=fault)


def _once(action: Action, desk: Desk) -> Shot:
    before = desk.screen.grab()
    action.do(desk)
    began, waited = time.monotonic(), None
    limit = action.within_s if action.changes else action.pause_s
    while waited is None and time.monotonic() - began < limit:
        if differ(before, desk.screen.grab()):
            waited = time.monotonic() - began
        else:
            time.sleep(_GLANCE_S)
    time.sleep(max(0.0, began + action.pause_s - time.monotonic()))
    fault = ""
    if action.changes and waited is None:
        fault = f"the screen did not change within {action.within_s:g} s"
    return Shot(action.says, desk.screen.grab(), waited, fault, action.waits)


def differ(one: Image.Image, other: Image.Image) -> bool:
    """Whether two pictures of a screen are not the same."""
    return ImageChops.difference(one.convert("RGB"), other.convert("RGB")).getbbox() is not None


def wait_still(screen: Screen, still_s: float = 1.5, patience_s: float = _PATIENCE_S) -> None:
    """Wait until the screen has not changed for some time."""
    seen, began = screen.grab(), time.monotonic()
    since = began
    while time.monotonic() - since < still_s and time.monotonic() - began < patience_s:
        time.sleep(0.2)
        now = screen.grab()
        if differ(seen, now):
            seen, since = now, time.monotonic()


def accent(theme: str) -> str:
    """Color of filled buttons in a theme."""
    return PALETTE["accent"][theme == "dark"]


# The words of the scenarios.


def key(name: str, *, changes: bool = True, pause_s: float = 1.2) -> Action:
    """Press a key."""
    return Action(name, lambda desk: desk.screen.press(name), changes, pause_s)


def page_down(stops: int, pause_s: float) -> Action:
    """Press Page Down until the lesson is over."""
    action = key("Next", changes=False, pause_s=pause_s)
    return replace(action, says=f"Page Down, {pause_s:g} s apart", repeats=stops - 1)


def type_text(text: str) -> Action:
    """Type a text where the focus is."""
    return Action(f"type {text!r}", lambda desk: desk.screen.type(text), changes=True)


def command(name: str) -> Action:
    """Run a command from the command palette."""

    def choose(desk: Desk) -> None:
        desk.screen.press("ctrl+shift+p")
        time.sleep(0.6)
        desk.screen.type(name)
        time.sleep(0.6)
        desk.screen.press("Return")

    return Action(f"command {name}", choose, changes=True, pause_s=2)


def click(name: str, pause_s: float = 1.2) -> Action:
    """Click a tab, Run or Check, once nothing runs."""

    def do(desk: Desk) -> None:
        left, top, right, bottom = desk.button("Run" if name in _TABS else name)
        middle = desk.screen.grab().width // 2
        x = middle + _TABS[name] if name in _TABS else (left + right) // 2
        desk.screen.click(x, (top + bottom) // 2)

    return Action(f"click {name}", do, changes=True, pause_s=pause_s)


def save(name: str, text: str) -> Action:
    """Save a file in another editor."""

    def write(desk: Desk) -> None:
        (desk.folder / name).write_text(text)

    return Action(f"save {name}", write, changes=True)


def ready(name: str = "Run") -> Action:
    """Wait until a button can be clicked again and the screen is still."""

    def wait(desk: Desk) -> None:
        desk.button(name)
        # A run shows its time each second.
        wait_still(desk.screen, 3)

    return Action(
        f"wait until {name} can be clicked and nothing moves", wait, pause_s=0.1, waits=True
    )


def still() -> Action:
    """Wait until nothing moves."""
    return Action(
        "wait until nothing moves", lambda desk: wait_still(desk.screen), pause_s=0.1, waits=True
    )


def wait(seconds: float) -> Action:
    """Do nothing for some time."""
    return Action(f"wait {seconds:g} s", lambda _: None, pause_s=seconds, waits=True)
