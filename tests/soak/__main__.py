"""``python -m tests.soak``: uses the window for long, and fails if something keeps growing."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.soak.verdict import LEAST

if TYPE_CHECKING:
    from tests.soak.user import SoakUser

_MANY_RUNS = 200
_PRINTED = 20
"""Most errors that are printed in full."""


def main() -> int:
    """Print a line per interval, then what grew and which errors there were; 1 if any."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--runs", type=int, default=1_000, help="number of runs")
    parser.add_argument("--steps", type=int, default=100_000, help="number of steps")
    parser.add_argument("--windows", type=int, default=300, help="number of further windows")
    parser.add_argument("--intervals", type=int, default=40, help="number of samples")
    parser.add_argument("--seed", type=int, default=0, help="another seed gives another order")
    parser.add_argument("--forked", action="store_true", help="fork workers that import nothing")
    options = parser.parse_args()
    if options.intervals < LEAST:
        parser.error(f"--intervals must be at least {LEAST}, or there is no verdict")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        use_own_folders(folder)
        if options.forked:
            stack.enter_context(_forked())
        return _soak(options, folder)


def use_own_folders(folder: Path) -> None:
    """Let this process and its children keep temporary files and settings in a folder."""
    temporary, kept = folder / "tmp", folder / "settings"
    temporary.mkdir()
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
    for variable in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        os.environ[variable] = str(kept / variable.lower())


@contextmanager
def _forked() -> Iterator[None]:
    from tests.fork_server import ForkServer, forked_workers

    server = ForkServer()
    try:
        with forked_workers(server):
            yield
    finally:
        server.close()


def _soak(options: argparse.Namespace, folder: Path) -> int:
    # Only now, as the environment decides where Qt and the window keep their files.
    from PySide6.QtCore import QSettings

    from gradviz.viewer.app import WindowRegistry
    from gradviz.viewer.app_services import AppServices
    from gradviz.viewer.window_controller import make_application
    from tests.soak.samples import Sampler
    from tests.soak.user import SoakUser

    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    errors: list[str] = []
    catch_errors(errors)
    app = make_application([])
    services = AppServices(app)
    registry = WindowRegistry(app, services)
    user = SoakUser(app, registry, folder, options.seed)
    user.try_everything()
    sampler, began, stop = Sampler(folder / "tmp"), time.monotonic(), _let_signals_stop()
    for interval in range(options.intervals):
        use_window(user, options, interval, errors, stop)
        if stop.is_set():
            break
        user.rest()
        sampler.take()
        seconds = time.monotonic() - began
        say(f"{seconds:,.0f} s, {user.done_text()}: {sampler.line()}")
    registry.close_unasked()
    app.processEvents()
    services.close()
    say(f"Jobs: {', '.join(f'{count:,} {kind}' for kind, count in user.endings.items())}")
    return conclude(sampler.series, errors, objects=user.runs >= _MANY_RUNS)


def conclude(series: Mapping[str, Sequence[float]], errors: Sequence[str], *, objects: bool) -> int:
    """Print what grew and how many errors there were; return 1 if any, else 0.

    Args:
        series: The samples of each quantity.
        errors: Exceptions and warnings.
        objects: Whether to judge Python objects, too. In the first hundreds of runs, each one shows
            a scene or a page of the guide for the first time.
    """
    from tests.soak.samples import ALLOWANCES, OF_OBJECTS
    from tests.soak.verdict import LEAST, find_all_growth

    judged = {
        name: values
        for name, values in series.items()
        if objects or name.partition(":")[0] not in OF_OBJECTS
    }
    grown = find_all_growth(judged, ALLOWANCES)
    for growth in grown:
        say(growth.text())
    count = max(map(len, series.values()), default=0)
    if count < LEAST:
        say(f"{count} samples are too few for a verdict")
    say(f"{len(grown)} of {len(judged)} quantities grew; {len(errors)} errors")
    return 1 if grown or errors or count < LEAST else 0


def use_window(
    user: SoakUser,
    options: argparse.Namespace,
    interval: int,
    errors: list[str],
    stop: threading.Event,
) -> None:
    """Do the share of one interval: runs, each with steps and a look, and windows."""
    total, begin, end = options.intervals, interval, interval + 1
    runs, windows = (
        end * count // total - begin * count // total for count in (options.runs, options.windows)
    )
    steps = end * options.steps // total - user.steps
    for at in range(max(runs, windows)):
        share = max(0, steps) // max(runs, windows)
        what = "nothing"
        if stop.is_set():
            return
        try:
            if at < runs:
                what = user.run()
                user.step(share * 4 // 5 if at < windows else share)
                what = user.look()
            if at < windows:
                what = "another window"
                user.use_other_window(share // 5 if at < runs else share)
        except TimeoutError as error:
            errors.append(f"{what}: {error}")
            say(errors[-1])
    user.step(end * options.steps // total - user.steps)


def _let_signals_stop() -> threading.Event:
    """Ctrl+C ends the use of the window early; the verdict is on the samples so far."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    return stop


def catch_errors(errors: list[str]) -> None:
    """Add each exception that nothing caught and each warning of Qt; print the first ones."""
    import traceback

    from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

    from gradviz.viewer.faults.qt_messages import QuietOffscreen

    def take_message(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        errors.append(text)
        if len(errors) < _PRINTED:
            say(text)

    def take(*details: Any) -> None:
        for each in details:
            error = getattr(each, "exc_value", each)
            if isinstance(error, BaseException):
                errors.append(f"{type(error).__name__}: {error}")
                if len(errors) < _PRINTED:
                    say("".join(traceback.format_exception(error)))

    sys.excepthook = sys.unraisablehook = take
    qInstallMessageHandler(take_message)
    # It passes all but needless messages on to the one above.
    QuietOffscreen().install()


def say(line: str) -> None:
    """Print a line at once, as the output may be a file."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
