"""``make drive``: drives the real window in each scenario, and writes contact sheets."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from tools.drive.actions import SIGN_S, Desk, LostError, Shot, perform, wait_still
from tools.drive.judge import Program, busy_loops
from tools.drive.scenarios import SHORT, Scenario, chosen
from tools.drive.screen import Screen, virtual_screen
from tools.drive.sheet import caption, write_sheets

SIZES, THEMES = ("1280x800", "1920x1080"), ("light", "dark")
_OUTPUT = Path("build", "drive")
_START_S = 60.0


@dataclass(frozen=True)
class Surroundings:
    """Where a scenario is driven."""

    size: str
    theme: str
    busy: bool

    def __str__(self) -> str:
        return f"{self.size}-{self.theme}-{'busy' if self.busy else 'quiet'}"


def drive(scenario: Scenario, around: Surroundings) -> tuple[list[Shot], list[str]]:
    """Drive a scenario; returns what was shown and the faults."""
    with (
        tempfile.TemporaryDirectory(prefix="gradviz-drive-") as name,
        virtual_screen(around.size, Path(name)) as screen,
        busy_loops(2 if around.busy else 0),
    ):
        program = Program(scenario, screen.display, around.theme, Path(name, "program"))
        shots: list[Shot] = []
        try:
            _use(scenario, program, Desk(screen, around.theme, program.folder), shots)
        except (LostError, subprocess.SubprocessError) as error:
            shots.append(Shot("the end", screen.grab(), None, str(error)))
        finally:
            faults = program.end()
    return shots, [f"{each.says}: {each.fault}" for each in shots if each.fault] + faults


def _use(scenario: Scenario, program: Program, desk: Desk, shots: list[Shot]) -> None:
    window = _wait_for_window(desk.screen, program)
    if not desk.screen.maximize(window):
        raise LostError("the window cannot be maximized")
    wait_still(desk.screen)
    shots.append(Shot(" ".join(["gradviz", *scenario.arguments]), desk.screen.grab(), 0.0))
    for action in scenario.actions:
        for shot in perform(action, desk):
            shots.append(shot)
            if program.process.poll() is not None:
                raise LostError(f"the window's process ended with {program.process.returncode}")
    if desk.screen.window(program.process.pid) is None:
        raise LostError("the window is gone")


def _wait_for_window(screen: Screen, program: Program) -> str:
    began = time.monotonic()
    while time.monotonic() - began < _START_S and program.process.poll() is None:
        window = screen.window(program.process.pid)
        if window is not None:
            return window
        time.sleep(0.1)
    raise LostError(f"no window within {_START_S:g} s")


def main() -> int:
    """Drive what the arguments choose."""
    options = _options()
    sizes, themes, loads = options.size or SIZES, options.theme or THEMES, options.loads or (0, 1)
    found = chosen(lambda name: not options.only or any(each in name for each in options.only))
    if options.short:
        found, sizes, themes, loads = chosen(SHORT.__contains__), SIZES[:1], THEMES[:1], (1,)
    _OUTPUT.mkdir(parents=True, exist_ok=True)
    faulty = 0
    for size, theme, load, scenario in product(sizes, themes, loads, found):
        around = Surroundings(size, theme, bool(load))
        began = time.monotonic()
        shots, faults = drive(scenario, around)
        path = _OUTPUT / f"{scenario.name}-{around}.png"
        write_sheets(shots, path)
        seconds = time.monotonic() - began
        lines = [
            f"{path}: {len(shots)} pictures, {seconds:.0f} s, {len(faults)} faults",
            *slow_lines(shots),
        ]
        lines += [f"FAULT: {each}" for each in faults]
        text = "\n    ".join(lines) + "\n"
        path.with_suffix(".log").write_text(text)
        sys.stdout.write(text)
        sys.stdout.flush()
        faulty += bool(faults)
    return min(faulty, 1)


def slow_lines(shots: list[Shot]) -> list[str]:
    """A line for each action without a sign in time."""
    return [
        f"slow: {number}. {caption(shot)}"
        for number, shot in enumerate(shots, 1)
        if not shot.waits and (shot.waited_s is None or shot.waited_s > SIGN_S)
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.drive", description=__doc__)
    parser.add_argument("--only", action="append", metavar="NAME", help="part of a name; repeat it")
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--theme", action="append", choices=THEMES)
    loads = parser.add_mutually_exclusive_group()
    loads.add_argument("--quiet", dest="loads", action="store_const", const=(0,))
    loads.add_argument("--busy", dest="loads", action="store_const", const=(1,))
    parser.add_argument("--short", action="store_true", help="two scenarios beside two busy loops")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
