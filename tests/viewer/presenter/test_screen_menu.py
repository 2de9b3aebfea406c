"""The names by which a screen is chosen."""

from types import SimpleNamespace
from typing import Any

import pytest

from gradviz.viewer.presenter.screen_menu import screen_names


@pytest.mark.parametrize(
    ("screens", "names"),
    [
        (
            [("DELL U2720", "DP-1"), ("DELL U2720", "DP-2")],
            ["DELL U2720 (DP-1)", "DELL U2720 (DP-2)"],
        ),
        ([("DELL U2720", "DP-1"), ("EPSON", "HDMI-1")], ["DELL U2720", "EPSON"]),
        ([("", "screen0"), ("", "screen1")], ["screen0", "screen1"]),
    ],
)
def test_equal_screens_are_told_apart(screens: list[tuple[str, str]], names: list[str]) -> None:
    made: list[Any] = [
        SimpleNamespace(model=lambda model=model: model, name=lambda name=name: name)
        for model, name in screens
    ]
    assert screen_names(made) == names
